// SPDX-License-Identifier: Apache-2.0
//! One row for each grain, with all metrics. docs/formats/metrics.md defines the columns.

use std::io::{Result, Write};

use grains::characterise::{Count, GrainCounts};
use grains::summary::SiteKind;
use grains::{flag, ChunkInfo, GrainRow, PlaceRow, Row};
use symbols::Symbols;
use terminal::printable;

use crate::metrics::Metrics;

const COLUMNS: &str = "grain,parent,kind,identity,file,line,function,worker,first_iteration,iterations,create_ns,\
                       start_ns,end_ns,work_ns,creation_ns,wait_ns,critical,stolen,inline,unfinished,cancelled,\
                       parallel_benefit,load_balance,work_deviation,instantaneous_parallelism,\
                       mean_parallelism,optimistic_parallelism,conservative_parallelism,scatter,slack_ns,problems";

/// Behind these columns, if the program counted its instructions. Then come the recorder's
/// counters.
const COUNTED: &str = ",instructions,reads,writes,stack_reads,stack_writes,footprint_bytes,intensity";

pub fn write(
    out: &mut dyn Write,
    symbols: &Symbols,
    metrics: Option<&Metrics>,
    counts: Option<&GrainCounts>,
) -> Result<()> {
    let Some(metrics) = metrics else { return Ok(()) };
    let profile = metrics.profile;
    write!(out, "{COLUMNS}{}", counts.map_or("", |_| COUNTED))?;
    let counters = &profile.counters;
    for name in &counters.names {
        write!(out, ",{}", quoted(name))?;
    }
    let memory = counters.memory_hierarchy();
    writeln!(out, "{}", memory.map_or("", |_| ",memory_hierarchy_utilisation"))?;
    let places = profile.places.places.rows().map(Some).chain([None]);
    let names: Vec<String> = places.map(|place| place_of(symbols, place)).collect();
    for row in profile.grains.rows() {
        let place = profile.grains.place[row].map_or(names.len() - 1, Row::at);
        metrics.put(out, row, &names[place])?;
        counts.map_or(Ok(()), |counts| put_counts(out, counts, row))?;
        for counter in 0..counters.names.len() {
            match counters.of_grain(counter, row) {
                Some(value) => write!(out, ",{value}")?,
                None => write!(out, ",")?,
            }
        }
        if let Some(memory) = memory {
            match memory.of(|counter| counters.of_grain(counter, row)) {
                ratio if ratio.is_finite() => write!(out, ",{ratio}")?,
                _ => write!(out, ",")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

pub fn place_of(symbols: &Symbols, place: Option<PlaceRow>) -> String {
    let symbol = symbols.of(place);
    format!("{},{},{}", quoted(&symbol.file), symbol.line, quoted(&symbol.function))
}

/// Quoted as RFC 4180 requires, without anything that a terminal obeys.
fn quoted(text: &str) -> String {
    let text = printable(text);
    if text.contains([',', '"']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

impl Metrics<'_> {
    fn put(&self, out: &mut dyn Write, row: GrainRow, place: &str) -> Result<()> {
        let profile = self.profile;
        let grains = &profile.grains;
        let kind = SiteKind::of_grain(grains.kind[row]).name();
        write!(out, "{},", row.number())?;
        if let Some(parent) = grains.parent[row] {
            write!(out, "{}", parent.number())?;
        }
        write!(out, ",{kind},{:016x},{place},{}", self.identities.grain(row), grains.worker[row])?;
        match profile.chunk(row) {
            Some(&ChunkInfo { first, iterations, .. }) => write!(out, ",{first},{iterations}")?,
            None => write!(out, ",,")?,
        }
        let instants = [grains.create(row), grains.start.of(row), grains.end.of(row)];
        let lengths = [&grains.work, &grains.creation, &grains.wait].map(|column| column.of(row));
        for ticks in instants.into_iter().chain(lengths) {
            write!(out, ",{}", profile.ns(ticks).round())?;
        }
        for bit in [flag::CRITICAL, flag::STOLEN, flag::INLINE, flag::UNFINISHED, flag::CANCELLED] {
            write!(out, ",{}", u8::from(grains.has(row, bit)))?;
        }
        let columns = &self.columns;
        for value in [
            grains.benefit[row],
            columns.load_balance[row],
            columns.deviation(row),
            columns.exact.least[row],
            columns.exact.mean[row],
            columns.optimistic[row],
            columns.conservative[row],
            columns.scatter[row],
        ] {
            if value.is_finite() {
                write!(out, ",{value}")?;
            } else {
                write!(out, ",")?;
            }
        }
        match columns.slack[row] {
            Some(slack) => write!(out, ",{}", profile.ns(slack).round())?,
            None => write!(out, ",")?,
        }
        write!(out, ",{}", self.problems(row))
    }
}

/// A grain without counts has empty fields.
fn put_counts(out: &mut dyn Write, counts: &GrainCounts, row: GrainRow) -> Result<()> {
    let Some(count) = counts.of_grain(row) else { return write!(out, ",,,,,,,") };
    let Count { instructions, reads, writes, stack_reads, stack_writes, lines, .. } = count;
    write!(out, ",{instructions},{reads},{writes},{stack_reads},{stack_writes}")?;
    write!(out, ",{},", lines.saturating_mul(counts.line_bytes))?;
    match count.intensity() {
        intensity if intensity.is_finite() => write!(out, "{intensity}"),
        _ => Ok(()),
    }
}
