// SPDX-License-Identifier: Apache-2.0
//! Which worker ended each sleep of an idle worker, and on which processors workers ran.

use crate::build::*;
use grains::{Profile, Ticks, Woken};
use trace::*;

/// Two workers: the first runs the initial task, the second sleeps three times.
fn sleeps(numbers: [u32; 3], wakes: &[(u64, u32, WakeCause)]) -> Vec<Option<Woken>> {
    let mut g = Golden::new(2);
    g.initial(id(0, 1), 0);
    for (at, sleep) in [1_000, 40_000, 80_000].into_iter().zip(numbers) {
        g.put(1, at, Record::Idle { ticks: 10_000, sleep });
    }
    for &(at, sleep, cause) in wakes {
        g.put(0, at, Record::Wake(Wake { sleeper: 1, sleep, ticks: 50, cause }));
    }
    g.run(0, id(0, 1), 0, 100_000, RegionId::NONE);
    g.end(100_000).idles.iter().map(|idle| idle.woken).collect()
}

#[allow(clippy::unnecessary_wraps, reason = "as the table has it")]
fn woken(at: u64, cause: WakeCause) -> Option<Woken> {
    Some(Woken { by: 0, at: Ticks(at), cause })
}

#[test]
fn each_sleep_has_the_waker_that_names_it() {
    let found = sleeps([1, 2, 3], &[(10_900, 1, WakeCause::Task), (89_900, 3, WakeCause::Team)]);
    assert_eq!(found, [woken(10_900, WakeCause::Task), None, woken(89_900, WakeCause::Team)]);
}

#[test]
fn a_sleep_that_nobody_ended_has_none() {
    // Its time was over: whoever comes later finds another number.
    let found = sleeps([1, 0, 3], &[(49_000, 2, WakeCause::Task), (89_000, 3, WakeCause::Task)]);
    assert_eq!(found, [None, None, woken(89_000, WakeCause::Task)]);
}

#[test]
fn a_number_may_come_again() {
    let found = sleeps([5, 6, 5], &[(10_000, 5, WakeCause::Event), (88_000, 5, WakeCause::Join)]);
    assert_eq!(found, [woken(10_000, WakeCause::Event), None, woken(88_000, WakeCause::Join)]);
    // The first one's record is lost.
    let found = sleeps([5, 6, 5], &[(88_000, 5, WakeCause::Join)]);
    assert_eq!(found, [None, None, woken(88_000, WakeCause::Join)]);
}

#[test]
fn clocks_may_differ_a_little() {
    let found = sleeps([1, 2, 3], &[(11_500, 1, WakeCause::Task)]);
    assert_eq!(found, [woken(11_000, WakeCause::Task), None, None]);
}

#[test]
fn whom_no_stream_knows_is_passed_over() {
    let mut g = Golden::new(1);
    g.initial(id(0, 1), 0);
    for sleeper in [0, 7, u32::MAX] {
        g.put(0, 10, Record::Wake(Wake { sleeper, sleep: 1, ..Wake::default() }));
    }
    g.run(0, id(0, 1), 0, 80, RegionId::NONE);
    assert!(g.end(80).idles.is_empty());
}

/// The cores of the fragments, in order of time.
fn cores(profile: &Profile) -> Vec<Option<u16>> {
    let mut rows: Vec<u32> = (0..profile.fragments.grain.len() as u32).collect();
    rows.sort_by_key(|&row| profile.fragments.start(row));
    let core = |row| profile.cores.of_fragment(&profile.grains, &profile.fragments, row);
    rows.into_iter().map(core).collect()
}

/// The initial task, with a task in the middle.
fn with_moves(moves: &[(u64, u32)], ends: [u16; 2]) -> Profile {
    let mut g = Golden::new(1);
    g.initial(id(0, 1), 0);
    g.create(id(0, 2), id(0, 1), 10, 5);
    for &(at, processor) in moves {
        g.put(0, at, Record::Moved { processor });
    }
    for (task, (start, end), cpu) in [(2, (30, 60), ends[1]), (1, (0, 100), ends[0])] {
        let run = Run { task: id(0, task), ticks: end - start, cpu, region: RegionId::NONE, flags: 0 };
        g.put(0, start, Record::Run(run));
    }
    g.wait(id(0, 1), 0, WaitKind::Taskwait, 20, 70);
    g.end(100)
}

#[test]
fn fragments_have_the_processor_of_the_look_before() {
    let profile = with_moves(&[(0, 3), (60, 5), (70, 4)], [1, 1]);
    // To the creation, from it to the wait, the task, behind the wait.
    assert_eq!(cores(&profile), [Some(3), Some(3), Some(3), Some(4)]);
    assert_eq!(profile.cores.moves(), Some(2));
}

#[test]
fn what_each_chunk_says_again_is_no_move() {
    let profile = with_moves(&[(0, 3), (60, 3), (70, 3)], [1, 1]);
    assert_eq!(profile.cores.moves(), Some(0));
}

#[test]
fn old_recordings_have_the_processor_at_the_end() {
    let profile = with_moves(&[], [1, layout::UNKNOWN_CPU]);
    assert_eq!(cores(&profile), [Some(1), Some(1), None, Some(1)]);
    assert_eq!(profile.cores.moves(), None);
}
