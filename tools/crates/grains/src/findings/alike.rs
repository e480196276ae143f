// SPDX-License-Identifier: Apache-2.0
//! Makes one finding of those with the same rule in the same function: what helps one of five like
//! loops helps the others. Each of them may gain too little to be worth a change, and all of them
//! enough.

use std::collections::HashMap;

use crate::findings::subject::Names;
use crate::findings::Finding;
use crate::units::{several, time};

/// More places would not be read.
const NAMED: usize = 8;

/// In the order in which the first of each kind comes.
pub(crate) fn grouped(all: Vec<Finding>, names: &dyn Names) -> Vec<Finding> {
    let mut groups: Vec<Vec<Finding>> = Vec::new();
    let mut known: HashMap<(&'static str, bool, String), usize> = HashMap::new();
    for finding in all {
        let Some(function) = finding.place.and_then(|place| names.function(place)) else {
            groups.push(vec![finding]);
            continue;
        };
        // A serial part in a region is another thing than one between regions.
        let at = *known.entry((finding.rule, finding.region.is_some(), function)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[at].push(finding);
    }
    groups.into_iter().filter_map(|group| merged(group, names)).collect()
}

/// The one that gains most, with the losses and gains of all of them.
fn merged(mut group: Vec<Finding>, names: &dyn Names) -> Option<Finding> {
    group.sort_by(|a, b| b.gain_ns.total_cmp(&a.gain_ns));
    let others = group.split_off(1);
    let mut first = group.pop()?;
    let function = first.place.and_then(|place| names.function(place));
    if let Some(function) = function.filter(|_| !others.is_empty()) {
        let place = |finding: &Finding| names.place(finding.place);
        let places = others.iter().take(NAMED).map(|one| format!("{} ({})", place(one), time(one.gain_ns)));
        let places = places.collect::<Vec<_>>().join(", ");
        let more = others.len().checked_sub(NAMED).filter(|&more| more > 0);
        let more = more.map_or_else(String::new, |more| format!(" and {more} more"));
        first.title =
            format!("{}; also at {} in {function}", first.title, several(others.len() as u64, "other place"));
        first
            .evidence
            .push(format!("{} of the gain is here, the rest at {places}{more}", time(first.gain_ns)));
        first.gain_ns += others.iter().map(|one| one.gain_ns).sum::<f64>();
        first.lost_ns += others.iter().map(|one| one.lost_ns).sum::<f64>();
    }
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlaceRow;

    /// Places 0 to 9 are in `f`, others in `g`; place 99 has no known function.
    struct Functions;

    impl Names for Functions {
        fn place(&self, row: Option<PlaceRow>) -> String {
            row.map_or_else(String::new, |row| format!("a.c:{}", row.at()))
        }

        fn function(&self, row: PlaceRow) -> Option<String> {
            (row.at() != 99).then(|| if row.at() < 10 { "f" } else { "g" }.to_owned())
        }
    }

    fn finding(rule: &'static str, place: usize, gain_ns: f64) -> Finding {
        Finding {
            rule,
            title: format!("at {place}"),
            place: Some(PlaceRow::new(place)),
            region: None,
            lost_ns: 2.0 * gain_ns,
            gain_ns,
            evidence: Vec::new(),
            remedy: String::new(),
            estimate: String::new(),
        }
    }

    #[test]
    fn like_findings_of_a_function_are_one() {
        let all = vec![
            finding("loop", 1, 2e6),
            finding("loop", 2, 5e6),
            finding("lock", 3, 1e6),
            finding("loop", 12, 4e6),
            finding("loop", 4, 1e6),
        ];
        let grouped = grouped(all, &Functions);
        let gains: Vec<_> = grouped.iter().map(|one| (one.rule, one.gain_ns, one.lost_ns)).collect();
        assert_eq!(gains, [("loop", 8e6, 16e6), ("lock", 1e6, 2e6), ("loop", 4e6, 8e6)]);
        assert_eq!(grouped[0].place, Some(PlaceRow::new(2)), "the largest");
        assert_eq!(grouped[0].title, "at 2; also at 2 other places in f");
        assert_eq!(
            grouped[0].evidence,
            ["5.00 ms of the gain is here, the rest at a.c:1 (2.00 ms), a.c:4 (1.00 ms)"]
        );
        assert_eq!(grouped[2].title, "at 12", "alone in its function");
    }

    #[test]
    fn what_is_in_a_region_is_not_like_what_is_between_regions() {
        let mut within = finding("serial-part", 1, 1e6);
        within.region = Some(PlaceRow::new(5));
        assert_eq!(grouped(vec![within, finding("serial-part", 1, 1e6)], &Functions).len(), 2);
    }

    #[test]
    fn findings_without_a_function_stay_apart() {
        let mut nowhere = finding("loop", 1, 1e6);
        nowhere.place = None;
        let all = vec![finding("loop", 99, 2e6), finding("loop", 99, 1e6), nowhere.clone(), nowhere];
        assert_eq!(grouped(all, &Functions).len(), 4);
    }
}
