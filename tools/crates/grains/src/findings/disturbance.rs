// SPDX-License-Identifier: Apache-2.0
//! What the run had beside the program: the recorder's work, and processors that were lost to other
//! processes, or to another thread of the program while a processor was free. Gains and their
//! shares are of a run without both.

use crate::budget::{mean_disturbance, Budget, Class, Disturbed, HeldUp, Sums};
use crate::findings::finding::{Finding, DESCHEDULED};
use crate::tables::Item;
use crate::ticks::Ticks;
use crate::{GrainKind, Profile};

/// Times of all workers together, in ns.
pub struct Disturbance {
    pub recorder_ns: f64,
    /// Threads had work, and others than the recorder had their processors.
    pub others_ns: f64,
    /// The part in which another thread of the program had them.
    pub shared_ns: f64,
    /// Threads had work, and threads of the recorder had their processors.
    to_recorder_ns: f64,
    /// Threads had work and no processor, for whatever reason.
    descheduled_ns: f64,
}

impl Disturbance {
    pub fn of(profile: &Profile, budget: &Budget) -> Self {
        let descheduled = profile.ns(budget.total.of(Class::Descheduled));
        let slept = profile.ns(profile.descheduled.slept).min(descheduled);
        let to_recorder = profile.ns(profile.descheduled.to_recorder).min(descheduled - slept);
        // More threads than processors take these from each other.
        let own = budget.workers > profile.meta.processors && had_processors(profile);
        let others_ns = if own { 0.0 } else { descheduled - slept - to_recorder };
        Self {
            recorder_ns: profile.ns(budget.total.of(Class::Recorder)) + to_recorder,
            others_ns,
            shared_ns: profile.ns(profile.descheduled.shared).min(others_ns),
            to_recorder_ns: to_recorder,
            descheduled_ns: descheduled,
        }
    }

    /// The part of this that fell into regions.
    pub fn in_regions(profile: &Profile, budget: &Budget) -> Self {
        let sum = |class| budget.regions.iter().map(|sums| profile.ns(sums.of(class))).sum::<f64>();
        let descheduled = profile.ns(budget.total.of(Class::Descheduled)).max(1.0);
        let whole = Self::of(profile, budget);
        let part = sum(Class::Descheduled) / descheduled;
        Self {
            recorder_ns: sum(Class::Recorder),
            others_ns: whole.others_ns * part,
            shared_ns: whole.shared_ns * part,
            to_recorder_ns: whole.to_recorder_ns * part,
            descheduled_ns: sum(Class::Descheduled),
        }
    }

    /// The wall time of a run without the recorder and with the lost processors, in ns.
    pub fn undisturbed_wall(&self, profile: &Profile, budget: &Budget) -> f64 {
        let [recorder, others] = self.of_wall(profile, budget);
        (profile.ns(budget.wall) - recorder - others).max(0.0)
    }

    /// What of the wall time the recorder took, and what others did, in ns. Where regions are open
    /// at the same time, one of them may have gone on while the other was held up, so each worker's
    /// disturbance counts as its share of the run.
    pub fn of_wall(&self, profile: &Profile, budget: &Budget) -> [f64; 2] {
        let outermost = profile.regions.iter().filter(|region| region.level <= 1);
        let open: Ticks = outermost.map(|region| region.end - region.begin).sum();
        let beside = open > budget.wall;
        let longer = |held_up: &HeldUp, sums: &Sums, is_inner: bool| {
            if beside || is_inner {
                mean_disturbance(sums, budget.workers)
            } else {
                held_up.longer(sums, budget.workers)
            }
        };
        let mut taken = self.parts(longer(&budget.held_up_outside, &budget.outside, false), profile);
        for ((region, held_up), sums) in profile.regions.iter().zip(&budget.held_up).zip(&budget.regions) {
            let more = self.parts(longer(held_up, sums, region.level > 1), profile);
            taken = [taken[0] + more[0], taken[1] + more[1]];
        }
        taken
    }

