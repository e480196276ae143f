// SPDX-License-Identifier: Apache-2.0
//! Follows the longest path back from its end and marks what lies on it.

use crate::assemble::Assembled;
use crate::path::{Longest, Point};
use crate::tables::{flag, GrainRow, Item, ItemKind};
use crate::timeline::Timeline;
use crate::NONE;

pub(crate) fn mark(all: &mut Assembled, timeline: &mut Timeline, longest: &Longest) {
    let mut point = longest.last;
    // No path has more steps. In a damaged recording it may come from what ended later, in a
    // circle.
    for _ in 0..timeline.items.kind.len() + all.grains.len() {
        if point == Point::NOWHERE {
            return;
        }
        point = mark_back(all, timeline, longest, point);
    }
}

/// Marks one grain from `point` back to where the path enters it. Each step goes to a point that
/// the pass came to earlier.
fn mark_back(all: &mut Assembled, timeline: &mut Timeline, longest: &Longest, point: Point) -> Point {
    let Some(grain) = point.grain else { return Point::NOWHERE };
    if point.item == NONE {
        if let Some(&from) = longest.ended_by.get(&grain) {
            return from; // its event was fulfilled late: the path goes on beside its body
        }
    }
    all.grains.flags[grain] |= flag::CRITICAL;
    let items = timeline.items.of(grain);
    let end = if point.item == NONE { items.end } else { point.item as usize };
    for item in (items.start..end).rev() {
        let from = match timeline.items.at(item) {
            Item::Fragment(_) | Item::Release(_) | Item::Fulfil(_) | Item::Source(_) => Some(Point::NOWHERE),
            Item::Chunk(row) => Some(Point::end_of(row)),
            Item::Join(row) => Some(longest.wait_from[row]),
            Item::Region(row) => Some(longest.region_from[row]),
            Item::Fork(row) => {
                let entered = timeline.fork_item[row] == item as u32;
                (entered && all.grains.has(row, flag::INLINE)).then_some(Point::end_of(row))
            }
            Item::Acquire(row) => Some(longest.hold_from[row as usize]),
            Item::Sink(row) => Some(longest.sink_from[row]),
        };
        // A fork whose child runs beside the path is not on it.
        let Some(from) = from else { continue };
        if timeline.items.kind[item] == ItemKind::Fragment && timeline.items.is_critical(item) {
            return Point::NOWHERE;
        }
        timeline.items.critical.set(item);
        if from != Point::NOWHERE {
            return from;
        }
    }
    entered_from(all, timeline, longest, grain)
}

/// The point before the first item of `grain`.
fn entered_from(all: &Assembled, timeline: &mut Timeline, longest: &Longest, grain: GrainRow) -> Point {
    if let Some(delayed_by) = longest.delayed_by.of(Some(grain)).copied().flatten() {
        return Point::end_of(delayed_by);
    }
    let fork = timeline.fork_item[grain];
    if fork == NONE {
        return Point::NOWHERE;
    }
    timeline.items.critical.set(fork as usize);
    Point { grain: all.grains.parent[grain], item: fork }
}
