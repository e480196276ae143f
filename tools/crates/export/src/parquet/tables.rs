// SPDX-License-Identifier: Apache-2.0
//! The tables and their columns.

use std::io::Result;

use grains::characterise::{Count, GrainCounts};
use grains::devices::name_of_construct;
use grains::summary::SiteKind;
use grains::{flag, GrainRow, Grains, PlaceRow, Profile, Ticks};
use symbols::sites::{Row, Sites};
use symbols::Symbols;
use trace::layout::schedule;

use super::table::Table;
use crate::metrics::Metrics;
use crate::names;

/// Calls `put` with one table after the other.
pub fn write(
    profile: &Profile,
    symbols: &Symbols,
    metrics: Option<&Metrics>,
    counts: Option<&GrainCounts>,
    mut put: impl FnMut(Table) -> Result<()>,
) -> Result<()> {
    let from =
        Source { profile, places: Places::of(profile, symbols), command: profile.meta.command.to_string() };
    put(from.run())?;
    {
        let sites = Sites::of(profile, symbols);
        put(from.sites(&sites.rows))?;
        put(from.grains(&sites.of_grain))?;
    }
    put(from.fragments())?;
    put(from.regions())?;
    put(from.loops())?;
    put(from.waits())?;
    put(from.locks())?;
    put(from.dependences())?;
    put(from.doacross())?;
    metrics.map_or(Ok(()), |metrics| put(from.metrics(metrics)))?;
    counts.map_or(Ok(()), |counts| put(from.counts(counts)))?;
    if !profile.counters.is_empty() {
        put(from.counters())?;
    }
    put(from.idle())?;
    if profile.device_constructs.is_empty() {
        return Ok(());
    }
    put(from.device_constructs())
}

/// Texts of all places, and of an unknown place.
struct Places(Vec<(String, u32, String)>);

impl Places {
    fn of(profile: &Profile, symbols: &Symbols) -> Self {
        let rows = profile.places.places.rows().map(Some).chain([None]);
        Self(
            rows.map(|place| {
                let symbol = symbols.of(place);
                (symbol.file, symbol.line, symbol.function)
            })
            .collect(),
        )
    }

    fn of_row(&self, place: Option<PlaceRow>) -> &(String, u32, String) {
        &self.0[place.map_or(self.0.len() - 1, PlaceRow::at)]
    }
}

struct Source<'a> {
    profile: &'a Profile,
    places: Places,
    command: String,
}

impl<'a> Source<'a> {
    /// Rounded. In a damaged recording, times may have any value.
    fn ns(&self, ticks: Ticks) -> i64 {
        self.profile.ns(ticks).round() as i64
    }

