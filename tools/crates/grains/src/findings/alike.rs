// SPDX-License-Identifier: Apache-2.0
//! Makes one finding of those with the same rule in the same function: what helps one of five like
//! loops helps the others. Each of them may gain too little to be worth a change, and all of them
//! enough.

use std::collections::HashMap;

use crate::findings::asleep::SERIAL_SLEEP;
use crate::findings::serial::SERIAL_PART;
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
        let lines = by_line(&others, names);
        let here = names.place(first.place);
        let (same, elsewhere): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.place == here);
        let same_count = same.iter().map(|line| line.count).sum::<u64>();
        let line = if is_beside(&first) { "beside regions at this line" } else { "at this line" };
        if elsewhere.is_empty() {
            let gain_ns = others.iter().map(|one| one.gain_ns).sum::<f64>();
            let gain = if same_count == 1 { "gains" } else { "gain" };
            let gain =
                if is_beside(&first) { format!(", which {gain} {}", time(gain_ns)) } else { String::new() };
            first.title = format!("{}; also {same_count} more {line}{gain}", first.title);
        } else {
            let more = if same_count > 0 { format!("{same_count} more {line} and ") } else { String::new() };
            let places = several(elsewhere.len() as u64, "other place");
            first.title = format!("{}; also {more}at {places} in {function}", first.title);
            let gain_here = first.gain_ns + same.iter().map(|line| line.gain_ns).sum::<f64>();
            first.evidence.push(format!(
                "{} of the gain is here, the rest at {}",
                time(gain_here),
                named(&elsewhere)
            ));
        }
        first.gain_ns += others.iter().map(|one| one.gain_ns).sum::<f64>();
        first.lost_ns += others.iter().map(|one| one.lost_ns).sum::<f64>();
    }
    Some(first)
}

/// Whether its place is that of a region before or after it: it has no line of its own.
fn is_beside(finding: &Finding) -> bool {
    finding.region.is_none() && matches!(finding.rule, SERIAL_PART | SERIAL_SLEEP)
}

/// Findings of one line.
struct Line {
    place: String,
    count: u64,
    gain_ns: f64,
}

/// In the order in which the first of each line comes.
fn by_line(findings: &[Finding], names: &dyn Names) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut known = HashMap::new();
    for finding in findings {
        let place = names.place(finding.place);
        let at = *known.entry(place.clone()).or_insert_with(|| {
            lines.push(Line { place, count: 0, gain_ns: 0.0 });
            lines.len() - 1
        });
        lines[at].count += 1;
        lines[at].gain_ns += finding.gain_ns;
    }
    lines
}

fn named(lines: &[&Line]) -> String {
    let places = lines.iter().take(NAMED).map(|line| format!("{} ({})", line.place, time(line.gain_ns)));
    let places = places.collect::<Vec<_>>().join(", ");
    match lines.len().checked_sub(NAMED) {
        Some(more) if more > 0 => format!("{places} and {more} more"),
        _ => places,
    }
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
            when: None,
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
    fn a_line_is_named_once() {
        let all = [
            finding("loop", 2, 5e6),
            finding("loop", 1, 2e6),
            finding("loop", 1, 1e6),
            finding("loop", 2, 1e6),
        ];
        let grouped = grouped(all.to_vec(), &Functions);
        assert_eq!(grouped[0].title, "at 2; also 1 more at this line and at 1 other place in f");
        assert_eq!(grouped[0].evidence, ["6.00 ms of the gain is here, the rest at a.c:1 (3.00 ms)"]);
        assert_eq!(grouped[0].gain_ns, 9e6);
    }

    #[test]
    fn findings_of_one_line_alone_have_no_list() {
        let grouped = grouped(vec![finding("loop", 2, 5e6), finding("loop", 2, 1e6)], &Functions);
        assert_eq!(grouped[0].title, "at 2; also 1 more at this line");
        assert!(grouped[0].evidence.is_empty());
    }

    #[test]
    fn what_lies_beside_a_region_is_not_at_its_line() {
        let grouped =
            grouped(vec![finding("serial-part", 2, 5e6), finding("serial-part", 2, 1e6)], &Functions);
        assert_eq!(grouped[0].title, "at 2; also 1 more beside regions at this line, which gains 1.00 ms");
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
