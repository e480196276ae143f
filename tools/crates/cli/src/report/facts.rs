// SPDX-License-Identifier: Apache-2.0
//! All that a report says, as data: the JSON form is this, the text form is made of it.

use std::collections::hash_map::{Entry, HashMap};

use grains::summary::{self, SiteKind};
use grains::{priorities, GrainKind, Profile, Ticks};
use serde::Serialize;

use crate::symbols::Symbols;

/// Times are in nanoseconds.
#[derive(Serialize)]
pub struct Facts {
    pub command: String,
    pub complete: bool,
    /// From the start of the recording to its end.
    pub wall_ns: f64,
    /// Time in the program's own code, summed over all grains.
    pub work_ns: f64,
    /// Work on the longest path.
    pub span_ns: f64,
    /// work / span
    pub parallelism: f64,
    /// Time during which some thread of the program was in an outermost parallel region.
    pub regions_ns: f64,
    /// Work done in parallel regions: that of all grains but the initial tasks.
    pub regions_work_ns: f64,
    pub workers: u32,
    /// Usable by the process.
    pub processors: u32,
    pub grains: Grains,
    /// Cost of creating tasks, and book-keeping of chunks.
    pub creation_ns: f64,
    /// Time that the workers lost to waits: they ran no task meanwhile.
    pub wait_ns: f64,
    /// What is left of the workers' time (`wall_ns` x `workers`): they were in no task, or not
    /// started yet.
    pub no_task_ns: f64,
    /// Time the workers slept for want of a task, in waits or in no task.
    pub idle_ns: f64,
    /// By falling work.
    pub sites: Vec<Site>,
    /// By falling priority. Empty where priorities did not matter: no task had one above 0, and
    /// none was preempted.
    pub priorities: Vec<Priority>,
    pub notes: Vec<String>,
}

#[derive(Serialize)]
pub struct Grains {
    /// All that were created: also the discarded.
    pub total: u64,
    pub tasks: u64,
    /// Tasks that were created and, by cancellation, never ran.
    pub discarded: u64,
    pub implicit: u64,
    pub initial: u64,
    pub chunks: u64,
    pub unfinished: u64,
    pub stolen: u64,
    /// Undeferred or included: they ran on top of their creator.
    pub inline: u64,
    pub low_benefit: u64,
}

/// The explicit tasks of one priority: how long they were ready before they ran, and how often they
/// were preempted, and left their stack to others in a wait, afterwards.
#[derive(Serialize)]
pub struct Priority {
    pub priority: i32,
    pub tasks: u64,
    pub mean_ns: f64,
    pub median_ns: f64,
    pub p90_ns: f64,
    pub p99_ns: f64,
    pub preempted: u64,
    pub suspended: u64,
}

/// The grains of one construct.
#[derive(Serialize)]
pub struct Site {
    pub file: String,
    pub line: u32,
    pub function: String,
    pub kind: &'static str,
    pub count: u64,
    pub work_ns: f64,
    pub mean_ns: f64,
    pub creation_ns: f64,
    pub critical: u64,
    /// Grains whose parallel benefit is below 1, and those that have one at all.
    pub low_benefit: u64,
    pub with_benefit: u64,
    /// `null` where no grain has a parallel benefit.
    pub worst_benefit: Option<f32>,
}

impl Facts {
    pub fn of(profile: &Profile, symbols: &Symbols) -> Self {
        let sum = |column: &[Ticks]| profile.ns(column.iter().copied().sum());
        let idle: Ticks = profile.idles.iter().map(|idle| idle.end - idle.start).sum();
        let wall_ns = profile.ns(profile.wall);
        let work_ns = profile.ns(profile.work);
        let wait_ns = sum(&profile.grains.wait);
        let creation_ns = sum(&profile.grains.creation);
        let accounted = work_ns + wait_ns + creation_ns;
        let outermost = profile.regions.iter().filter(|region| region.level <= 1);
        let regions = union_length(outermost.map(|region| (region.begin, region.end)).collect());
        Self {
            command: profile.meta.command.to_string(),
            complete: profile.complete,
            wall_ns,
            work_ns,
            span_ns: profile.ns(profile.span),
            parallelism: profile.parallelism(),
            regions_ns: profile.ns(regions),
            regions_work_ns: work_ns - profile.ns(initial_work(profile)),
            workers: profile.workers,
            processors: profile.meta.processors,
            grains: count(profile),
            creation_ns,
            wait_ns,
            idle_ns: profile.ns(idle),
            no_task_ns: (wall_ns * f64::from(profile.workers) - accounted).max(0.0),
            sites: sites(profile, symbols),
            priorities: priorities::priorities(profile)
                .iter()
                .map(|row| priority_facts(profile, row))
                .collect(),
            notes: symbols.notes(profile),
        }
    }
}

