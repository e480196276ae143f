// SPDX-License-Identifier: Apache-2.0
//! All that a report says, as data: the JSON form is this, the text form is made of it.

use grains::summary::{self, SiteKind};
use grains::{Profile, Ticks};
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
    pub workers: u32,
    /// Usable by the process.
    pub processors: u32,
    pub grains: Grains,
    /// Time the workers reported as idle.
    pub idle_ns: f64,
    /// Time at synchronisation points, less what the workers ran meanwhile.
    pub wait_ns: f64,
    /// Cost of creating tasks, and book-keeping of chunks.
    pub creation_ns: f64,
    /// By falling work.
    pub sites: Vec<Site>,
    pub notes: Vec<String>,
}

#[derive(Serialize)]
pub struct Grains {
    pub total: u64,
    pub tasks: u64,
    pub implicit: u64,
    pub initial: u64,
    pub chunks: u64,
    pub unfinished: u64,
    pub stolen: u64,
    /// Undeferred or included: they ran on top of their creator.
    pub inline: u64,
    pub low_benefit: u64,
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
        let sites = summary::sites(profile).sites;
        let of_grains =
            |site: &&summary::Site| !matches!(site.kind, SiteKind::Loop | SiteKind::Region | SiteKind::Sync);
        Self {
            command: profile.meta.command.join(" "),
            complete: profile.complete,
            wall_ns: profile.ns(profile.wall),
            work_ns: profile.ns(profile.work),
            span_ns: profile.ns(profile.span),
            parallelism: profile.parallelism(),
            workers: profile.workers,
            processors: profile.meta.processors,
            grains: count(profile),
            idle_ns: profile.ns(idle),
            wait_ns: sum(&profile.grains.wait),
            creation_ns: sum(&profile.grains.creation),
            sites: sites.iter().filter(of_grains).map(|site| site_facts(profile, symbols, site)).collect(),
            notes: summary::notes(profile),
        }
    }
}

fn count(profile: &Profile) -> Grains {
    let counts = summary::counts(&profile.grains);
    Grains {
        total: profile.grains.len() as u64,
        tasks: counts.tasks,
        implicit: counts.implicit,
        initial: counts.initial,
        chunks: counts.chunks,
        unfinished: counts.unfinished,
        stolen: counts.stolen,
        inline: counts.inline,
        low_benefit: counts.low_benefit,
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
