// SPDX-License-Identifier: Apache-2.0
//! Stretches of time in which no parallel region is open, and no device is in use.

use std::collections::HashMap;

use trace::layout::kind;

use crate::costs::Costs;
use crate::devices::WaitingThreads;
use crate::findings::subject::Subject;
use crate::findings::Finding;
use crate::row::none_last;
use crate::tables::GrainKind;
use crate::ticks::Ticks;
use crate::typical::Typical;
use crate::units::{count, percent, time};
use crate::PlaceRow;

pub(crate) const SERIAL_PART: &str = "serial-part";

#[derive(Default)]
pub(crate) struct Stretch {
    times: u64,
    /// The longest of them.
    longest: (Ticks, Ticks),
    /// Without what was taken from the program.
    lengths: Typical,
    /// For how long the program slept in them, in ns, and in how many.
    pub slept: f64,
    pub sleeps: u64,
}

impl Stretch {
    /// All of them; where there are many, those that were disturbed count as the others.
    fn length(&self) -> f64 {
        self.lengths.all()
    }
}

/// Of the regions before and after.
pub(crate) type Places = (Option<PlaceRow>, Option<PlaceRow>);

/// Where another runtime is in the process, its regions may lie in these stretches, and nobody
/// knows.
pub(crate) fn serial_part(subject: &Subject) -> Vec<Finding> {
    if !subject.profile.meta.other_runtimes.is_empty() {
        return Vec::new();
    }
    let workers = f64::from(subject.budget.workers);
    let threads = subject.at_once(workers);
    let stretches = stretches(subject);
    let finding = |((before, after), stretch): (Places, Stretch)| {
        let gain = stretch.length() * (1.0 - 1.0 / threads);
        Finding {
            rule: SERIAL_PART,
            title: format!(
                "{} without a parallel region{}, {}",
                time(stretch.length()),
                if subject.profile.device_constructs.is_empty() { "" } else { " or a construct on a device" },
                whereabouts(subject, before, after)
            ),
            place: after.or(before),
            region: None,
            when: Some(stretch.longest),
            lost_ns: stretch.length() * (workers - 1.0),
            gain_ns: gain,
            evidence: vec![
                format!("{} of the wall time", percent(stretch.length(), subject.wall)),
                match stretch.times {
                    1 => format!("one stretch of {}", time(stretch.length())),
                    times => {
                        format!("{} stretches of {}", count(times), time(stretch.length() / times as f64))
                    }
                },
            ],
            remedy: remedy(subject, (before, after), stretch.length()),
            estimate: format!("the same work divided among {threads:.0} threads"),
        }
    };
    stretches.into_iter().map(finding).collect()
}

/// Says how to find out which functions run there, where the evidence does not name them: samples
/// do, but for what a thread does before its first use of OpenMP.
fn remedy(subject: &Subject, (before, after): Places, length: f64) -> String {
    let meta = &subject.profile.meta;
    let unsampled = if before.is_none() { meta.met_cpu_ns.saturating_sub(meta.start_cpu_ns) } else { 0 };
    let is_before_samples = unsampled as f64 > length / 2.0;
    let is_python = meta.command.program_name().starts_with("python");
    let mut text = advice((before, after), is_python).to_owned();
    if is_before_samples {
        text.push_str(" An ordinary profiler, such as perf, names the functions that run there");
    } else if subject.profile.samples.period_ns == 0 {
        text.push_str(" `teff record --sample` names the functions that run there");
    } else {
        return text;
    }
    if before.is_none() && is_python {
        text.push_str(", and `python -X importtime` lists the imports");
    }
    text.push('.');
    if is_before_samples {
        text.push_str(" (`teff record --sample` begins with the first use of OpenMP.)");
    }
    text
}

/// Imports and the end of the interpreter are nobody's loops.
fn advice((before, after): Places, is_python: bool) -> &'static str {
    match (before, after) {
        (None, Some(_)) if is_python => {
            "What runs before the first region of a Python program is often imports, which threads do not shorten: \
             import less, or later. Parallelise the rest."
        }
        (Some(_), None) if is_python => {
            "What runs after the last region of a Python program is often the end of the interpreter, which threads do \
             not shorten. Parallelise the rest."
        }
        _ => "Parallelise this work; the part that stays serial limits the speed-up on any number of threads.",
    }
}

