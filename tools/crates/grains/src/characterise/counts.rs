// SPDX-License-Identifier: Apache-2.0
//! A file of counts, which libteff-instructions.so writes beside a recording.
//! docs/formats/counts.md defines the format. The file is untrusted input: contents that are not
//! understood are refused or left out.

use std::collections::HashMap;

use trace::TaskId;

use crate::tables::GrainRow;
use crate::Profile;

const MAGIC: u64 = 0x3154_434e_4646_4554;
const VERSION: u32 = 1;
const BYTES: usize = 64;

/// What one grain has executed and accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// For a chunk: that of its implicit task.
    pub task: u64,
    /// For a chunk: its number among those of that task, from 1; else 0.
    pub chunk: u32,
    pub kind: u32,
    pub instructions: u64,
    pub reads: u64,
    pub writes: u64,
    pub stack_reads: u64,
    pub stack_writes: u64,
    /// Distinct cache lines, outside of the stack.
    pub lines: u64,
}

impl Count {
    pub const OUTSIDE: u32 = 0;
    pub const INITIAL: u32 = 1;
    pub const IMPLICIT: u32 = 2;
    pub const EXPLICIT: u32 = 3;
    pub const CHUNK: u32 = 4;
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    pub rows: Vec<Count>,
    pub line_bytes: u64,
}

impl Counts {
    /// The error is what is wrong with it. A last record that is cut is left out.
    pub fn parse(bytes: &[u8]) -> Result<Self, &'static str> {
        let header = bytes.get(..BYTES).ok_or("it is cut within its header")?;
        if u64_at(header, 0) != MAGIC {
            return Err("it does not begin as one");
        }
        if u32_at(header, 8) != VERSION {
            return Err("it is of another version");
        }
        let rows = bytes[BYTES..].chunks_exact(BYTES).map(Self::row).collect();
        Ok(Self { rows, line_bytes: u64::from(u32_at(header, 16)) })
    }

    fn row(record: &[u8]) -> Count {
        Count {
            task: u64_at(record, 0),
            chunk: u32_at(record, 8),
            kind: u32_at(record, 12),
            instructions: u64_at(record, 16),
            reads: u64_at(record, 24),
            writes: u64_at(record, 32),
            stack_reads: u64_at(record, 40),
            stack_writes: u64_at(record, 48),
            lines: u64_at(record, 56),
        }
    }

    /// Without those of threads that no OpenMP runtime told of.
    #[must_use]
    pub fn of_grains(&self) -> Self {
        let rows = self.rows.iter().filter(|row| row.kind != Count::OUTSIDE);
        Self { rows: rows.copied().collect(), line_bytes: self.line_bytes }
    }

    /// The grain of each count; `None`: the recording has none.
    pub fn grains(&self, profile: &Profile) -> Vec<Option<GrainRow>> {
        let chunks = self.rows.iter().any(|row| row.chunk != 0);
        let chunk_rows = if chunks { chunk_rows(profile) } else { HashMap::new() };
        let find = |row: &Count| {
            let task = profile.task_row(TaskId(row.task))?;
            match row.chunk {
                0 => Some(task),
                number => chunk_rows.get(&(task, number)).copied(),
            }
        };
        self.rows.iter().map(find).collect()
    }
}

/// By their implicit task, and their number there.
fn chunk_rows(profile: &Profile) -> HashMap<(GrainRow, u32), GrainRow> {
    let grains = &profile.grains;
    let mut rows: Vec<GrainRow> = profile.chunks.rows().map(|chunk| grains.of_chunk(chunk)).collect();
    rows.sort_by_key(|&row| (grains.parent[row], grains.start.of(row)));
    let mut found = HashMap::with_capacity(rows.len());
    let (mut of, mut number) = (None, 0);
    for row in rows {
        let Some(parent) = grains.parent[row] else { continue };
        number = if of == Some(parent) { number + 1 } else { 1 };
        of = Some(parent);
        found.insert((parent, number), row);
    }
    found
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].try_into().map_or(0, u64::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].try_into().map_or(0, u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn file(rows: &[[u64; 8]]) -> Vec<u8> {
        let mut bytes = MAGIC.to_le_bytes().to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(7u32.to_le_bytes());
        bytes.extend(64u32.to_le_bytes());
        bytes.resize(BYTES, 0);
        bytes.extend(rows.iter().flatten().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    #[test]
    fn what_is_written_is_read() {
        let read = Counts::parse(&file(&[[9, 4 << 32 | 2, 100, 30, 20, 10, 5, 3]])).unwrap();
        let row = Count {
            task: 9,
            chunk: 2,
            kind: Count::CHUNK,
            instructions: 100,
            reads: 30,
            writes: 20,
            stack_reads: 10,
            stack_writes: 5,
            lines: 3,
        };
        assert_eq!((read.rows, read.line_bytes), (vec![row], 64));
    }

    #[test]
    fn a_file_that_is_cut_has_its_whole_records_and_others_are_refused() {
        let mut bytes = file(&[[1; 8], [2; 8]]);
        bytes.truncate(BYTES * 3 - 1);
        assert_eq!(Counts::parse(&bytes).unwrap().rows.len(), 1);
        assert!(Counts::parse(&bytes[..BYTES - 1]).is_err());
        bytes[8] = 2;
        assert!(Counts::parse(&bytes).unwrap_err().contains("version"));
        bytes[0] = 0;
        assert!(Counts::parse(&bytes).is_err());
    }
}
