// SPDX-License-Identifier: Apache-2.0
//! Which grains have a problem because they lose time to it.

use grains::metrics::{Columns, Limits, Thresholds, PROBLEMS};
use grains::{GrainKind, Profile};
use trace::*;

use crate::build::{id, Golden};

/// Tasks on two threads, which run theirs one after another from the same time on.
fn run(lengths: [&[u64]; 2]) -> Profile {
    let mut golden = Golden::new(2);
    golden.initial(id(0, 1), 0);
    let (mut ordinal, mut end) = (2, 0);
    for (stream, lengths) in (0..).zip(lengths) {
        let mut at = 1000;
        for length in lengths {
            let task = id(0, ordinal);
            golden.create(task, id(0, 1), 10 * ordinal, 1);
            golden.run(stream, task, at, at + length, RegionId::NONE);
            (ordinal, at) = (ordinal + 1, at + length);
        }
        end = end.max(at);
    }
    golden.wait(id(0, 1), 0, WaitKind::Taskwait, 900, end);
    golden.run(0, id(0, 1), 0, end + 10, RegionId::NONE);
    golden.end(end + 10)
}

/// The lengths of the tasks that lose time by load balance.
fn unbalanced(profile: &Profile) -> Vec<u64> {
    let columns = Columns::of(profile, None);
    let balance = PROBLEMS.iter().position(|metric| *metric == "load_balance").unwrap();
    let limits = Limits::of(Thresholds::Teff, &[]);
    let tasks = profile.grains.rows().filter(|&row| profile.grains.kind[row] == GrainKind::Task);
    tasks
        .filter(|&row| columns.problems(row, &limits)[balance])
        .map(|row| profile.grains.work.of(row).0)
        .collect()
}

#[test]
fn siblings_of_different_lengths_lose_nothing_while_all_threads_have_work() {
    let half = [&[23_000; 5][..], &[34_500; 5]].concat();
    assert!(unbalanced(&run([&half, &half])).is_empty());
    let alone = run([&[23_000; 9], &[[23_000; 9].as_slice(), &[90_000]].concat()]);
    assert_eq!(unbalanced(&alone), [90_000], "the other thread waits for it");
}