    fn device_constructs(&'a self) -> Table<'a> {
        let constructs = &self.profile.device_constructs;
        let place = move |row: usize| self.places.of_row(constructs[row].place);
        let begin = move |row: usize| self.ns(constructs[row].began);
        Table::new("device_constructs", constructs.len())
            .u32("device", |row| constructs[row].device)
            .text("kind", |row| name_of_construct(constructs[row].construct))
            .maybe_u32("grain", |row| constructs[row].task.map(GrainRow::number))
            .text("file", move |row| &place(row).0)
            .u32("line", move |row| place(row).1)
            .text("function", move |row| &place(row).2)
            .bool("nowait", |row| constructs[row].is_deferred)
            .maybe_u32("other_device", |row| constructs[row].other_device(constructs))
            .u64("bytes_to", |row| constructs[row].bytes_to)
            .u64("bytes_from", |row| constructs[row].bytes_from)
            .i64("ready_ns", |row| self.ns(constructs[row].ready))
            .i64("wait_ns", |row| self.ns(constructs[row].had - constructs[row].ready))
            .i64("prepare_ns", |row| self.ns(constructs[row].sent - constructs[row].had))
            .i64("transfer_ns", |row| self.ns(constructs[row].moving()))
            .maybe_i64("run_begin_ns", move |row| constructs[row].ran().then(|| begin(row)))
            .i64("run_ns", |row| self.ns(constructs[row].running()))
            .i64("end_ns", |row| self.ns(constructs[row].ended))
    }

    fn run(&'a self) -> Table<'a> {
        let profile = self.profile;
        Table::new("run", 1)
            .text("command", |_| &*self.command)
            .text("host", |_| &profile.meta.host)
            .text("runtime", |_| &profile.meta.runtime)
            .u64("pid", |_| profile.meta.pid)
            .u64("start_unix_ns", |_| profile.meta.start_unix_ns)
            .bool("complete", |_| profile.complete)
            .bool("modelled", |_| profile.meta.modelled.is_some())
            .u32("workers", |_| profile.workers)
            .u32("processors", |_| profile.meta.processors)
            .maybe_u32("devices", |_| profile.meta.devices)
            .maybe_u32("device", |_| profile.meta.device)
            .i64("wall_ns", |_| self.ns(profile.wall))
            .i64("work_ns", |_| self.ns(profile.work))
            .i64("span_ns", |_| self.ns(profile.span))
            .i64("span_any_schedule_ns", |_| self.ns(profile.span_any_schedule))
            .u64("lost_records", |_| profile.lost_records)
    }

    fn sites(&'a self, rows: &'a [Row]) -> Table<'a> {
        let sum = move |row: usize, of: fn(&Row) -> Ticks| self.ns(of(&rows[row]));
        Table::new("sites", rows.len())
            .u32("site", |row| row as u32)
            .text("kind", |row| rows[row].total.kind.name())
            .text("file", |row| &rows[row].symbol.file)
            .u32("line", |row| rows[row].symbol.line)
            .text("function", |row| &rows[row].symbol.function)
            .u64("count", |row| rows[row].total.count)
            .i64("work_ns", move |row| sum(row, |row| row.total.work))
            .i64("creation_ns", move |row| sum(row, |row| row.total.creation))
            .i64("wait_ns", move |row| sum(row, |row| row.total.wait))
            .u64("critical", |row| rows[row].total.critical)
            .u64("low_benefit", |row| rows[row].total.low_benefit)
    }

    fn grains(&'a self, sites: &'a grains::Column<Grains, u32>) -> Table<'a> {
        let (profile, grains) = (self.profile, &self.profile.grains);
        let has = move |row: usize, bit| grains.has(GrainRow::new(row), bit);
        let chunk = move |row: usize| profile.chunk(GrainRow::new(row));
        Table::new("grains", grains.len())
            .u32("grain", |row| row as u32)
            .maybe_u32("parent", |row| grains.parent[GrainRow::new(row)].map(GrainRow::number))
            .text("kind", |row| SiteKind::of_grain(grains.kind[GrainRow::new(row)]).name())
            .u32("site", |row| sites[GrainRow::new(row)])
            .u32("worker", |row| grains.worker[GrainRow::new(row)].into())
            .i64("create_ns", |row| self.ns(grains.create(GrainRow::new(row))))
            .i64("start_ns", |row| self.ns(grains.start.of(GrainRow::new(row))))
            .i64("end_ns", |row| self.ns(grains.end.of(GrainRow::new(row))))
            .i64("work_ns", |row| self.ns(grains.work.of(GrainRow::new(row))))
            .i64("creation_ns", |row| self.ns(grains.creation.of(GrainRow::new(row))))
            .i64("wait_ns", |row| self.ns(grains.wait.of(GrainRow::new(row))))
            .maybe_i64("memory_stall_ns", |row| {
                grains.memory_stall_of(GrainRow::new(row)).map(|stall| self.ns(stall))
            })
            .maybe_f32("parallel_benefit", |row| {
                Some(grains.benefit[GrainRow::new(row)]).filter(|value| !value.is_nan())
            })
            .bool("critical", move |row| has(row, flag::CRITICAL))
            .bool("stolen", move |row| has(row, flag::STOLEN))
            .bool("inline", move |row| has(row, flag::INLINE))
            .bool("unfinished", move |row| has(row, flag::UNFINISHED))
            .bool("cancelled", move |row| has(row, flag::CANCELLED))
            .maybe_i64("priority", |row| grains.priority.get(row).map(|&priority| priority.into()))
            .maybe_u32("region", |row| {
                profile.member_of.of(Some(GrainRow::new(row)))?.map(grains::Row::number)
            })
            .maybe_u32("joined_by", |row| profile.joined_by.get(row)?.map(grains::Row::number))
            .maybe_u32("loop", move |row| chunk(row).map(|chunk| chunk.loop_row.number()))
            .maybe_i64("first_iteration", move |row| chunk(row).map(|chunk| chunk.first))
            .maybe_u64("iterations", move |row| chunk(row).map(|chunk| chunk.iterations))
    }

