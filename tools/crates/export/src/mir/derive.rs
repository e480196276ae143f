// SPDX-License-Identifier: Apache-2.0
//! The columns that the published scripts derive. They are computed by the scripts' definitions,
//! even if the thesis has another definition.

use std::collections::{BTreeMap, HashMap};

use super::Task;

/// The derived values of one task. `None` and NaN: not available (R's NA).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derived {
    /// Row of the parent.
    pub parent_row: Option<u32>,
    /// The number of the parent among the tasks of the profile, from 1.
    pub parent_ind: Option<u32>,
    pub parent_overhead_cycles: Option<u64>,
    /// (overhead of the parent - creation of all its children) / children: of the parent, not of
    /// the join.
    pub sync_cycles_per_child: f64,
    /// work / (creation + sync_cycles_per_child)
    pub parallel_benefit: f64,
    /// Largest / mean work of the siblings at one join.
    pub sibling_work_balance: f64,
    /// Median of the pairwise distances of their processors' numbers.
    pub sibling_scatter: f64,
    pub num_siblings: u64,
    /// It ended last on its processor.
    pub last_to_finish: bool,
    pub mem_hier_util: f64,
    /// If the profile has chunks: the join of the program's idle task that waits for it.
    pub idle_join: Option<u64>,
    pub chunk: Option<Chunk>,
}

/// The additional values of chunks with bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chunk {
    pub chunk_work_balance: f64,
    pub chunk_work_cpu: f64,
    pub chunk_work_cpu_balance: f64,
}

pub fn derive(tasks: &[Task]) -> Vec<Derived> {
    let rows: HashMap<u64, u32> =
        tasks.iter().enumerate().map(|(row, task)| (task.task, row as u32)).collect();
    let mut derived: Vec<Derived> = tasks.iter().map(|task| of_parent(task, tasks, &rows)).collect();
    parents_in_order(tasks, &mut derived);
    benefits(tasks, &mut derived);
    siblings(tasks, &mut derived);
    last_to_finish(tasks, &mut derived);
    chunks(tasks, &mut derived);
    derived
}

fn of_parent(task: &Task, tasks: &[Task], rows: &HashMap<u64, u32>) -> Derived {
    let parent_row = rows.get(&task.parent).copied();
    Derived {
        parent_row,
        parent_overhead_cycles: parent_row.map(|row| tasks[row as usize].overhead_cycles),
        mem_hier_util: task.stalls.map_or(f64::NAN, |stalls| stalls / task.work_cycles() as f64),
        ..Derived::default()
    }
}

fn parents_in_order(tasks: &[Task], derived: &mut [Derived]) {
    let mut order: Vec<u32> = (0..tasks.len() as u32).collect();
    order.sort_by_key(|&row| tasks[row as usize].task);
    let mut rank = vec![0; tasks.len()];
    for (place, &row) in order.iter().enumerate() {
        rank[row as usize] = place as u32 + 1;
    }
    for derived in derived {
        derived.parent_ind = derived.parent_row.map(|row| rank[row as usize]);
    }
}

fn benefits(tasks: &[Task], derived: &mut [Derived]) {
    let mut creation: HashMap<u64, (f64, u64)> = HashMap::new();
    for task in tasks {
        let (sum, children) = creation.entry(task.parent).or_default();
        *sum += task.creation_cycles as f64;
        *children += 1;
    }
    for (task, derived) in tasks.iter().zip(derived) {
        let (sum, children) = creation[&task.parent];
        let overhead = derived.parent_overhead_cycles.map_or(f64::NAN, |overhead| overhead as f64);
        derived.sync_cycles_per_child = (overhead - sum) / children as f64;
        derived.parallel_benefit =
            task.work_cycles() as f64 / (task.creation_cycles as f64 + derived.sync_cycles_per_child);
    }
}

/// The tasks for which one join of one parent waits.
#[derive(Default)]
struct Siblings {
    number: u64,
    largest: f64,
    sum: f64,
    /// For each processor: the number of tasks that ran there.
    cpus: BTreeMap<u32, u64>,
}

fn siblings(tasks: &[Task], derived: &mut [Derived]) {
    let mut groups: HashMap<(u64, u64), Siblings> = HashMap::new();
    for task in tasks {
        let group = groups.entry((task.parent, task.joins_at)).or_default();
        let work = task.work_cycles() as f64;
        group.largest = if group.number == 0 { work } else { group.largest.max(work) };
        group.number += 1;
        group.sum += work;
        *group.cpus.entry(task.cpu_id).or_default() += 1;
    }
    let of_group = |group: &Siblings| {
        let balance = group.largest / (group.sum / group.number as f64);
        (group.number, balance, median_distance(&group.cpus))
    };
    let groups: HashMap<_, _> = groups.iter().map(|(key, group)| (*key, of_group(group))).collect();
    for (task, derived) in tasks.iter().zip(derived) {
        let (number, balance, scatter) = groups[&(task.parent, task.joins_at)];
        (derived.num_siblings, derived.sibling_work_balance) = (number, balance);
        derived.sibling_scatter = scatter;
    }
}