    /// What the recorder and others took of the time by which they made something longer, in ns.
    /// The rest of it is the program's own: it slept, or has more threads than processors.
    fn parts(&self, longer: Disturbed, profile: &Profile) -> [f64; 2] {
        let of_off = profile.ns(longer.off) / self.descheduled_ns.max(f64::MIN_POSITIVE);
        let of_off = if longer.off == Ticks::ZERO { 0.0 } else { of_off };
        [profile.ns(longer.recorder) + of_off * self.to_recorder_ns, of_off * self.others_ns]
    }

    pub fn walls(&self, profile: &Profile, budget: &Budget) -> Walls {
        Walls { whole: profile.ns(budget.wall), undisturbed: self.undisturbed_wall(profile, budget) }
    }
}

/// What gains are parts of, in ns.
pub struct Walls {
    /// The run as it was.
    whole: f64,
    /// Without the recorder and with the lost processors.
    pub undisturbed: f64,
}

impl Walls {
    /// The wall time that the finding's gain is a part of. A run with the lost processors has
    /// nothing of what they cost, so this is a part of the run as it was.
    pub fn of(&self, finding: &Finding) -> f64 {
        if finding.rule == DESCHEDULED {
            self.whole
        } else {
            self.undisturbed
        }
    }

    /// The gain as a share of that time.
    pub fn gain_share(&self, finding: &Finding) -> f64 {
        match self.of(finding) {
            wall if wall > 0.0 => finding.gain_ns / wall,
            _ => 0.0,
        }
    }
}

/// The share of the processors' time in regions: a program that used this share had the processors
/// to itself.
const USED: f64 = 0.7;

/// Whether the program itself used its processors while regions were open. Else they were idle, or
/// other programs had them, and its own threads did not keep each other from running.
pub fn had_processors(profile: &Profile) -> bool {
    let open = open(profile);
    let length: f64 = open.iter().map(|&(begin, end)| profile.ns(end - begin)).sum();
    let used = profile.cpu_ns.map_or(profile.ns(profile.work), |ns| ns as f64) - serial(profile, &open);
    used.max(0.0) >= USED * length * f64::from(profile.meta.processors)
}

/// From when to when some region was open, in order.
fn open(profile: &Profile) -> Vec<(Ticks, Ticks)> {
    let outermost = profile.regions.iter().filter(|region| region.level <= 1);
    let mut lengths: Vec<_> = outermost.map(|region| (region.begin, region.end)).collect();
    lengths.sort_unstable();
    let mut open: Vec<(Ticks, Ticks)> = Vec::new();
    for (begin, end) in lengths {
        match open.last_mut() {
            Some(last) if begin <= last.1 => last.1 = last.1.max(end),
            _ => open.push((begin, end)),
        }
    }
    open
}

/// What initial tasks worked while no region was open. If a program has several, others may have
/// had regions meanwhile.
fn serial(profile: &Profile, open: &[(Ticks, Ticks)]) -> f64 {
    let (grains, fragments) = (&profile.grains, &profile.fragments);
    let initial = grains.task_rows().filter(|&row| grains.kind[row] == GrainKind::Initial);
    let pieces =
        initial.flat_map(|row| profile.items.of(row)).filter_map(|item| match profile.items.at(item) {
            Item::Fragment(row) => Some(row),
            _ => None,
        });
    let outside = |row: u32| {
        let (begin, end) = (fragments.start(row), fragments.end(row));
        let first = open.partition_point(|region| region.1 <= begin);
        let overlapping = open[first..].iter().take_while(|region| region.0 < end);
        let inside: f64 = overlapping.map(|region| profile.ns(end.min(region.1) - begin.max(region.0))).sum();
        match profile.ns(end - begin) {
            length if length > 0.0 => profile.ns(fragments.net(row)) * (1.0 - inside / length),
            _ => 0.0,
        }
    };
    pieces.map(outside).sum()
}
