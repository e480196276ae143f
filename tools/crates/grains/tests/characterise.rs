// SPDX-License-Identifier: Apache-2.0
//! Tests of components, clusters and of leaving one program out, against values of numpy 2.4 and
//! scipy 1.17: `eigh(corrcoef(X.T))`, `linkage(scores / deviation, "ward")`, and for the errors
//! `lstsq` of each row on the eigenvectors of the other rows. Also the properties of a recording
//! whose shape is known.

#![allow(clippy::unreadable_literal, reason = "as numpy prints them")]

use grains::characterise::{adjusted_rand, Count, Counts, Observed, Property, Study, Table};
use grains::Profile;
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

/// Seven programs in three clusters, by four properties; the other six are not known.
const PROGRAMS: [[f64; 4]; 7] = [
    [120.0, 8.0, 3.5, 40.0],
    [131.0, 9.0, 3.1, 42.0],
    [15.0, 70.0, 9.0, 38.0],
    [17.0, 64.0, 9.9, 11.0],
    [16.0, 75.0, 8.2, 12.0],
    [70.0, 30.0, 1.0, 90.0],
    [75.0, 33.0, 0.5, 97.0],
];

fn table(programs: &[[f64; 4]]) -> Table {
    let mut table = Table::default();
    for (at, row) in programs.iter().enumerate() {
        let mut values = [None; 10];
        for (value, known) in values.iter_mut().zip(row) {
            *value = Some(*known);
        }
        table.programs.push(format!("p{at}"));
        table.values.push(values);
    }
    table
}

fn close(found: f64, truth: f64) {
    assert!((found - truth).abs() < 1e-8, "{found} instead of {truth}");
}

#[test]
fn components_are_those_of_numpy() {
    let study = Study::of(&table(&PROGRAMS), None).unwrap();
    let components = &study.components;
    for (found, truth) in components.variance.iter().zip([0.786087586, 0.202893615, 0.008686053, 0.002332746])
    {
        close((found * 1e9).round() / 1e9, truth);
    }
    assert_eq!(components.retained, 2);
    let loadings = [
        [-0.503164488, -0.495449497],
        [0.52391533, 0.395869125],
        [0.539993304, -0.27758843],
        [-0.425141689, 0.721638479],
    ];
    let scores = [
        [-1.311895639, -1.073605888],
        [-1.485165927, -1.099291454],
        [1.683205487, 0.411948645],
        [2.01134512, -0.324955348],
        [1.978364669, -0.019989919],
        [-1.362328833, 0.965529837],
        [-1.513524878, 1.140364126],
    ];
    for at in 0..2 {
        (0..4).for_each(|row| close(components.loadings[(row, at)], loadings[row][at]));
        (0..7).for_each(|row| close(components.scores[(row, at)], scores[row][at]));
    }
}