pub(crate) fn whereabouts(subject: &Subject, before: Option<PlaceRow>, after: Option<PlaceRow>) -> String {
    let name = |place: PlaceRow| subject.names.place(Some(place));
    let is_part = subject.profile.is_part();
    let on_devices = !subject.profile.device_constructs.is_empty();
    let what = if on_devices { "construct" } else { "region" };
    let of = if is_part { " of this part" } else { "" };
    match (before, after) {
        (None, None) if !subject.profile.regions.is_empty() => "beside regions at unknown places".to_owned(),
        (None, None) if is_part => "as this part of the run has none".to_owned(),
        (None, None) => "as the program has none".to_owned(),
        (None, Some(after)) => format!("before the first {what}{of}, the one at {}", name(after)),
        (Some(before), None) => format!("after the last {what}{of}, the one at {}", name(before)),
        (Some(before), Some(after)) if before == after => format!("between two {what}s at {}", name(after)),
        (Some(before), Some(after)) => {
            format!("between the {what}s at {} and {}", name(before), name(after))
        }
    }
}

pub(crate) fn stretches(subject: &Subject) -> Vec<(Places, Stretch)> {
    let profile = subject.profile;
    let regions = profile.regions.iter().filter(|region| region.level <= 1);
    let regions = regions.map(|region| (region.begin, region.end, region.place));
    let on_devices = profile.device_constructs.iter();
    let on_devices = on_devices.map(|construct| (construct.had, construct.ended, construct.place));
    let mut outermost: Vec<_> = regions.chain(on_devices).collect();
    outermost.sort_by_key(|&(begin, ..)| begin);
    let mut found: HashMap<Places, Stretch> = HashMap::new();
    let foreign = foreign(subject);
    // The records of the region before: of its last wait, and of its implicit task.
    let costs = Costs::of(&subject.profile.meta);
    let stored = costs.after(kind::WAIT) + costs.after(kind::RUN);
    let (mut end, mut before) = (Ticks::ZERO, None);
    let mut add = |begin: Ticks, end: Ticks, places: Places| {
        if end > begin {
            let stretch = found.entry(places).or_default();
            stretch.times += 1;
            let (first, last) = stretch.longest;
            if end - begin > last - first {
                stretch.longest = (begin, end);
            }
            let first = foreign.partition_point(|piece| piece.0 < begin);
            let within = || foreign[first..].iter().take_while(|piece| piece.0 < end);
            let slept: Ticks = within().map(|piece| piece.2).sum();
            let foreign: Ticks = within().map(|piece| piece.1).sum();
            stretch.slept += subject.ns(slept.min(end - begin));
            stretch.sleeps += u64::from(slept > Ticks::ZERO);
            let stored = if places.0.is_none() { Ticks::ZERO } else { stored };
            stretch.lengths.add(subject.ns((end - begin) - foreign - stored));
        }
    };
    for (begin, until, place) in outermost {
        add(end, begin, (before, place));
        end = end.max(until);
        before = place;
    }
    add(end, profile.wall, (before, None));
    let mut rows: Vec<_> = found.into_iter().collect();
    rows.sort_unstable_by_key(|&((before, after), _)| (none_last(before), none_last(after)));
    rows
}

/// What was taken from initial tasks, for the recorder or where they had no processor: from when,
/// in order, how much, and how much of it they slept. Nobody can parallelise that. What they slept
/// for devices lies elsewhere.
fn foreign(subject: &Subject) -> Vec<(Ticks, Ticks, Ticks)> {
    let profile = subject.profile;
    let fragments = &profile.fragments;
    let of_initial = |&row: &usize| profile.grains.kind[fragments.grain[row]] == GrainKind::Initial;
    let taken =
        |row: usize| (fragments.end(row as u32) - fragments.start(row as u32)) - fragments.net(row as u32);
    let rows = (0..fragments.grain.len()).filter(of_initial).filter(|&row| fragments.taken(row as u32) > 0.0);
    let for_devices = WaitingThreads::of(profile);
    let piece = |row: usize| {
        let (fragment, elsewhere) = (row as u32, for_devices.slept_in(profile, row as u32));
        let taken = taken(row);
        (fragments.start(fragment), taken - elsewhere.min(taken), fragments.slept(fragment) - elsewhere)
    };
    let mut pieces: Vec<_> = rows.map(piece).collect();
    pieces.sort_unstable();
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_and_the_end_of_python_are_not_to_be_parallelised() {
        let place = Some(PlaceRow::new(0));
        assert!(advice((None, place), true).contains("is often imports, which threads do not shorten"));
        assert!(advice((place, None), true).contains("is often the end of the interpreter"));
        for (places, is_python) in
            [((None, place), false), ((place, None), false), ((place, place), true), ((None, None), true)]
        {
            assert!(advice(places, is_python).starts_with("Parallelise this work"));
        }
    }
}
