// SPDX-License-Identifier: Apache-2.0
//! Numbers for people.

/// A duration with three digits and its unit.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "us"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    match value {
        value if unit == "ns" => format!("{value:.0} ns"),
        value if value < 10.0 => format!("{value:.2} {unit}"),
        value if value < 100.0 => format!("{value:.1} {unit}"),
        value => format!("{value:.0} {unit}"),
    }
}

/// An amount of memory or of a file with three digits and its unit.
pub fn bytes(number: u64) -> String {
    let mut value = number as f64;
    let mut units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    while value >= 999.5 {
        value /= 1e3;
        unit = units.next().unwrap_or(unit);
    }
    if value >= 99.5 || number < 1_000 {
        format!("{value:.0} {unit}")
    } else {
        format!("{value:.1} {unit}")
    }
}

/// A number with its thousands set apart.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number and a noun, as in "1 loop" and "1,200 loops".
pub fn several(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// A share as whole per cent, with one more digit where it is small.
pub fn percent(part: f64, whole: f64) -> String {
    let share = if whole > 0.0 { part / whole * 100.0 } else { 0.0 };
    if share > 0.0 && share < 9.95 {
        format!("{share:.1} %")
    } else {
        format!("{share:.0} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let times = [0.0, 999.0, 1_500.0, 25_000.0, 999_000.0, 2e6, 1.25e10];
        assert_eq!(times.map(time), ["0 ns", "999 ns", "1.50 us", "25.0 us", "999 us", "2.00 ms", "12.5 s"]);
    }

    #[test]
    fn sizes_have_their_unit() {
        let sizes = [0, 999, 1_500, 99_600, 999_600, 1 << 39, u64::MAX];
        assert_eq!(sizes.map(bytes), ["0 B", "999 B", "1.5 kB", "100 kB", "1.0 MB", "550 GB", "18.4 EB"]);
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn one_has_no_plural() {
        assert_eq!([0, 1, 1_200].map(|number| several(number, "loop")), ["0 loops", "1 loop", "1,200 loops"]);
    }

    #[test]
    fn shares() {
        assert_eq!(percent(1.0, 3.0), "33 %");
        assert_eq!(percent(1.0, 50.0), "2.0 %");
        assert_eq!(percent(0.0, 0.0), "0 %");
    }
}
