// SPDX-License-Identifier: Apache-2.0
//! Recordings of some regions only: of each construct, each N-th outermost parallel region.

use trace::{End, Meta};

/// Which regions were recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Every {
    /// Each construct's N-th, 2N-th, ... region.
    pub nth: u64,
    /// How many regions there were, and how many of them were recorded; `None`: the program did not
    /// end in order.
    pub regions: Option<(u64, u64)>,
}

impl Every {
    pub(crate) fn of(meta: &Meta, end: Option<&End>) -> Option<Self> {
        let nth: u64 = meta.environment.get("TEFF_TRACE_EVERY")?.trim().parse().ok()?;
        let regions = end.filter(|end| end.every == nth).map(|end| (end.regions_met, end.regions_recorded));
        (nth > 1).then_some(Self { nth, regions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every(value: &str, end: Option<&End>) -> Option<Every> {
        let mut meta = trace::writer::RecordingWriter::plain_meta(1);
        meta.environment.insert("TEFF_TRACE_EVERY".to_owned(), value.to_owned());
        Every::of(&meta, end)
    }

    #[test]
    fn the_environment_says_it_and_the_end_has_the_numbers() {
        let end = End { every: 10, regions_met: 57, regions_recorded: 5, ..End::default() };
        assert_eq!(every("10", Some(&end)), Some(Every { nth: 10, regions: Some((57, 5)) }));
        assert_eq!(every("10", None), Some(Every { nth: 10, regions: None }));
        // The runtime did not take the value.
        assert_eq!(every("12", Some(&end)), Some(Every { nth: 12, regions: None }));
        for all in ["0", "1", "x", ""] {
            assert_eq!(every(all, Some(&end)), None);
        }
    }
}
