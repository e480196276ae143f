// SPDX-License-Identifier: Apache-2.0
//! The sums of a stream without reading the stream: the newest chunk begins with the sums of all
//! records before it, and the records of this one chunk are added.

use crate::layout::{thread, CHUNK_BYTES};
use crate::order::{is_chunk, order, ring_places, sequence, version, FIRST_IN_ANY_ORDER};
use crate::record::{Record, Thread};
use crate::stream::StreamReader;
use crate::sums::Sums;
use crate::ticks::Stamp;
use crate::{Error, StreamFile};

/// What the recorder has summed of one stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct StreamSums {
    pub sums: Sums,
    /// Whether the stream's beginning is gone, as in a ring. Then the sums are those of the rest.
    pub lacks_first: bool,
    /// The recorder's work so far, in ticks (THREAD).
    pub recorder: u64,
    pub lost_records: u64,
    /// CPU time of the stream's thread so far (THREAD), and whether the kernel tells when it is off
    /// its processor.
    pub cpu_ns: u64,
    pub tells_off: bool,
    /// The latest instant of a record.
    pub last: Stamp,
}

impl StreamSums {
    /// Reads one or two chunks. `None`: the stream has no sums, as an earlier runtime wrote it.
    pub fn of(file: &StreamFile) -> Result<Option<Self>, Error> {
        let bytes = file.bytes();
        let Some(newest) = newest(bytes) else { return Ok(Some(Self::default())) };
        if version(bytes, newest) < FIRST_IN_ANY_ORDER {
            return Ok(None);
        }
        let Some(mut all) = Self::up_to(file.reader_of_chunk(newest), sequence(bytes, newest) == 0)? else {
            return Ok(None);
        };
        if ring_places(bytes, newest) > 0 {
            let order = order(bytes).filter(|order| order.first > 0);
            if let Some(oldest) = order.and_then(|order| order.begins.last().copied()) {
                let before = sums_before(file.reader_of_chunk(oldest))?;
                let Some(before) = before else { return Ok(None) };
                all.sums = all.sums.minus(before);
                all.lacks_first = true;
            }
        }
        Ok(Some(all))
    }

    /// `is_first`: the chunk is the stream's first, before which there is nothing.
    fn up_to(chunk: StreamReader, is_first: bool) -> Result<Option<Self>, Error> {
        let mut all = Self::default();
        let mut has_sums = is_first;
        let mut before = u64::MAX;
        for entry in chunk {
            let entry = entry?;
            if let Record::Sums { fields } = entry.record {
                (all.sums, has_sums) = (Sums::read(fields), true);
            } else {
                all.sums.add(entry.stamp, &entry.record, entry.offset == before);
            }
            before = entry.offset;
            all.last = all.last.max(entry.stamp);
            match entry.record {
                Record::Thread(Thread { cpu_ns, recorder_ticks, flags, .. }) => {
                    (all.cpu_ns, all.recorder) = (cpu_ns, recorder_ticks);
                    all.tells_off |= flags & thread::TOLD != 0;
                }
                Record::Lost { records } => all.lost_records = records,
                _ => {}
            }
        }
        Ok(has_sums.then_some(all))
    }
}

/// The sums that a chunk begins with.
fn sums_before(chunk: StreamReader) -> Result<Option<Sums>, Error> {
    for entry in chunk {
        if let Record::Sums { fields } = entry?.record {
            return Ok(Some(Sums::read(fields)));
        }
    }
    Ok(None)
}

/// Where the newest chunk begins. The stream fills one of the two buffers, which are the file's
/// first places; so no other place is looked at.
fn newest(bytes: &[u8]) -> Option<usize> {
    let buffers = [0, CHUNK_BYTES].into_iter().filter(|&at| is_chunk(bytes, at));
    buffers.max_by_key(|&at| sequence(bytes, at))
}
