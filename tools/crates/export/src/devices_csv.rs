// SPDX-License-Identifier: Apache-2.0
//! One row for each construct on a device. docs/formats/exports.md defines the columns.

use std::io::{Result, Write};

use grains::devices::name_of_construct;
use grains::{Profile, Row, Ticks};
use symbols::Symbols;

use crate::csv::place_of;

const COLUMNS: &str =
    "device,kind,grain,file,line,function,nowait,other_device,bytes_to,bytes_from,ready_ns,wait_ns,\
                       prepare_ns,transfer_ns,run_begin_ns,run_ns,end_ns";

pub fn write(out: &mut dyn Write, profile: &Profile, symbols: &Symbols) -> Result<()> {
    writeln!(out, "{COLUMNS}")?;
    let all = &profile.device_constructs;
    let ns = |ticks: Ticks| profile.ns(ticks).round() as i64;
    let or_empty = |number: Option<u32>| number.map_or(String::new(), |number| number.to_string());
    for construct in all {
        write!(
            out,
            "{},{},{},{},{},{},",
            construct.device,
            name_of_construct(construct.construct),
            or_empty(construct.task.map(Row::number)),
            place_of(symbols, construct.place),
            u8::from(construct.is_deferred),
            or_empty(construct.other_device(all))
        )?;
        write!(out, "{},{},", construct.bytes_to, construct.bytes_from)?;
        let lengths = [construct.ready, construct.had - construct.ready, construct.sent - construct.had];
        for time in lengths.into_iter().chain([construct.moving()]) {
            write!(out, "{},", ns(time))?;
        }
        if construct.ran() {
            write!(out, "{}", ns(construct.began))?;
        }
        writeln!(out, ",{},{}", ns(construct.running()), ns(construct.ended))?;
    }
    Ok(())
}
