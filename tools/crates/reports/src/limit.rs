// SPDX-License-Identifier: Apache-2.0
//! A limit that a change must not exceed (`teff diff --fail-if`).

use std::str::FromStr;

use grains::budget::{Class, CLASSES};

/// `METRIC>N%`: the metric must not grow by more than N per cent.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// `wall`, or the name of a total.
    pub metric: &'static str,
    pub percent: f64,
}

impl Limit {
    /// The name of the wall time.
    pub const WALL: &'static str = "wall";
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('>').and_then(|(name, limit)| {
            let percent: f64 = limit.trim().strip_suffix('%')?.trim().parse().ok()?;
            Some((name.trim(), percent))
        });
        let Some((name, percent)) = parts.filter(|(_, percent)| percent.is_finite() && *percent >= 0.0)
        else {
            return Err("a limit is METRIC>N%, as in wall>5%, where N is at least 0".to_owned());
        };
        let names: Vec<_> = [Self::WALL].into_iter().chain(CLASSES.map(Class::name)).collect();
        let metric = names.iter().find(|known| **known == name).copied();
        metric
            .map(|metric| Self { metric, percent })
            .ok_or_else(|| format!("a metric is one of {}", names.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_metric_and_a_percentage() {
        assert_eq!("wall>5%".parse(), Ok(Limit { metric: "wall", percent: 5.0 }));
        assert_eq!(" nothing_ready > 0.5 % ".parse(), Ok(Limit { metric: "nothing_ready", percent: 0.5 }));
        for text in ["", "wall", "wall>", "wall>5", "wall<5%", "wall>-1%", "wall>nan%", "wall>inf%"] {
            let error = text.parse::<Limit>().unwrap_err();
            assert!(error.starts_with("a limit is METRIC>N%"), "{text}: {error}");
        }
        let error = "time>5%".parse::<Limit>().unwrap_err();
        assert!(
            error.starts_with("a metric is one of wall, work, ") && error.ends_with(", recorder"),
            "{error}"
        );
    }
}
