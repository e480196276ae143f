// SPDX-License-Identifier: Apache-2.0
//! Loops whose chunks are too short for the book-keeping that each of them costs.

use trace::layout::schedule;

use crate::findings::loops::{chunks_of, loop_sites, LoopSite};
use crate::findings::subject::Subject;
use crate::findings::tiny::WORTHWHILE;
use crate::findings::Finding;
use crate::units::{self, percent, time};

/// A thread should have this number of chunks, for the last ones to even out.
const CHUNKS_PER_THREAD: f64 = 8.0;

pub(crate) fn tiny_chunks(subject: &Subject) -> Vec<Finding> {
    let chunks = chunks_of(subject);
    loop_sites(subject, &chunks).iter().filter_map(|site| of_site(subject, site)).collect()
}

fn of_site(subject: &Subject, site: &LoopSite) -> Option<Finding> {
    let (mean, cost) = (site.work / site.chunks, site.cost());
    let is_loop = matches!(site.schedule, schedule::DYNAMIC | schedule::GUIDED | schedule::STATIC);
    if site.chunks == 0.0 || !is_loop || mean >= WORTHWHILE * cost {
        return None;
    }
    let wanted = (WORTHWHILE * cost / mean.max(1.0)).ceil();
    let iterations = site.iterations / site.instances.len() as f64;
    let most = (iterations / (CHUNKS_PER_THREAD * site.threads) / site.chunk as f64).floor().max(1.0);
    let times = wanted.min(most);
    let chunk = round(site.chunk as f64 * times);
    let at_once = subject.at_once(site.threads);
    let books = site.chunks * cost;
    let lost = books * (1.0 - 1.0 / times);
    Some(Finding {
        rule: "tiny-chunks",
        title: format!(
            "chunks of {} work {}, and cost {}",
            units::several(site.chunk.unsigned_abs(), "iteration"),
            time(mean),
            time(cost)
        ),
        place: site.place,
        region: site.region,
        when: None,
        lost_ns: lost,
        gain_ns: lost / at_once,
        evidence: vec![
            format!(
                "{} in {}",
                units::several(site.chunks as u64, "chunk"),
                units::several(site.instances.len() as u64, "loop")
            ),
            format!(
                "book-keeping takes {}, {} of the work in the loop",
                time(books),
                percent(books, site.work)
            ),
        ],
        remedy: format!(
            "Give the loop schedule(dynamic, {chunk}), or schedule(static) if its iterations are alike."
        ),
        estimate: format!(
            "the book-keeping of {times:.0} times fewer chunks, divided among {at_once:.0} threads"
        ),
    })
}

/// Rounds to two digits: no programmer writes chunks of 1037.
pub(crate) fn round(value: f64) -> u64 {
    let digits = value.max(1.0).log10().floor();
    let unit = 10f64.powf((digits - 1.0).max(0.0));
    ((value / unit).ceil() * unit) as u64
}

#[cfg(test)]
mod tests {
    #[test]
    fn chunks_have_two_digits() {
        assert_eq!([1.0, 7.0, 10.0, 64.0, 101.0, 1037.0].map(super::round), [1, 7, 10, 64, 110, 1100]);
    }
}
