// SPDX-License-Identifier: Apache-2.0
//! Stretches of time in which no parallel region is open.

use std::collections::HashMap;

use trace::layout::kind;

use crate::costs::Costs;
use crate::findings::subject::Subject;
use crate::findings::Finding;
use crate::row::none_last;
use crate::tables::GrainKind;
use crate::ticks::Ticks;
use crate::typical::Typical;
use crate::units::{count, percent, time};
use crate::PlaceRow;

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
            rule: "serial-part",
            title: format!(
                "{} without a parallel region, {}",
                time(stretch.length()),
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
            remedy: remedy(subject, before, stretch.length()),
            estimate: format!("the same work divided among {threads:.0} threads"),
        }
    };
    stretches.into_iter().map(finding).collect()
}

/// Says how to find out which functions run there, where the evidence does not name them: samples
/// do, but for what a thread does before its first use of OpenMP.
fn remedy(subject: &Subject, before: Option<PlaceRow>, length: f64) -> String {
    let meta = &subject.profile.meta;
    let unsampled = if before.is_none() { meta.met_cpu_ns.saturating_sub(meta.start_cpu_ns) } else { 0 };
    let is_before_samples = unsampled as f64 > length / 2.0;
    let mut text = String::from(
        "Parallelise this work; the part that stays serial limits the speed-up on any number of threads.",
    );
    if is_before_samples {
        text.push_str(" An ordinary profiler, such as perf, names the functions that run there");
    } else if subject.profile.samples.period_ns == 0 {
        text.push_str(" `teff record --sample` names the functions that run there");
    } else {
        return text;
    }
    if before.is_none() && meta.command.program_name().starts_with("python") {
        text.push_str(", and `python -X importtime` lists the imports");
    }
    text.push('.');
    if is_before_samples {
        text.push_str(" (`teff record --sample` begins with the first use of OpenMP.)");
    }
    text
}

pub(crate) fn whereabouts(subject: &Subject, before: Option<PlaceRow>, after: Option<PlaceRow>) -> String {
    let name = |place: PlaceRow| subject.names.place(Some(place));
    let is_part = subject.profile.is_part();
    let of = if is_part { " of this part" } else { "" };
    match (before, after) {
        (None, None) if !subject.profile.regions.is_empty() => "beside regions at unknown places".to_owned(),
        (None, None) if is_part => "as this part of the run has none".to_owned(),
        (None, None) => "as the program has none".to_owned(),
        (None, Some(after)) => format!("before the first one{of}, at {}", name(after)),
        (Some(before), None) => format!("after the last one{of}, at {}", name(before)),
        (Some(before), Some(after)) if before == after => format!("between two at {}", name(after)),
        (Some(before), Some(after)) => format!("between those at {} and {}", name(before), name(after)),
    }
}

pub(crate) fn stretches(subject: &Subject) -> Vec<(Places, Stretch)> {
    let profile = subject.profile;
    let mut outermost: Vec<_> = profile.regions.iter().filter(|region| region.level <= 1).collect();
    outermost.sort_by_key(|region| region.begin);
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
    for region in outermost {
        add(end, region.begin, (before, region.place));
        end = end.max(region.end);
        before = region.place;
    }
    add(end, profile.wall, (before, None));
    let mut rows: Vec<_> = found.into_iter().collect();
    rows.sort_unstable_by_key(|&((before, after), _)| (none_last(before), none_last(after)));
    rows
}

/// What was taken from initial tasks, for the recorder or where they had no processor: from when,
/// in order, how much, and how much of it they slept. Nobody can parallelise that.
fn foreign(subject: &Subject) -> Vec<(Ticks, Ticks, Ticks)> {
    let profile = subject.profile;
    let fragments = &profile.fragments;
    let of_initial = |&row: &usize| profile.grains.kind[fragments.grain[row]] == GrainKind::Initial;
    let taken =
        |row: usize| (fragments.end(row as u32) - fragments.start(row as u32)) - fragments.net(row as u32);
    let rows = (0..fragments.grain.len()).filter(of_initial).filter(|&row| fragments.taken(row as u32) > 0.0);
    let mut pieces: Vec<_> =
        rows.map(|row| (fragments.start(row as u32), taken(row), fragments.slept(row as u32))).collect();
    pieces.sort_unstable();
    pieces
}
