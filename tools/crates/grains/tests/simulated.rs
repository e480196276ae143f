// SPDX-License-Identifier: Apache-2.0
//! Tests that the computed work, span and slack of random programs are the true ones.

mod common;
#[path = "common/programs.rs"]
mod programs;

use grains::Profile;
use trace::*;

use common::Random;
use programs::{program, Machine};

#[test]
fn work_and_span_of_random_programs_are_the_true_ones() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random(0x7e_ff02);
    let mut with_locks = 0;
    for round in 0..300 {
        let ops = program(&mut random);
        let path = directory.path().join(round.to_string());
        let mut machine = Machine::new(&ops, &path);
        let wall = machine.run(&mut random);
        let work = machine.work();
        let (span, free_span) = (machine.span(true), machine.span(false));
        let any = free_span.max(machine.longest_lock());
        with_locks += u64::from(span > free_span);
        let through: Vec<_> = (0..ops.len()).map(|task| machine.through(task)).collect();
        machine.out.end(wall).unwrap();
        let profile = Profile::of(Recording::open(&path).unwrap(), &|_| {}).unwrap();
        assert_eq!((profile.work.0, profile.span.0), (work, span), "round {round}: {ops:?}");
        assert_eq!(profile.span_any_schedule.0, any, "round {round}: {ops:?}");
        let slack = grains::metrics::slack(&profile);
        for (row, of_grain) in slack.entries() {
            let through = through[usize::from(profile.grains.worker[row])];
            assert_eq!(of_grain.unwrap().0, span - through, "round {round}, row {row:?}: {ops:?}");
        }
        assert!(profile.span <= profile.wall && profile.span_any_schedule <= profile.span);
    }
    assert!(with_locks > 20, "only {with_locks} programs had a lock on their path");
}