/// The median of the distances of all pairs; NaN: there is no pair. The pairs are counted, but not
/// enumerated.
fn median_distance(cpus: &BTreeMap<u32, u64>) -> f64 {
    let mut pairs: BTreeMap<u32, u64> = BTreeMap::new();
    for (&cpu, &number) in cpus {
        *pairs.entry(0).or_default() += number * (number - 1) / 2;
        for (&other, &others) in cpus.range(cpu + 1..) {
            *pairs.entry(other - cpu).or_default() += number * others;
        }
    }
    let all: u64 = pairs.values().sum();
    let at = |rank: u64| {
        let mut seen = 0;
        pairs.iter().find(|(_, &number)| {
            seen += number;
            rank < seen
        })
    };
    match all {
        0 => f64::NAN,
        all => {
            let middle =
                [(all - 1) / 2, all / 2].map(|rank| at(rank).map_or(f64::NAN, |(&d, _)| f64::from(d)));
            f64::midpoint(middle[0], middle[1])
        }
    }
}

fn last_to_finish(tasks: &[Task], derived: &mut [Derived]) {
    let mut last: HashMap<u32, u64> = HashMap::new();
    for task in tasks {
        let last = last.entry(task.cpu_id).or_default();
        *last = (*last).max(task.exec_end_instant);
    }
    for (task, derived) in tasks.iter().zip(derived) {
        derived.last_to_finish = last[&task.cpu_id] == task.exec_end_instant;
    }
}

/// A loop is identified by the join of the program's idle task that waits for its chunks.
fn chunks(tasks: &[Task], derived: &mut [Derived]) {
    if !tasks.iter().any(Task::is_chunk) {
        return;
    }
    let mut loops: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (row, task) in tasks.iter().enumerate() {
        let parent = derived[row].parent_row.map(|parent| &tasks[parent as usize]);
        let idle_join = match parent {
            Some(parent) if task.is_chunk() && parent.tag != "idle_task" => parent.joins_at,
            _ => task.joins_at,
        };
        derived[row].idle_join = Some(idle_join);
        if task.first_iteration().is_some() {
            loops.entry(idle_join).or_default().push(row);
        }
    }
    for rows in loops.into_values() {
        let work = |row: &usize| tasks[*row].work_cycles() as f64;
        let largest = rows.iter().map(work).fold(f64::NEG_INFINITY, f64::max);
        let mean = rows.iter().map(work).sum::<f64>() / rows.len() as f64;
        let mut cpus: HashMap<u32, f64> = HashMap::new();
        for row in &rows {
            *cpus.entry(tasks[*row].cpu_id).or_default() += work(row);
        }
        let mut different: Vec<f64> = cpus.values().copied().collect();
        different.sort_by(f64::total_cmp);
        different.dedup(); // processors with the same sum count once, as published
        let busiest = different.last().copied().unwrap_or(f64::NAN);
        let cpu_balance = busiest / (different.iter().sum::<f64>() / different.len() as f64);
        for row in rows {
            derived[row].chunk = Some(Chunk {
                chunk_work_balance: largest / mean,
                chunk_work_cpu: cpus[&tasks[row].cpu_id],
                chunk_work_cpu_balance: cpu_balance,
            });
        }
    }
}

/// The largest number of numbers in a lineage. Without this limit, the lineages of a long chain
/// would take too much memory.
const LONGEST: usize = 1000;

/// The numbers of the children on the path from the root (`R-1-2`); `None`: the path is too long.
pub fn lineage(row: usize, tasks: &[Task], derived: &[Derived]) -> Option<String> {
    let mut numbers = Vec::new();
    let mut at = Some(row as u32);
    while let Some(row) = at {
        if numbers.len() == LONGEST {
            return None;
        }
        numbers.push(tasks[row as usize].child_number.to_string());
        at = derived[row as usize].parent_row;
    }
    numbers.push("R".to_owned());
    numbers.reverse();
    Some(numbers.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(task: u64, parent: u64, cpu_id: u32, work: u64) -> Task {
        let (exec_cycles, creation_cycles, child_number) = (work, 10, task);
        Task { task, parent, cpu_id, child_number, exec_cycles, creation_cycles, ..Task::default() }
    }

    #[test]
    fn columns_follow_the_published_definitions() {
        let root = Task { overhead_cycles: 100, exec_cycles: 150, ..task(1, 0, 0, 0) };
        let tasks = [root, task(2, 1, 0, 30), task(3, 1, 3, 60), task(4, 1, 4, 90)];
        let derived = derive(&tasks);
        // (100 - 3 x 10) / 3 for each child; 30 / (10 + 70 / 3)
        assert_eq!(derived[1].sync_cycles_per_child, 70.0 / 3.0);
        assert_eq!(derived[1].parallel_benefit, 30.0 / (10.0 + 70.0 / 3.0));
        assert_eq!((derived[3].sibling_work_balance, derived[3].num_siblings), (90.0 / 60.0, 3));
        // Distances 3, 4 and 1.
        assert_eq!(derived[2].sibling_scatter, 3.0);
        assert!(derived[0].parallel_benefit.is_nan() && derived[0].sibling_scatter.is_nan());
        assert_eq!(lineage(2, &tasks, &derived).unwrap(), "R-1-3");
    }

    #[test]
    fn a_circle_of_parents_has_no_lineage() {
        let tasks = [task(1, 2, 0, 1), task(2, 1, 0, 1)];
        assert_eq!(lineage(0, &tasks, &derive(&tasks)), None);
    }
}
