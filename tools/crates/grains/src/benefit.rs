// SPDX-License-Identifier: Apache-2.0
//! Parallel benefit: whether it pays to run a grain beside its parent.

use crate::path::Longest;
use crate::row::Column;
use crate::tables::{flag, DeviceInfo, GrainKind, GrainRow, Grains, WaitInfo};

/// Below this a grain is said to have low benefit: it costs its parent more than it takes off it.
pub const LOW: f32 = 1.0;

/// Fills [`Grains::benefit`] and the flag for low benefit.
///
/// Parallel benefit (a ratio; grains thesis, section 5.4.2) is work / parallelisation cost, where
/// the cost is
/// - of a task: its creation cost + the mean time that its parent spent at the join which took it,
///   per sibling joined there (what the worker lost to the wait, divided by the number
///   of direct children it joined);
/// - of a chunk: the book-keeping before it.
///
/// The thesis names execution time where this says work, which is the part of it that the grain
/// itself is the cause of. Grains without a known cost have none (NaN): implicit and initial tasks,
/// unfinished and cancelled ones, cost 0. Nor have constructs with nowait, whose work is the
/// device's.
pub(crate) fn derive(
    grains: &mut Grains,
    waits: &Column<WaitInfo>,
    longest: &Longest,
    constructs: &[DeviceInfo],
) {
    let sync_share = |task: GrainRow| {
        let wait = longest.joined_by[task].filter(|_| longest.joined_by_parent.has(task.at()));
        wait.map_or(0.0, |wait| waits[wait].lost.0 as f32 / longest.joined_at[wait].max(1) as f32)
    };
    grains.benefit = grains.rows().map(|row| of(grains, sync_share, row)).collect();
    for construct in constructs.iter().filter(|construct| construct.is_deferred) {
        if let Some(benefit) = grains.benefit.of_mut(construct.task) {
            *benefit = f32::NAN;
        }
    }
    for row in grains.rows() {
        if grains.benefit[row] < LOW {
            grains.flags[row] |= flag::LOW_BENEFIT;
        }
    }
}

/// `sync_share`: the mean time that the parent of a task spent at the join that took it, per
/// sibling joined there. In ticks.
fn of(grains: &Grains, sync_share: impl Fn(GrainRow) -> f32, row: GrainRow) -> f32 {
    let cost = match grains.kind[row] {
        GrainKind::Implicit | GrainKind::Initial => return f32::NAN,
        GrainKind::Task => grains.creation.of(row).0 as f32 + sync_share(row),
        GrainKind::Chunk => grains.creation.of(row).0 as f32,
    };
    if cost <= 0.0 || grains.has(row, flag::UNFINISHED | flag::CANCELLED) {
        return f32::NAN;
    }
    grains.work.of(row).0 as f32 / cost
}
