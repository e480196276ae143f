// SPDX-License-Identifier: Apache-2.0
//! Finds which worker ended each sleep of an idle worker: the records of the waker and of the
//! sleeper name the sleep by its number.

use crate::load::StreamEvents;
use crate::tables::{Idle, Woken};
use crate::ticks::{Ticks, MOST_SKEW};

/// `idles` are those of the streams, in their order.
pub(crate) fn tell(idles: &mut [Idle], streams: &[StreamEvents]) {
    let sleeps = streams.iter().flat_map(|stream| &stream.idles).map(|idle| idle.record.1);
    let mut known: Vec<(u16, u32, Ticks, u32)> = (0..)
        .zip(idles.iter().zip(sleeps))
        .filter(|&(_, (_, sleep))| sleep != 0)
        .map(|(row, (idle, sleep))| (idle.worker, sleep, idle.end, row))
        .collect();
    known.sort_unstable();
    for stream in streams {
        for wake in &stream.wakes {
            let Ok(sleeper) = u16::try_from(wake.record.sleeper) else { continue };
            // A number comes again, in the end; the processors' clocks may be some ticks apart.
            let earliest = Ticks(wake.at.0.saturating_sub(MOST_SKEW.0));
            let at = known.partition_point(|&(worker, sleep, end, _)| {
                (worker, sleep, end) < (sleeper, wake.record.sleep, earliest)
            });
            let Some(&(worker, sleep, _, row)) = known.get(at) else { continue };
            if (worker, sleep) == (sleeper, wake.record.sleep) {
                let idle = &mut idles[row as usize];
                let at = wake.at.clamp(idle.start, idle.end);
                idle.woken = Some(Woken { by: stream.stream, at, cause: wake.record.cause });
            }
        }
    }
}
