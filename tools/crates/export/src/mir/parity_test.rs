// SPDX-License-Identifier: Apache-2.0
//! Compares the derived columns with the published results of the thesis's own scripts: 8192 tasks
//! of a Fibonacci program, and 385 tasks of a loop. The files are not part of this repository:
//! `TEFF_MIR_DATA` names a folder with `fib/task-stats.merged` and `for-loop/task-stats.merged`.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use super::derive::derive;
use super::read::{read, words};
use super::write::write;

type Table = Vec<HashMap<String, String>>;

fn table(text: &str) -> Table {
    let mut lines = text.lines();
    let header = words(lines.next().unwrap());
    lines.map(|line| header.iter().cloned().zip(words(line)).collect()).collect()
}

/// R writes 15 digits.
fn is_same(published: &str, ours: &str) -> bool {
    match (published.parse::<f64>(), ours.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-13 * a.abs(),
        _ => published == ours,
    }
}

/// For each column that both tables have: how many values differ.
fn differences(published: &Table, ours: &Table) -> BTreeMap<String, usize> {
    let columns = published[0].keys().filter(|column| ours[0].contains_key(*column));
    let differ = |column: &String| {
        published.iter().zip(ours).filter(|(a, b)| !is_same(&a[column], &b[column])).count()
    };
    columns.map(|column| (column.clone(), differ(column))).collect()
}

fn published(name: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("TEFF_MIR_DATA") else {
        eprintln!("skipped: TEFF_MIR_DATA names no folder with the published profiles");
        return None;
    };
    let file = PathBuf::from(folder).join(name).join("task-stats.merged");
    Some(std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())))
}

fn compare(name: &str, rows: usize, expected: &[&str]) {
    let Some(text) = published(name) else { return };
    let tasks = read(&text).unwrap();
    assert_eq!(tasks.len(), rows);
    let mut csv = Vec::new();
    write(&mut csv, &tasks, &derive(&tasks)).unwrap();
    let (published, ours) = (table(&text), table(&String::from_utf8(csv).unwrap()));
    let differences = differences(&published, &ours);
    for (column, number) in &differences {
        eprintln!("{name}: {column}: {} of {rows} agree", rows - number);
    }
    let differing: Vec<_> =
        differences.iter().filter(|(_, &number)| number > 0).map(|(column, _)| column).collect();
    assert_eq!(differing, Vec::<&String>::new());
    for column in expected {
        assert!(differences.contains_key(*column), "{column} is compared");
    }
    work_deviation(&published);
    mem_hier_util(&published, &tasks);
}

/// Computes the work deviation from the work of the same task in a run on one processor, which is
/// part of the profile.
fn work_deviation(published: &Table) {
    for row in published {
        let number = |column: &str| row[column].parse::<f64>().ok();
        if let (Some(left), Some(right)) = (number("work_cycles_left"), number("work_cycles_right")) {
            assert_eq!(row["work_cycles_left"], row["work_cycles"]);
            assert!(is_same(&row["work_deviation"], &(left / right).to_string()), "{row:?}");
        }
    }
}

fn mem_hier_util(published: &Table, tasks: &[super::Task]) {
    for (row, derived) in published.iter().zip(derive(tasks)) {
        assert!(is_same(&row["mem_hier_util"], &super::write::number(derived.mem_hier_util)), "{row:?}");
    }
}

const DERIVED: [&str; 8] = [
    "leaf",
    "work_cycles",
    "parent_overhead_cycles",
    "sync_cycles_per_child",
    "parallel_benefit",
    "sibling_work_balance",
    "last_to_finish",
    "exec_cycles",
];

#[test]
fn the_published_columns_of_tasks_come_out_one_by_one() {
    compare("fib", 8192, &[&DERIVED[..], &["lineage", "sibling_scatter", "parent_ind"]].concat());
}

#[test]
fn the_published_columns_of_a_loop_come_out_one_by_one() {
    let columns = [
        "chunk_lineage",
        "idle_join",
        "parent_tag",
        "chunk_work_balance",
        "chunk_work_cpu",
        "chunk_work_cpu_balance",
    ];
    compare("for-loop", 385, &[&DERIVED[..], &columns].concat());
}
