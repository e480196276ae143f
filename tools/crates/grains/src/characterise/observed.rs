// SPDX-License-Identifier: Apache-2.0
//! The properties of one recording.

use std::collections::HashMap;

use crate::characterise::{Count, Counts, Property};
use crate::metrics::median;
use crate::tables::{flag, GrainKind, GrainRow, ItemKind};
use crate::Profile;

/// What one recording says. The grains of the study are its explicit tasks and chunks; the implicit
/// tasks, where it has neither.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Observed {
    pub tasks: f64,
    /// Median over joins: how many of them each waits for.
    pub join_degree: f64,
    pub span_ns: f64,
    pub work_ns: f64,
    /// With a file of counts of grains; what threads outside of OpenMP did is no grain's.
    pub counted: Option<Counted>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Counted {
    /// Medians over the grains of the study.
    pub instructions: f64,
    pub reads: f64,
    pub writes: f64,
    pub stack_reads: f64,
    pub stack_writes: f64,
    pub footprint_bytes: f64,
    /// On the critical path, and of all grains.
    pub span_instructions: f64,
    pub all_instructions: f64,
    /// Counts of which the recording has the grain, of all.
    pub matched: f64,
}

impl Observed {
    pub fn of(profile: &Profile, counts: Option<&Counts>) -> Self {
        let grains = &profile.grains;
        let number = |kinds: &[GrainKind]| {
            let ran = grains.rows().filter(|&row| grains.flags[row] & flag::CANCELLED == 0);
            ran.filter(|&row| kinds.contains(&grains.kind[row])).count()
        };
        let studied = number(&[GrainKind::Task, GrainKind::Chunk]);
        let tasks = if studied > 0 { studied } else { number(&[GrainKind::Implicit]) };
        Self {
            tasks: tasks as f64,
            join_degree: join_degree(profile),
            span_ns: profile.ns(profile.span_any_schedule),
            work_ns: profile.ns(profile.work),
            counted: counts
                .map(Counts::of_grains)
                .filter(|counts| !counts.rows.is_empty())
                .map(|counts| Counted::of(profile, &counts)),
        }
    }

    /// `in_instructions`: of the two lengths; else in ns.
    pub fn value(&self, property: Property, in_instructions: bool) -> Option<f64> {
        let of = |pick: fn(&Counted) -> f64| self.counted.as_ref().map(pick);
        match property {
            Property::Tasks => Some(self.tasks),
            Property::JoinDegree => Some(self.join_degree),
            Property::CriticalPath if in_instructions => of(|counted| counted.span_instructions),
            Property::SequentialWork if in_instructions => of(|counted| counted.all_instructions),
            Property::CriticalPath => Some(self.span_ns),
            Property::SequentialWork => Some(self.work_ns),
            Property::Instructions => of(|counted| counted.instructions),
            Property::Footprint => of(|counted| counted.footprint_bytes),
            Property::MemoryReads => of(|counted| counted.reads),
            Property::MemoryWrites => of(|counted| counted.writes),
            Property::StackReads => of(|counted| counted.stack_reads),
            Property::StackWrites => of(|counted| counted.stack_writes),
        }
    }
}

/// The number of explicit tasks that one wait, or the end of a region, joined; or the number of
/// chunks of a loop. If there is neither: the number of threads of a region.
fn join_degree(profile: &Profile) -> f64 {
    let mut joined: HashMap<(u8, u32), u32> = HashMap::new();
    let by_wait = profile.joined_by.iter().flatten().map(|wait| (0, wait.number()));
    let by_region = profile.left_to_region.iter().map(|&(_, region)| (1, region.number()));
    let by_loop = profile.chunks.iter().map(|chunk| (2, chunk.loop_row.number()));
    for join in by_wait.chain(by_region).chain(by_loop) {
        *joined.entry(join).or_default() += 1;
    }
    let mut degrees: Vec<f64> = joined.into_values().map(f64::from).collect();
    if degrees.is_empty() {
        degrees = profile.regions.iter().map(|region| f64::from(region.threads)).collect();
    }
    if degrees.is_empty() {
        return 0.0;
    }
    median(&mut degrees)
}

impl Counted {
    fn of(profile: &Profile, counts: &Counts) -> Self {
        let is_studied = |kinds: &[u32]| -> Vec<&Count> {
            counts.rows.iter().filter(|row| kinds.contains(&row.kind)).collect()
        };
        let mut studied = is_studied(&[Count::EXPLICIT, Count::CHUNK]);
        if studied.is_empty() {
            studied = is_studied(&[Count::IMPLICIT]);
        }
        if studied.is_empty() {
            studied = counts.rows.iter().collect();
        }
        let middle = |pick: fn(&Count) -> u64| {
            median(&mut studied.iter().map(|row| pick(row) as f64).collect::<Vec<_>>())
        };
        let grains = counts.grains(profile);
        let found = grains.iter().flatten().count();
        Self {
            instructions: middle(|row| row.instructions),
            reads: middle(|row| row.reads),
            writes: middle(|row| row.writes),
            stack_reads: middle(|row| row.stack_reads),
            stack_writes: middle(|row| row.stack_writes),
            footprint_bytes: middle(|row| row.lines) * counts.line_bytes as f64,
            span_instructions: on_critical_path(profile, counts, &grains),
            all_instructions: counts.rows.iter().map(|row| row.instructions as f64).sum(),
            matched: found as f64 / grains.len() as f64,
        }
    }
}

/// Each grain's instructions, by how much of its work lies on the path.
fn on_critical_path(profile: &Profile, counts: &Counts, grains: &[Option<GrainRow>]) -> f64 {
    let share = |grain: GrainRow| {
        let on_path = profile.items.of(grain).filter(|&item| {
            profile.items.kind[item] == ItemKind::Fragment && profile.items.is_critical(item)
        });
        let ticks: u64 = on_path.map(|item| profile.fragments.net(profile.items.row[item]).0).sum();
        let work = profile.grains.work.of(grain).0;
        (ticks as f64 / work.max(1) as f64).min(1.0)
    };
    let counted = grains.iter().zip(&counts.rows).filter_map(|(grain, row)| Some(((*grain)?, row)));
    counted.map(|(grain, row)| row.instructions as f64 * share(grain)).sum()
}