    fn metrics(&'a self, metrics: &'a Metrics<'a>) -> Table<'a> {
        let columns = &metrics.columns;
        let known = |value: f32| Some(value).filter(|value| value.is_finite());
        let at = GrainRow::new;
        Table::new("metrics", self.profile.grains.len())
            .u32("grain", |row| row as u32)
            .u64("identity", move |row| metrics.identities.grain(at(row)))
            .maybe_f32("load_balance", move |row| known(columns.load_balance[at(row)]))
            .maybe_f32("work_deviation", move |row| known(columns.deviation(at(row))))
            .maybe_f32("instantaneous_parallelism", move |row| known(columns.exact.least[at(row)]))
            .maybe_f32("mean_parallelism", move |row| known(columns.exact.mean[at(row)]))
            .maybe_f32("optimistic_parallelism", move |row| known(columns.optimistic[at(row)]))
            .maybe_f32("conservative_parallelism", move |row| known(columns.conservative[at(row)]))
            .maybe_f32("scatter", move |row| known(columns.scatter[at(row)]))
            .maybe_i64("slack_ns", move |row| columns.slack[at(row)].map(|slack| self.ns(slack)))
            .text("problems", move |row| metrics.problems(at(row)))
    }

    /// What the grains executed and accessed. A grain that was not counted has empty fields.
    fn counts(&'a self, counts: &'a GrainCounts) -> Table<'a> {
        let of = move |row, pick: fn(&Count) -> u64| counts.of_grain(GrainRow::new(row)).map(pick);
        let bytes =
            move |row| of(row, |count| count.lines).map(|lines| lines.saturating_mul(counts.line_bytes));
        Table::new("counts", self.profile.grains.len())
            .u32("grain", |row| row as u32)
            .maybe_u64("instructions", move |row| of(row, |count| count.instructions))
            .maybe_u64("reads", move |row| of(row, |count| count.reads))
            .maybe_u64("writes", move |row| of(row, |count| count.writes))
            .maybe_u64("stack_reads", move |row| of(row, |count| count.stack_reads))
            .maybe_u64("stack_writes", move |row| of(row, |count| count.stack_writes))
            .maybe_u64("footprint_bytes", bytes)
    }