#[test]
fn clusters_are_those_of_scipy() {
    let study = Study::of(&table(&PROGRAMS), None).unwrap();
    let truth = [0.101789148, 0.211976702, 0.33903218, 0.776088737, 3.358620427, 3.456460202];
    study.clusters.merges.iter().zip(truth).for_each(|(merge, height)| close(merge.height, height));
    assert_eq!((study.clusters.merges[0].left, study.clusters.merges[0].right), (0, 1));
    assert_eq!(study.clusters.groups, 3);
    assert_eq!(study.clusters.of, [0, 0, 1, 1, 1, 2, 2]);
    let mut order = study.clusters.order();
    let at = |program: usize| order.iter().position(|&other| other == program).unwrap();
    assert_eq!(at(0).abs_diff(at(1)), 1);
    assert_eq!(at(5).abs_diff(at(6)), 1);
    order.sort_unstable();
    assert_eq!(order, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(Study::of(&table(&PROGRAMS), Some(7)).unwrap().clusters.of, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(Study::of(&table(&PROGRAMS), Some(1)).unwrap().clusters.of, [0; 7]);
}

#[test]
fn leaving_one_out_is_as_with_numpy() {
    let stability = Study::of(&table(&PROGRAMS), None).unwrap().stability;
    for (found, truth) in stability.error.iter().zip([1.31519252, 0.566865806, 0.105134023]) {
        close(*found, truth);
    }
    assert_eq!(stability.best(), 2);
    let truth = [
        [0.9995354434509651, 0.9987803313355922],
        [0.9994761720358369, 0.9990261488215054],
        [0.9998307143307852, 0.9968885503814169],
        [0.9993784032552939, 0.9994195136666437],
        [0.999083589637525, 0.9993031200014523],
        [0.9998798010837043, 0.997166931738187],
        [0.9999563827692752, 0.9955719534633671],
    ];
    for (row, truth) in stability.congruence.iter().zip(truth) {
        row.iter().zip(truth).for_each(|(found, truth)| close(*found, truth));
    }
    close(stability.congruences()[1].0, 0.9955719534633671);
    close(stability.least_rand(), 1.0);
}

/// By the formula: 15 pairs, 4 and 3 of them together, 2 in both; 2 - 4 * 3 / 15 of 3.5 - 0.8.
#[test]
fn agreement_is_counted_by_pairs() {
    close(adjusted_rand(&[0, 0, 0, 1, 1, 2], &[0, 0, 1, 2, 2, 1]), (2.0 - 0.8) / (3.5 - 0.8));
    close(adjusted_rand(&[0, 0, 1, 1], &[1, 1, 0, 0]), 1.0);
    close(adjusted_rand(&[0, 1, 0, 1], &[0, 0, 1, 1]), -0.5);
    close(adjusted_rand(&[0, 0, 0], &[0, 0, 0]), 1.0);
}

#[test]
fn too_few_programs_or_properties_have_no_study() {
    assert!(Study::of(&table(&PROGRAMS[..2]), None).is_none());
    assert!(Study::of(&table(&PROGRAMS[..3]), None).is_some());
    assert!(Study::of(&table(&[[1.0, 2.0, 3.0, 4.0], [2.0, 2.0, 3.0, 4.0], [3.0, 2.0, 3.0, 4.0]]), None)
        .is_none());
}

const MS: u64 = 1_000_000;

/// Three tasks of 5 ms beside each other and 3 ms before them; two are joined by a taskwait, then
/// one.
fn recording() -> Profile {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.teff");
    let mut out = RecordingWriter::create(&path, 3, &RecordingWriter::plain_meta(2)).unwrap();
    let root = TaskId::new(0, 1);
    out.put(0, 0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() })).unwrap();
    let mut now = 3 * MS;
    for batch in [&[2u64, 3][..], &[4]] {
        for &ordinal in batch {
            let create = Create { task: TaskId::new(0, ordinal), parent: root, site: 1, cost: 0, flags: 0 };
            out.put(0, now, Record::Create(create)).unwrap();
        }
        for (stream, &ordinal) in (1..).zip(batch) {
            let run = Run { task: TaskId::new(0, ordinal), ticks: 5 * MS, ..Default::default() };
            out.put(stream, now + 50, Record::Run(run)).unwrap();
        }
        let kind = WaitKind::Taskwait;
        let wait = Wait { kind, task: root, ticks: 5 * MS + 100, site: 1, barrier: 0, departures: 0 };
        out.put(0, now + 20, Record::Wait(wait)).unwrap();
        now += 5 * MS + 200;
    }
    out.put(0, 0, Record::Run(Run { task: root, ticks: now, ..Default::default() })).unwrap();
    out.end(now).unwrap();
    Profile::of(Recording::open(&path).unwrap(), &|_| {}).unwrap()
}

fn count(ordinal: u64, kind: u32, instructions: u64) -> Count {
    let (reads, writes, stack_reads, stack_writes) = (instructions / 2, instructions / 4, 3, 1);
    Count {
        task: TaskId::new(0, ordinal).0,
        chunk: 0,
        kind,
        instructions,
        reads,
        writes,
        stack_reads,
        stack_writes,
        lines: 2,
    }
}

#[test]
fn properties_are_those_of_the_recording() {
    let profile = recording();
    let plain = Observed::of(&profile, None);
    assert_eq!((plain.tasks, plain.join_degree), (3.0, 1.5));
    assert!((plain.span_ns - 13e6).abs() < 1e4 && (plain.work_ns - 18e6).abs() < 1e4, "{plain:?}");
    assert_eq!(plain.value(Property::Instructions, false), None);
    let mut rows = vec![count(1, Count::INITIAL, 1000)];
    rows.extend(
        [(2, 400), (3, 600), (4, 800)].map(|(ordinal, count_of)| count(ordinal, Count::EXPLICIT, count_of)),
    );
    rows.push(count(9, Count::IMPLICIT, 7)); // of no grain here
    rows.push(count(1, Count::OUTSIDE, 100_000));
    let counts = Counts { rows, line_bytes: 64 };
    let counted = Observed::of(&profile, Some(&counts)).counted.unwrap();
    assert_eq!((counted.instructions, counted.reads, counted.writes), (600.0, 300.0, 150.0));
    assert_eq!((counted.stack_reads, counted.stack_writes, counted.footprint_bytes), (3.0, 1.0, 128.0));
    assert_eq!((counted.all_instructions, counted.matched), (2807.0, 0.8));
    // The initial task, one of the first two, and the third.
    let near = |truth: f64| (counted.span_instructions - truth).abs() < 1.0;
    assert!(near(2200.0) || near(2400.0), "{counted:?}");
}
