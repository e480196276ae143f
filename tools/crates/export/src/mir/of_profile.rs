// SPDX-License-Identifier: Apache-2.0
//! The grains of a recording as MIR's tasks, one row for each grain, in the order of its rows.
//!
//! A task's own time (`exec_cycles`) is the sum of its fragments, of the creation of its children,
//! and of the time that its worker lost in the task's waits. If these times are added up in the
//! order of the task's items, the partial sums are the instants. An implicit task is a child of the
//! task that encountered the region, and a chunk is a child of its implicit task.

use grains::summary::SiteKind;
use grains::{GrainKind, ItemKind, Profile, Ticks, NONE};
use symbols::Symbols;

use super::Task;
use crate::joins::Joins;

pub fn tasks(profile: &Profile, symbols: &Symbols) -> Vec<Task> {
    let joins = Joins::of(profile);
    let mut tasks: Vec<Task> =
        (0..profile.grains.len() as u32).map(|row| task(profile, symbols, row)).collect();
    let teams = teams(profile);
    let mut ordinals = vec![NONE; profile.items.kind.len()];
    for row in 0..tasks.len() as u32 {
        along(profile, row, &teams, &mut tasks, &mut ordinals);
    }
    for (row, task) in tasks.iter_mut().enumerate() {
        task.joins_at = joins_at(profile, &joins, row, &ordinals);
    }
    tasks
}

fn task(profile: &Profile, symbols: &Symbols, row: u32) -> Task {
    let (grains, at) = (&profile.grains, row as usize);
    let parent = grains.parent[at];
    let symbol = symbols.of(grains.place[at]);
    let place = profile.places.places.of(grains.place[at]);
    Task {
        task: u64::from(row) + 1,
        parent: if parent == NONE { 0 } else { u64::from(parent) + 1 },
        cpu_id: grains.worker[at].into(),
        child_number: 1,
        creation_cycles: grains.creation[at].0,
        exec_end_instant: grains.end[at].0,
        tag: SiteKind::of_grain(grains.kind[at]).name().into(),
        metadata: metadata(profile, at),
        outline_function: place
            .map_or(0, |place| if place.function == 0 { place.call_site } else { place.function }),
        source_line: (!symbol.file.is_empty()).then(|| format!("{}:{}", symbol.file, symbol.line)),
        ..Task::default()
    }
}

fn metadata(profile: &Profile, row: usize) -> Option<String> {
    let chunk = profile.chunks.get(row.checked_sub(profile.grains.tasks)?)?;
    let step = profile.loops.get(chunk.loop_row as usize).map_or(1, |info| info.step);
    let end = i128::from(chunk.first) + i128::from(step) * i128::from(chunk.iterations);
    Some(format!("chunk_{}_{end}", chunk.first))
}

/// The implicit tasks of each region.
fn teams(profile: &Profile) -> Vec<Vec<u32>> {
    let mut teams = vec![Vec::new(); profile.regions.len()];
    for (task, &region) in profile.member_of.iter().enumerate() {
        if let Some(team) = teams.get_mut(region as usize) {
            team.push(task as u32);
        }
    }
    teams
}

/// Traverses the items of a grain, and computes its own time, and the instants and numbers of its
/// children. The book-keeping of chunks is part of the fragments between the chunks.
fn along(profile: &Profile, grain: u32, teams: &[Vec<u32>], tasks: &mut [Task], ordinals: &mut [u32]) {
    let (mut own, mut overhead) = (Ticks::ZERO, Ticks::ZERO);
    let (mut children, mut joins) = (0, 0);
    let mut joined = Ticks::ZERO;
    for item in profile.items.of(grain) {
        let row = profile.items.row[item] as usize;
        match profile.items.kind[item] {
            ItemKind::Fragment => own += profile.fragments.net(row as u32),
            ItemKind::Fork | ItemKind::Chunk => {
                let cost = profile.grains.creation[row];
                overhead += cost;
                if profile.items.kind[item] == ItemKind::Fork {
                    own += cost;
                }
                children += 1;
                (tasks[row].child_number, tasks[row].create_instant) = (children, own.0);
            }
            ItemKind::Join | ItemKind::Region => {
                ordinals[item] = joins;
                joins += 1;
                let members =
                    if profile.items.kind[item] == ItemKind::Region { &teams[row][..] } else { &[] };
                for &member in members {
                    children += 1;
                    let member = &mut tasks[member as usize];
                    (member.child_number, member.create_instant) = (children, own.0);
                }
                if profile.items.kind[item] == ItemKind::Join {
                    let lost = profile.waits[row].lost;
                    (own, overhead, joined) = (own + lost, overhead + lost, joined + lost);
                    tasks[grain as usize].wait_instants.push(own.0);
                }
            }
            // MIR has no locks, no events of tasks and no doacross loops.
            ItemKind::Acquire | ItemKind::Release | ItemKind::Fulfil | ItemKind::Source | ItemKind::Sink => {}
        }
    }
    // Waits at which nothing is joined have no item.
    let others = profile.grains.wait[grain as usize].0.saturating_sub(joined.0);
    let task = &mut tasks[grain as usize];
    task.num_children = children;
    task.overhead_cycles = overhead.0.saturating_add(others);
    task.exec_cycles = own.0.saturating_add(others);
}

/// The number of the join among its parent's joins. If another task joins it, the number after all
/// of them.
fn joins_at(profile: &Profile, joins: &Joins, row: usize, ordinals: &[u32]) -> u64 {
    let (parent, item) = (profile.grains.parent[row], joins.of_grain(row as u32));
    if parent == NONE || profile.grains.kind[row] == GrainKind::Initial {
        return 0;
    }
    let items = profile.items.of(parent);
    match item.map(|item| item as usize) {
        Some(item) if items.contains(&item) && ordinals[item] != NONE => ordinals[item].into(),
        _ => items.map(|item| ordinals[item]).filter(|&number| number != NONE).count() as u64,
    }
}