    /// What the kernel and the processor counted in the grains.
    fn counters(&'a self) -> Table<'a> {
        let counters = &self.profile.counters;
        let table = Table::new("counters", self.profile.grains.len()).u32("grain", |row| row as u32);
        let names = counters.names.iter().enumerate();
        let table = names.fold(table, |table, (counter, name)| {
            table.maybe_u64(name, move |row| counters.of_grain(counter, GrainRow::new(row)))
        });
        let Some(memory) = counters.memory_hierarchy() else { return table };
        table.maybe_f32("memory_hierarchy_utilisation", move |row| {
            let ratio = memory.of(|counter| counters.of_grain(counter, GrainRow::new(row)));
            Some(ratio as f32).filter(|ratio| ratio.is_finite())
        })
    }

    fn fragments(&'a self) -> Table<'a> {
        let (profile, fragments) = (self.profile, &self.profile.fragments);
        Table::new("fragments", fragments.grain.len())
            .u32("grain", |row| fragments.grain[row].number())
            .i64("start_ns", |row| self.ns(fragments.start(row as u32)))
            .i64("end_ns", |row| self.ns(fragments.end(row as u32)))
            .i64("work_ns", |row| self.ns(fragments.net(row as u32)))
            .maybe_u32("processor", |row| {
                profile.cores.of_fragment(&profile.grains, fragments, row as u32).map(u32::from)
            })
    }

    fn place(&'a self, table: Table<'a>, place: impl Fn(usize) -> Option<PlaceRow> + Copy + 'a) -> Table<'a> {
        table
            .text("file", move |row| &self.places.of_row(place(row)).0)
            .u32("line", move |row| self.places.of_row(place(row)).1)
            .text("function", move |row| &self.places.of_row(place(row)).2)
    }

    fn regions(&'a self) -> Table<'a> {
        let rows = self.profile.regions.as_slice();
        let table = Table::new("regions", rows.len()).u32("region", |row| row as u32);
        self.place(table, |row| rows[row].place)
            .u32("grain", |row| rows[row].parent.map_or(grains::NONE, GrainRow::number))
            .i64("start_ns", |row| self.ns(rows[row].begin))
            .i64("end_ns", |row| self.ns(rows[row].end))
            .u32("threads", |row| rows[row].threads)
            .u32("threads_requested", |row| rows[row].requested)
            .u32("level", |row| rows[row].level)
    }

    fn loops(&'a self) -> Table<'a> {
        let rows = self.profile.loops.as_slice();
        let table = Table::new("loops", rows.len()).u32("loop", |row| row as u32);
        self.place(table, |row| rows[row].place)
            .i64("start_ns", |row| self.ns(rows[row].begin))
            .text("schedule", |row| schedule_name(rows[row].flags))
            .bool("ordered", |row| rows[row].flags & schedule::ORDERED != 0)
            .u32("threads", |row| rows[row].threads)
            .i64("lower_bound", |row| rows[row].lb)
            .i64("upper_bound", |row| rows[row].ub)
            .i64("step", |row| rows[row].step)
            .maybe_i64("chunk_size", |row| Some(rows[row].chunk).filter(|&chunk| chunk != 0))
    }

    fn waits(&'a self) -> Table<'a> {
        let (profile, rows) = (self.profile, self.profile.waits.as_slice());
        let table = Table::new("waits", rows.len()).u32("wait", |row| row as u32);
        self.place(table.u32("grain", |row| rows[row].task.number()), |row| rows[row].place)
            .text("kind", |row| names::of_wait(rows[row].kind))
            .u32("worker", |row| rows[row].worker.into())
            .i64("start_ns", |row| self.ns(rows[row].begin))
            .i64("end_ns", |row| self.ns(rows[row].end))
            .i64("lost_ns", |row| self.ns(rows[row].lost))
            .u32("departures", |row| rows[row].departures.into())
            .maybe_u32("barrier", |row| profile.barrier_of.get(row)?.map(grains::Row::number))
    }

    fn locks(&'a self) -> Table<'a> {
        let rows = &self.profile.locks;
        let table = Table::new("locks", rows.len()).u32("grain", |row| rows[row].task.number());
        self.place(table, |row| rows[row].place)
            .text("kind", |row| names::of_lock(rows[row].kind))
            .u64("address", |row| rows[row].address)
            .u32("worker", |row| rows[row].worker.into())
            .i64("waited_ns", |row| self.ns(rows[row].waited))
            .i64("start_ns", |row| self.ns(rows[row].had))
            .i64("end_ns", |row| self.ns(rows[row].released()))
    }

    fn dependences(&'a self) -> Table<'a> {
        let profile = self.profile;
        Table::new("dependences", profile.edges.len())
            .u32("predecessor", |row| profile.edges[row].0.number())
            .u32("successor", |row| profile.edges[row].1.number())
            .maybe_u64("address", |row| profile.edge_addresses.get(row).copied())
    }

    fn doacross(&'a self) -> Table<'a> {
        let rows = self.profile.doacross.as_slice();
        Table::new("doacross", rows.len())
            .u32("grain", |row| rows[row].task.number())
            .u32("loop", |row| rows[row].loop_row.number())
            .u64("iteration", |row| rows[row].iteration)
            .bool("sink", |row| rows[row].sink)
            .i64("at_ns", |row| self.ns(rows[row].when))
            .i64("waited_ns", |row| self.ns(rows[row].waited))
    }

    fn idle(&'a self) -> Table<'a> {
        let rows = &self.profile.idles;
        Table::new("idle", rows.len())
            .u32("worker", |row| rows[row].worker.into())
            .i64("start_ns", |row| self.ns(rows[row].start))
            .i64("end_ns", |row| self.ns(rows[row].end))
            .maybe_u32("woken_by", |row| rows[row].woken.map(|woken| woken.by.into()))
            .maybe_i64("woken_ns", |row| rows[row].woken.map(|woken| self.ns(woken.at)))
    }
}

fn schedule_name(flags: u8) -> &'static str {
    match flags & schedule::MASK {
        schedule::STATIC => "static",
        schedule::DYNAMIC => "dynamic",
        schedule::GUIDED => "guided",
        schedule::SECTIONS => "sections",
        _ => "unknown",
    }
}
