// SPDX-License-Identifier: Apache-2.0
//! The grains of a recording as MIR's tasks, one row for each grain, in the order of its rows.
//!
//! A task's own time (`exec_cycles`) is the sum of its fragments, of the creation of its children,
//! and of the time that its worker lost in the task's waits. If these times are added up in the
//! order of the task's items, the partial sums are the instants. An implicit task is a child of the
//! task that encountered the region, and a chunk is a child of its implicit task.

use grains::summary::SiteKind;
use grains::{ChunkInfo, Column, GrainKind, GrainRow, Grains, Item, Profile, RegionInfo, Ticks, NONE};
use symbols::Symbols;

use super::Task;
use crate::joins::Joins;

pub fn tasks(profile: &Profile, symbols: &Symbols) -> Vec<Task> {
    let joins = Joins::of(profile);
    let mut tasks: Vec<Task> = profile.grains.rows().map(|row| task(profile, symbols, row)).collect();
    let teams = teams(profile);
    let mut ordinals = vec![NONE; profile.items.kind.len()];
    let along = |row| along(profile, row, &teams, &mut tasks, &mut ordinals);
    let numbers: Column<Grains, u32> = profile.grains.rows().map(along).collect();
    for (row, task) in profile.grains.rows().zip(&mut tasks) {
        task.joins_at = joins_at(profile, &joins, row, &ordinals, &numbers).into();
    }
    tasks
}

fn task(profile: &Profile, symbols: &Symbols, row: GrainRow) -> Task {
    let grains = &profile.grains;
    let symbol = symbols.of(grains.place[row]);
    let place = profile.places.places.of(grains.place[row]);
    Task {
        task: number(row),
        parent: grains.parent[row].map_or(0, number),
        cpu_id: grains.worker[row].into(),
        child_number: 1,
        creation_cycles: grains.creation.of(row).0,
        exec_end_instant: grains.end.of(row).0,
        tag: SiteKind::of_grain(grains.kind[row]).name().into(),
        metadata: metadata(profile, row),
        outline_function: place
            .map_or(0, |place| if place.function == 0 { place.call_site } else { place.function }),
        source_line: (!symbol.file.is_empty()).then(|| format!("{}:{}", symbol.file, symbol.line)),
        ..Task::default()
    }
}

/// Tasks are numbered from 1.
fn number(row: GrainRow) -> u64 {
    u64::from(row.number()) + 1
}

fn metadata(profile: &Profile, row: GrainRow) -> Option<String> {
    let &ChunkInfo { loop_row, first, iterations } = profile.chunk(row)?;
    let step = profile.loops[loop_row].step;
    let end = i128::from(first) + i128::from(step) * i128::from(iterations);
    Some(format!("chunk_{first}_{end}"))
}

/// The implicit tasks of each region.
fn teams(profile: &Profile) -> Column<RegionInfo, Vec<GrainRow>> {
    let mut teams = Column::filled(Vec::new(), profile.regions.len());
    for (task, &region) in profile.member_of.entries() {
        if let Some(team) = teams.of_mut(region) {
            team.push(task);
        }
    }
    teams
}

/// Traverses the items of a grain, and computes its own time, and the instants and numbers of its
/// children. The book-keeping of chunks is part of the fragments between the chunks. Returns the
/// number of the grain's joins.
fn along(
    profile: &Profile,
    grain: GrainRow,
    teams: &Column<RegionInfo, Vec<GrainRow>>,
    tasks: &mut [Task],
    ordinals: &mut [u32],
) -> u32 {
    let (mut own, mut overhead) = (Ticks::ZERO, Ticks::ZERO);
    let (mut children, mut joins) = (0, 0);
    let mut joined = Ticks::ZERO;
    for item in profile.items.of(grain) {
        let kind = profile.items.at(item);
        match kind {
            Item::Fragment(row) => own += profile.fragments.net(row),
            Item::Fork(row) | Item::Chunk(row) => {
                let cost = profile.grains.creation.of(row);
                overhead += cost;
                if matches!(kind, Item::Fork(_)) {
                    own += cost;
                }
                children += 1;
                let child = &mut tasks[row.at()];
                (child.child_number, child.create_instant) = (children, own.0);
            }
            Item::Region(row) => {
                ordinals[item] = joins;
                joins += 1;
                for &member in &teams[row] {
                    children += 1;
                    let member = &mut tasks[member.at()];
                    (member.child_number, member.create_instant) = (children, own.0);
                }
            }
            Item::Join(row) => {
                ordinals[item] = joins;
                joins += 1;
                let lost = profile.waits[row].lost;
                (own, overhead, joined) = (own + lost, overhead + lost, joined + lost);
                tasks[grain.at()].wait_instants.push(own.0);
            }
            // MIR has no locks, no events of tasks and no doacross loops.
            Item::Acquire(_) | Item::Release(_) | Item::Fulfil(_) | Item::Source(_) | Item::Sink(_) => {}
        }
    }
    // Waits at which nothing is joined have no item.
    let others = profile.grains.wait.of(grain).0.saturating_sub(joined.0);
    let task = &mut tasks[grain.at()];
    task.num_children = children;
    task.overhead_cycles = overhead.0.saturating_add(others);
    task.exec_cycles = own.0.saturating_add(others);
    joins
}

/// The number of the join among its parent's joins. If another task joins it, the number after all
/// of them, which `numbers` has for each grain.
fn joins_at(
    profile: &Profile,
    joins: &Joins,
    row: GrainRow,
    ordinals: &[u32],
    numbers: &Column<Grains, u32>,
) -> u32 {
    let (parent, item) = (profile.grains.parent[row], joins.of_grain(row));
    let Some(parent) = parent.filter(|_| profile.grains.kind[row] != GrainKind::Initial) else { return 0 };
    let items = profile.items.of(parent);
    match item.map(|item| item as usize) {
        Some(item) if items.contains(&item) && ordinals[item] != NONE => ordinals[item],
        _ => numbers[parent],
    }
}
