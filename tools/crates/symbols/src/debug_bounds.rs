// SPDX-License-Identifier: Apache-2.0
//! Limits the time and memory that reading an object's debug information may take.
//!
//! `addr2line` recurses once for each level of nested entries. It makes a row for each byte of a
//! unit's line program, and a path for each file in the header of the line program; units may share
//! both. Compilers stay far below these bounds, but a hostile object may exceed them.
//! [`is_bearable`] checks the object before `addr2line` reads it, and needs no memory itself.

use std::cell::Cell;

use addr2line::gimli::{
    self, AttributeValue, DebugLineOffset, EndianSlice, EntriesRaw, IncompleteLineProgram, Reader,
    RunTimeEndian, Section, Unit, UnitHeader,
};

pub type Slice<'a> = EndianSlice<'a, RunTimeEndian>;
pub type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;

/// Levels of entries (functions, blocks, inlined calls) in a unit.
const MAX_DEPTH: isize = 500;
/// The largest size of the directories and files before a unit's line program. Each byte can become
/// an entry.
const MAX_LINE_HEADER_BYTES: usize = 4 << 20;
/// The memory that the rows and paths of one unit may take.
const MAX_UNIT_LINE_BYTES: u64 = 128 << 20;
/// The memory that the rows and paths of all loaded units may take together.
pub const MAX_LINE_BYTES: u64 = 1 << 30;
/// Address, file, line and column.
const ROW_BYTES: u64 = 24;

/// Whether all units of `dwarf` are within the bounds; `room` is the memory that line tables may
/// still take. A damaged unit counts as empty, because `addr2line` does not read it either. A path
/// whose text cannot be read counts as beyond the bounds, because searching for its end costs as
/// much as a long path.
pub fn is_bearable(dwarf: &Dwarf, room: &Cell<u64>) -> bool {
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        if line_header_bytes(dwarf, &header).is_ok_and(|bytes| bytes > MAX_LINE_HEADER_BYTES) {
            return false;
        }
        let Ok(unit) = dwarf.unit(header) else { continue };
        let deep = unit.header.entries_raw(&unit.abbreviations, None).and_then(too_deep);
        let Some(left) = take_lines(dwarf, &unit, room.get()) else { return false };
        room.set(left);
        if deep == Ok(true) {
            return false;
        }
    }
    true
}

fn too_deep(mut entries: EntriesRaw<Slice>) -> gimli::Result<bool> {
    while !entries.is_empty() {
        if entries.next_depth() > MAX_DEPTH {
            return Ok(true);
        }
        if let Some(abbreviation) = entries.read_abbreviation()? {
            entries.skip_attributes(abbreviation.attributes())?;
        }
    }
    Ok(false)
}

/// The size of the header of the unit's line program: `Dwarf::unit` already reads all of it.
fn line_header_bytes(dwarf: &Dwarf, header: &UnitHeader<Slice>) -> gimli::Result<usize> {
    let abbreviations = dwarf.abbreviations(header)?;
    let mut entries = header.entries_raw(&abbreviations, None)?;
    let Some(root) = entries.read_abbreviation()? else { return Ok(0) };
    let mut largest = 0;
    for specification in root.attributes() {
        // If there are several attributes, the last counts, so a damaged attribute cannot hide
        // another.
        if let AttributeValue::DebugLineRef(offset) = entries.read_attribute(*specification)?.value() {
            largest = largest.max(header_length(dwarf, offset).unwrap_or(0));
        }
    }
    Ok(largest)
}

fn header_length(dwarf: &Dwarf, offset: DebugLineOffset) -> gimli::Result<usize> {
    let mut program = *dwarf.debug_line.reader();
    program.skip(offset.0)?;
    let (_, format) = program.read_initial_length()?;
    let version = program.read_u16()?;
    if version >= 5 {
        program.skip(2)?; // sizes of an address and of a segment selector
    }
    program.read_length(format)
}

/// The part of `room` that is left after the unit's rows and paths; `None`: they do not fit.
fn take_lines(dwarf: &Dwarf, unit: &Unit<Slice>, room: u64) -> Option<u64> {
    let Some(program) = &unit.line_program else { return Some(room) };
    let most = room.min(MAX_UNIT_LINE_BYTES);
    let left = take_paths(dwarf, unit, program, most).and_then(|left| take_rows(program, left))?;
    Some(room - (most - left))
}

fn take_paths(
    dwarf: &Dwarf,
    unit: &Unit<Slice>,
    program: &IncompleteLineProgram<Slice>,
    room: u64,
) -> Option<u64> {
    let header = program.header();
    let entries = size_of_val(header.file_names()) + size_of_val(header.include_directories());
    let mut left = room.checked_sub(entries as u64)?;
    for file in header.file_names() {
        let parts = [Some(file.path_name()), file.directory(header)].into_iter().flatten();
        for part in parts {
            left = left.checked_sub(dwarf.attr_string(unit, part).ok()?.len() as u64)?;
        }
        left = left.checked_sub(unit.comp_dir.map_or(0, |directory| directory.len()) as u64)?;
    }
    Some(left)
}

/// No instruction makes more than one row.
fn take_rows(program: &IncompleteLineProgram<Slice>, room: u64) -> Option<u64> {
    let header = program.header();
    let mut instructions = header.instructions();
    let mut left = room;
    while let Ok(Some(_)) = instructions.next_instruction(header) {
        left = left.checked_sub(ROW_BYTES)?;
    }
    Some(left)
}