fn count(profile: &Profile) -> Grains {
    let counts = summary::counts(&profile.grains);
    Grains {
        total: profile.grains.len() as u64,
        tasks: counts.tasks,
        discarded: counts.discarded,
        implicit: counts.implicit,
        initial: counts.initial,
        chunks: counts.chunks,
        unfinished: counts.unfinished,
        stolen: counts.stolen,
        inline: counts.inline,
        low_benefit: counts.low_benefit,
    }
}

/// How much time the (begin, end) cover, together.
fn union_length(mut intervals: Vec<(Ticks, Ticks)>) -> Ticks {
    intervals.sort();
    let (mut length, mut covered) = (Ticks::ZERO, Ticks::ZERO);
    for (begin, end) in intervals {
        length += end - begin.max(covered);
        covered = covered.max(end);
    }
    length
}

fn initial_work(profile: &Profile) -> Ticks {
    let grains = &profile.grains;
    let initial = (0..grains.tasks).filter(|&row| grains.kind[row] == GrainKind::Initial);
    initial.map(|row| grains.work[row]).sum()
}

/// The sites of grains by falling work, one for each construct: a compiler that unrolls a loop
/// gives a construct in it several addresses.
fn sites(profile: &Profile, symbols: &Symbols) -> Vec<Site> {
    let mut out: Vec<Site> = Vec::new();
    let mut rows: HashMap<(String, u32, String, &str), usize> = HashMap::new();
    for site in summary::sites(profile).sites {
        if matches!(site.kind, SiteKind::Loop | SiteKind::Region | SiteKind::Sync) || site.count == 0 {
            continue;
        }
        let site = site_facts(profile, symbols, &site);
        if site.line == 0 {
            out.push(site);
            continue;
        }
        let construct = (site.file.clone(), site.line, site.function.clone(), site.kind);
        match rows.entry(construct) {
            Entry::Occupied(row) => out[*row.get()].add(&site),
            Entry::Vacant(row) => {
                row.insert(out.len());
                out.push(site);
            }
        }
    }
    out.sort_by(|a, b| b.work_ns.total_cmp(&a.work_ns));
    out
}

impl Site {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.work_ns += other.work_ns;
        self.mean_ns = self.work_ns / self.count.max(1) as f64;
        self.creation_ns += other.creation_ns;
        self.critical += other.critical;
        self.low_benefit += other.low_benefit;
        self.with_benefit += other.with_benefit;
        let worst = self.worst_benefit.into_iter().chain(other.worst_benefit);
        self.worst_benefit = worst.reduce(f32::min);
    }
}

fn site_facts(profile: &Profile, symbols: &Symbols, site: &summary::Site) -> Site {
    let symbol = symbols.of_site(site);
    let work_ns = profile.ns(site.work);
    Site {
        file: symbol.file,
        line: symbol.line,
        function: symbol.function,
        kind: site.kind.name(),
        count: site.count,
        work_ns,
        mean_ns: work_ns / site.count.max(1) as f64,
        creation_ns: profile.ns(site.creation),
        critical: site.critical,
        low_benefit: site.low_benefit,
        with_benefit: site.with_benefit,
        worst_benefit: (site.with_benefit > 0).then_some(site.worst_benefit),
    }
}

fn priority_facts(profile: &Profile, row: &priorities::Priority) -> Priority {
    let percentile = |percent| profile.ns(row.percentile(percent));
    Priority {
        priority: row.priority,
        tasks: row.delays.len() as u64,
        mean_ns: profile.ns(row.mean()),
        median_ns: percentile(50),
        p90_ns: percentile(90),
        p99_ns: percentile(99),
        preempted: row.preempted,
        suspended: row.suspended,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(count: u64, work_ns: f64, worst_benefit: Option<f32>) -> Site {
        Site {
            file: "sort.c".to_owned(),
            line: 142,
            function: "sort".to_owned(),
            kind: "task",
            count,
            work_ns,
            mean_ns: work_ns / count as f64,
            creation_ns: 1.0,
            critical: 1,
            low_benefit: 1,
            with_benefit: 2,
            worst_benefit,
        }
    }

    #[test]
    fn time_that_several_threads_share_counts_once() {
        let ticks = |intervals: &[(u64, u64)]| intervals.iter().map(|&(a, b)| (Ticks(a), Ticks(b))).collect();
        assert_eq!(union_length(ticks(&[])), Ticks::ZERO);
        assert_eq!(union_length(ticks(&[(30, 40), (5, 10)])), Ticks(15));
        assert_eq!(union_length(ticks(&[(0, 10), (2, 5), (8, 12), (12, 20), (30, 31)])), Ticks(21));
    }

    #[test]
    fn addresses_of_one_construct_add_up() {
        let mut sum = site(3, 900.0, None);
        sum.add(&site(1, 300.0, Some(0.5)));
        sum.add(&site(1, 300.0, Some(0.25)));
        assert_eq!((sum.count, sum.work_ns, sum.mean_ns), (5, 1500.0, 300.0));
        assert_eq!((sum.creation_ns, sum.critical, sum.low_benefit, sum.with_benefit), (3.0, 3, 3, 6));
        assert_eq!(sum.worst_benefit, Some(0.25));
    }
}
