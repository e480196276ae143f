// SPDX-License-Identifier: Apache-2.0
//! What the report says where one thread of a team ran nearly all tasks.

use grains::budget::Budget;
use grains::one_sided::{one_sided, OneSided};
use grains::units::{count, percent, time};
use grains::Profile;
use symbols::Symbols;

use super::account::place_name;

pub fn notes(profile: &Profile, budget: &Budget, symbols: &Symbols) -> Vec<String> {
    let ns = |ticks| profile.ns(ticks);
    let all = one_sided(profile, budget);
    let said = all.iter().map(|found| {
        let (region, place) = (place_name(&symbols.of(found.region)), place_name(&symbols.of(found.place)));
        note(found, (&region, &place), ns(found.median), ns(found.cost))
    });
    said.collect()
}

/// From this share of the tasks on, that the others came late says more than the shares.
const LATE: f64 = 0.5;

fn note(found: &OneSided, (region, place): (&str, &str), median_ns: f64, cost_ns: f64) -> String {
    let OneSided { threads, tasks, by_one, alone, .. } = *found;
    let mut text = format!(
        "In the region at {region}, one of {threads} threads ran {} of the {} tasks created at {place}, with a median of \
         {} of work.",
        percent(by_one as f64, tasks as f64),
        count(tasks),
        time(median_ns)
    );
    if alone as f64 > LATE * tasks as f64 {
        text.push_str(&format!(
            " {} of them had begun before a second thread did: the region is too short to show what several threads \
             make of it.",
            percent(alone as f64, tasks as f64)
        ));
    }
    if found.is_short() {
        text.push_str(&format!(
            " Each costs {} beside its work, and more where another thread takes it: create fewer and larger tasks there, \
             with a cut-off or several items in each.",
            time(cost_ns)
        ));
    }
    text.push_str(
        " What it costs when threads share these tasks is not recorded: the predicted speed-up is an upper bound, and the \
         region may be slower on several threads than on one.",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use grains::Ticks;

    fn said(by_one: u64, alone: u64, median: u64) -> String {
        let (cost, tasks) = (Ticks(40), 1000);
        let found = OneSided {
            region: None,
            place: None,
            threads: 2,
            tasks,
            by_one,
            alone,
            median: Ticks(median),
            cost,
        };
        note(&found, ("a.c:7", "a.c:9"), median as f64, 40.0)
    }

    #[test]
    fn a_note_says_why_one_thread_ran_the_tasks() {
        let text = said(1000, 990, 150);
        let begin = "In the region at a.c:7, one of 2 threads ran 100 % of the 1,000 tasks created at a.c:9, with a median of \
                     150 ns of work. 99 % of them had begun before a second thread did";
        assert!(text.starts_with(begin), "{text}");
        assert!(text.contains("Each costs 40 ns beside its work"), "{text}");
        assert!(text.contains("the predicted speed-up is an upper bound"), "{text}");
        let text = said(960, 10, 5000);
        assert!(text.contains("ran 96 %") && !text.contains("had begun before"), "{text}");
        assert!(!text.contains("larger tasks"), "{text}");
    }
}
