// SPDX-License-Identifier: Apache-2.0
//! The lines of a report about the part of the run that it covers, and about named spans.

use grains::units::{count, percent, several, time};
use terminal::printable;

use super::facts::Facts;
use super::part::{Extent, PartFacts, WindowFacts};
use super::style::Style;
use super::tables::{aligned_table, section};

/// The paragraphs about the part of the run that a verb's figures are about; none if that is all.
pub fn part(facts: &PartFacts) -> impl Iterator<Item = String> {
    part_of_run(facts).into_iter().chain(some_regions(facts))
}

fn part_of_run(facts: &PartFacts) -> Option<String> {
    let is_whole = |window: &WindowFacts| window.from_ns <= 0.0 && window.to_ns >= facts.recording_ns;
    match &*facts.windows {
        [] if facts.every.as_ref().is_some_and(|every| every.recorded == Some(0)) => None, // see below
        [] => Some(
            "Nothing was recorded: no outermost parallel region began while recording was on.".to_owned(),
        ),
        [only] if is_whole(only) => None,
        [only] => {
            let (from, to) = (time(only.from_ns), time(only.to_ns));
            Some(format!("This is about {from} to {to} of a run of {}.", time(facts.recording_ns)))
        }
        [first, .., last] => Some(format!(
            "This is about {} stretches between {} and {} of a run of {}: {} in all.",
            count(facts.windows.len() as u64),
            time(first.from_ns),
            time(last.to_ns),
            time(facts.recording_ns),
            time(facts.wall_ns())
        )),
    }
}

/// Says which regions were recorded, if only some were.
fn some_regions(facts: &PartFacts) -> Option<String> {
    let every = facts.every.as_ref()?;
    let nth = every.nth;
    let (Some(all), Some(recorded)) = (every.regions, every.recorded) else {
        return Some(format!(
            "Of the outermost parallel regions of each construct, one in {nth} was recorded (--every {nth}), with what \
             follows until the next region. All counts and times are of these."
        ));
    };
    if recorded == 0 {
        return Some(format!(
            "Of the outermost parallel regions of each construct, one in {nth} was to be recorded (--every {nth}), and \
             no construct had so many: {} in all.",
            several(all, "region")
        ));
    }
    Some(format!(
        "Of the outermost parallel regions of each construct, one in {nth} was recorded (--every {nth}), with what \
         follows until the next region: {} of {} regions. All counts and times are of these; the whole run had {:.1} \
         times as many regions.",
        count(recorded),
        count(all),
        all as f64 / recorded as f64
    ))
}

/// What a comparison of runs has to say about their parts; `None`: all of each run is compared.
pub fn note_on_parts(mut extents: impl Iterator<Item = Extent> + Clone) -> Option<String> {
    let first = extents.next()?;
    if let Some(other) = extents.find(|extent| *extent != first) {
        return Some(format!(
            "Different parts of the runs are compared: of one {}, of another {}. Their times and counts differ for \
             this reason, too.",
            first.words(),
            other.words()
        ));
    }
    first.is_part.then(|| format!("Times and counts are not of whole runs: of each, {}.", first.words()))
}

impl Extent {
    fn words(self) -> String {
        match self.nth {
            Some(nth) => format!("one in {nth} of each construct's regions was recorded (--every {nth})"),
            None if self.is_part => "only a part was recorded or chosen".to_owned(),
            None => "all was recorded".to_owned(),
        }
    }
}

/// Left out if the program has no spans.
pub fn spans(out: &mut String, facts: &Facts, style: &Style) {
    if facts.spans.is_empty() {
        return;
    }
    let mut table = aligned_table(&["span", "count", "wall", "share", "work inside", "share"], 1);
    for span in &facts.spans {
        table.add_row([
            printable(&span.name),
            count(span.count),
            time(span.wall_ns),
            percent(span.wall_ns, facts.wall_ns),
            time(span.work_ns),
            percent(span.work_ns, facts.work_ns),
        ]);
    }
    section(out, style, "Named spans: --span NAME reports on one of them alone", &table, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_says_which_parts_it_is_about() {
        let all = Extent::default();
        let stretch = Extent { is_part: true, nth: None };
        let tenth = Extent { is_part: true, nth: Some(10) };
        let note = |extents: &[Extent]| note_on_parts(extents.iter().copied());
        assert_eq!((note(&[]), note(&[all, all])), (None, None));
        for (extents, part) in [
            ([all, tenth], "of one all was recorded, of another one in 10"),
            ([tenth, tenth], "of each, one in 10"),
            ([stretch, all], "of one only a part was recorded"),
            ([stretch, stretch], "of each, only a part"),
        ] {
            let text = note(&extents).expect("a note");
            assert!(text.contains(part), "{text}");
        }
    }
}
