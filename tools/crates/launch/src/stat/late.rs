// SPDX-License-Identifier: Apache-2.0
//! Late samples, and few samples. A sample stands for the time since the sample before it. If the
//! sampling thread gets no processor when a sample is due, the sample comes late and stands for a
//! longer time, of which it shows only the end. This module sums up that time for one process. The
//! fewer samples there are, the less a share of them is worth.

use std::time::Duration;

use grains::units::{count, percent, several, time};

/// With fewer samples than this, a share of 50 % may be off by a fifth of the time and more.
const FEW: u64 = 30;

/// The samples of one process.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub struct Late {
    pub samples: u64,
    /// Those that came late by more than the time between two samples.
    pub late: u64,
    /// By how much those were late: together, and the latest of them.
    pub sum_ns: u64,
    pub most_ns: u64,
    /// The time for which all samples stand.
    ns: u64,
}

impl Late {
    /// A sample has come `passed` after the one before, which was to be after `asked`.
    pub fn add(&mut self, passed: Duration, asked: Duration) {
        self.samples += 1;
        self.ns += passed.as_nanos() as u64;
        if passed > 2 * asked {
            let late = passed.saturating_sub(asked).as_nanos() as u64;
            self.late += 1;
            self.sum_ns += late;
            self.most_ns = self.most_ns.max(late);
        }
    }

    /// For people, up to three lines; empty if no sample was late and there were enough. `exact`:
    /// the workers took their times themselves, and samples say only in which state a worker had
    /// no processor.
    pub fn text(&self, exact: bool) -> String {
        let few = if exact { String::new() } else { self.few() };
        few + &self.late(exact)
    }

    /// With n samples, a share p is right to within about two times the root of p(1-p)/n.
    fn few(&self) -> String {
        if self.samples >= FEW {
            return String::new();
        }
        let off = 0.5_f64.min(1.0 / (self.samples.max(1) as f64).sqrt());
        format!(
            "These times rest on {}: a share of 50 % may be {:.0} to {:.0} %. With --times exact no samples are \
             needed.\n\n",
            several(self.samples, "sample"),
            100.0 * (0.5 - off),
            100.0 * (0.5 + off),
        )
    }

    fn late(&self, exact: bool) -> String {
        if self.late == 0 {
            return String::new();
        }
        let means = if exact {
            "The time without a processor may have been subtracted from the wrong states."
        } else {
            "Each state may be wrong by up to that much. With --times exact no samples are needed."
        };
        format!(
            "{} of {} came late, by {} at most, so for {} ({}) nobody saw what the workers did.\n{means}\n\n",
            count(self.late),
            several(self.samples, "sample"),
            time(self.most_ns as f64),
            time(self.sum_ns as f64),
            percent(self.sum_ns as f64, self.ns as f64).trim(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(passed_us: &[u64]) -> Late {
        let mut late = Late::default();
        for us in passed_us {
            late.add(Duration::from_micros(*us), Duration::from_millis(1));
        }
        late
    }

    #[test]
    fn a_sample_is_late_if_the_next_one_would_have_been_due() {
        assert_eq!(of(&[1_080, 2_000]), Late { samples: 2, ns: 3_080_000, ..Late::default() });
        let late = of(&[1_080, 2_001, 6_000]);
        assert_eq!((late.samples, late.late, late.sum_ns, late.most_ns), (3, 2, 6_001_000, 5_000_000));
    }

    #[test]
    fn few_samples_are_told_with_what_a_share_is_worth() {
        let first = "These times rest on 9 samples: a share of 50 % may be 17 to 83 %.";
        assert!(of(&[1_000; 9]).text(false).starts_with(first));
        assert!(of(&[1_000]).text(false).contains("1 sample: a share of 50 % may be 0 to 100 %"));
        assert!(of(&[]).text(false).contains("0 samples"));
        assert_eq!([of(&[1_000; 30]).text(false), of(&[1_000; 9]).text(true)], ["", ""]);
    }

    #[test]
    fn late_samples_are_told_with_what_they_mean() {
        let text = of(&[&[1_000; 28][..], &[3_000, 6_000]].concat()).text(false);
        let first = "2 of 30 samples came late, by 5.00 ms at most, so for 7.00 ms (19 %) nobody saw";
        assert!(text.starts_with(first), "{text}");
        assert!(
            text.contains("--times exact") && !of(&[5_000]).text(true).contains("--times exact"),
            "{text}"
        );
    }
}
