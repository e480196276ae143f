// SPDX-License-Identifier: Apache-2.0
//! Parses a time from the command line: how often counters are printed.

use std::time::Duration;

/// `1s`, `500ms`, `2m`, or a number of seconds.
pub fn parse(text: &str) -> std::result::Result<Duration, String> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("a time is a number followed by ms, s, m or h, as in 1s".to_owned()),
    };
    let value: f64 = number.parse().map_err(|_| "a time begins with a number, as in 1s".to_owned())?;
    let wanted = value * seconds;
    if (0.01..=86_400.0).contains(&wanted) {
        Ok(Duration::from_secs_f64(wanted))
    } else {
        Err("it must be between 10 ms and one day".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_have_units() {
        assert_eq!(parse("1s"), Ok(Duration::from_secs(1)));
        assert_eq!(parse("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(parse("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(parse("1h"), Ok(Duration::from_secs(3600)));
        for wrong in ["", "s", "1d", "0s", "-1s", "1ms", "1e9s"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
