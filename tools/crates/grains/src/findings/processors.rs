// SPDX-License-Identifier: Apache-2.0
//! More threads than processors, and processors that others use.

use crate::budget::Class;
use crate::devices::WaitingThreads;
use crate::findings::asleep;
use crate::findings::disturbance::had_processors;
use crate::findings::finding::Finding;
use crate::findings::groups::Group;
use crate::findings::off::descheduled;
use crate::findings::subject::Subject;
use crate::phases::{phases, Phase};
use crate::ticks::Ticks;
use crate::units::{percent, several, time};
use crate::GrainKind;

pub(crate) fn too_many_threads(subject: &Subject) -> Vec<Finding> {
    let budget = subject.budget;
    let lost = subject.class(&budget.total, Class::Descheduled);
    let processors = subject.profile.meta.processors;
    let whole = subject.ns(budget.whole());
    if lost == 0.0 || processors == 0 {
        return Vec::new();
    }
    // What slept in serial parts has findings of its own, and so have waits for devices.
    let for_devices = subject.ns(WaitingThreads::of(subject.profile).slept(subject.profile));
    let elsewhere = asleep::in_serial_parts(subject) + for_devices;
    let lost = (lost - elsewhere).max(0.0);
    let slept = subject.ns(subject.profile.descheduled.slept) - elsewhere;
    let slept = slept.clamp(0.0, lost);
    let undecided = subject.ns(subject.profile.descheduled.undecided).min(lost - slept);
    let shared = subject.ns(subject.profile.descheduled.shared).min(lost - slept);
    let recorders = subject.ns(subject.profile.descheduled.to_recorder).min(lost - slept);
    if slept > (lost - undecided) / 2.0 {
        let share = format!("{} of its threads' time, {}", time(slept), percent(slept, whole));
        return vec![asleep::in_regions(subject, slept, share)];
    }
    let lost = lost - slept;
    let share = format!(
        "its threads were kept from running for {}, {} of their time",
        time(lost),
        percent(lost, whole)
    );
    // Where regions inside regions make them too many, it is not known who would do what otherwise.
    let has_large = subject.groups.iter().any(|group| group.threads > f64::from(processors) + 0.5);
    match budget.workers > processors && had_processors(subject.profile) {
        true if has_large => vec![oversubscribed(subject, lost, share)],
        true => Vec::new(),
        false if recorders > lost / 2.0 => vec![recorder_had_them(subject, lost, recorders, share)],
        false if shared > lost / 2.0 => vec![shared_a_processor(subject, lost, shared, share)],
        false => vec![others(subject, lost, undecided, share)],
    }
}

/// What the busiest worker did in regions: fewer threads do not divide that further.
fn longest(subject: &Subject) -> f64 {
    let grains = &subject.profile.grains;
    let mut of_worker = vec![0_u64; subject.profile.workers as usize];
    for row in grains.rows() {
        let own = of_worker.get_mut(grains.worker[row] as usize);
        if let Some(sum) = own.filter(|_| !matches!(grains.kind[row], GrainKind::Initial)) {
            *sum += grains.work.of(row).0;
        }
    }
    subject.ns(Ticks(of_worker.into_iter().max().unwrap_or(0)))
}

/// What the threads have on their own between barriers is as uneven with fewer threads: for how
/// much longer than the mean the longest of them would then work. In a phase that creates tasks,
/// each thread takes what there is.
fn uneven(subject: &Subject) -> f64 {
    let phases = phases(subject.profile);
    let own = phases.iter().filter(|phase| !phase.creates && phase.threads.len() > 1);
    let longer = |phase: &Phase| {
        phase.longest_on_processors - phase.work() / subject.at_once(phase.threads.len() as f64)
    };
    own.map(longer).map(|ns| ns.max(0.0)).sum()
}

/// All regions' work, divided among the processors, is what they could take: evenly, but for what
/// threads have on their own.
fn oversubscribed(subject: &Subject, lost: f64, share: String) -> Finding {
    let (workers, processors) = (subject.budget.workers, subject.profile.meta.processors);
    let own_wall =
        |group: &Group| group.wall - group.ns(subject.profile, Class::Recorder) / group.threads.max(1.0);
    let regions: f64 = subject.groups.iter().map(own_wall).sum();
    let work: f64 = subject.groups.iter().map(|group| group.busy(subject.profile)).sum();
    let after = (work / f64::from(processors) + uneven(subject)).max(longest(subject));
    Finding {
        rule: "too-many-threads",
        title: format!(
            "{} on {}",
            several(workers.into(), "thread"),
            several(processors.into(), "processor")
        ),
        place: subject.groups.iter().max_by(|a, b| a.wall.total_cmp(&b.wall)).and_then(|group| group.place),
        region: None,
        when: None,
        lost_ns: lost,
        gain_ns: (regions - after).min(lost / f64::from(processors)),
        evidence: vec![share],
        remedy: format!("Run it with OMP_NUM_THREADS={processors}, or leave it unset."),
        estimate: format!(
            "the work of the regions, divided among {}",
            several(processors.into(), "processor")
        ),
    }
}

/// The system may have kept two threads of the program on one processor while another was free, or
/// others had the other one.
fn shared_a_processor(subject: &Subject, lost: f64, shared: f64, share: String) -> Finding {
    let has_processor_for_each = subject.budget.workers <= subject.profile.meta.processors;
    Finding {
        title: "threads had work and did not run: the system ran several of them on one processor".to_owned(),
        evidence: vec![share, format!("for {} of that, another of its threads had the processor", time(shared))],
        remedy: if has_processor_for_each {
            "Set OMP_PROC_BIND=true, which gives each thread a processor of its own, unless other programs use them, \
             too. The figures of this recording are less certain."
        } else {
            "Run it with no more threads than processors (OMP_NUM_THREADS), on a quiet machine. The figures of this \
             recording are less certain."
        }
        .to_owned(),
        ..descheduled(subject, lost)
    }
}

/// A thread of the recorder's had the processors: it prepared the files.
fn recorder_had_them(subject: &Subject, lost: f64, recorders: f64, share: String) -> Finding {
    Finding {
        title: "threads had work and did not run: a thread of the recorder's had the processors".to_owned(),
        evidence: vec![share, format!("for {} of that, the recorder prepared its files there", time(recorders))],
        remedy: "Leave the recorder a processor (OMP_NUM_THREADS), or record less (`teff record --every`). The figures \
                 of this recording are less certain."
            .to_owned(),
        ..descheduled(subject, lost)
    }
}

fn others(subject: &Subject, lost: f64, undecided: f64, share: String) -> Finding {
    Finding {
        title: if undecided > lost / 2.0 {
            "threads had work and did not run: they slept, or other processes had the processors"
        } else {
            "threads had work and did not run: other processes had the processors"
        }
        .to_owned(),
        evidence: vec![share],
        remedy:
            "Run it on a quiet machine, or bind it to processors that other programs do not use (taskset, \
                 OMP_PLACES). The figures of this recording are less certain."
                .to_owned(),
        ..descheduled(subject, lost)
    }
}
