// SPDX-License-Identifier: Apache-2.0
//! Sizes on the command line.

/// The size of an allocation that may be spread; the library accepts no smaller one.
pub fn of_allocation(text: &str) -> Result<u64, String> {
    bytes_from(64 << 10, "64K", text)
}

/// The size of a ring of records.
pub fn of_ring(text: &str) -> Result<u64, String> {
    bytes_from(4 << 20, "4M", text)
}

const MOST: u64 = 1 << 40;

/// A number of bytes from `least` to 1T, as `65536`, `64K`, `1M`, `2G` or `1T`.
fn bytes_from(least: u64, least_text: &str, text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.char_indices().last() {
        Some((at, unit)) if !unit.is_ascii_digit() => (&text[..at], shift_of(unit)),
        _ => (text, Some(0)),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let (Some(shift), true) = (shift, is_number) else {
        return Err("expected a number of bytes, or one with K, M, G or T, as in 512K".to_owned());
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes
        .filter(|bytes| (least..=MOST).contains(bytes))
        .ok_or_else(|| format!("expected a size from {least_text} to 1T"))
}

fn shift_of(unit: char) -> Option<u32> {
    Some(match unit.to_ascii_uppercase() {
        'K' => 10,
        'M' => 20,
        'G' => 30,
        'T' => 40,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let texts = ["65536", "64K", "64k", "1M", "2g", "1T"];
        let sizes = [1 << 16, 1 << 16, 1 << 16, 1 << 20, 2 << 30, 1 << 40];
        assert_eq!(texts.map(of_allocation), sizes.map(Ok));
        for text in [
            "",
            "K",
            "1",
            "65535",
            "63K",
            "2T",
            "1P",
            "1.5M",
            "-1M",
            "1 M",
            "1MiB",
            "99999999999999999999G",
            "é",
        ] {
            assert!(of_allocation(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_ring_has_several_chunks() {
        assert_eq!(of_ring("4M"), Ok(4 << 20));
        assert_eq!(of_ring("1K"), Err("expected a size from 4M to 1T".to_owned()));
    }
}
