// SPDX-License-Identifier: Apache-2.0
//! How reliable the numbers of a report are: what disturbed the run, and what recording it cost.

use std::collections::HashMap;

use grains::budget::{Budget, Class};
use grains::findings::had_processors;
use grains::units::{bytes, percent, several, time};
use grains::{Apart, Basis, Profile, Ticks};
use serde::Serialize;

/// The part of the workers' time below which a disturbance does not matter.
const LEAST: f64 = 0.01;

/// With more records than that for each grain, the grains say nothing about the cost.
const MOST_RECORDS: f64 = 50.0;

/// Records are shorter than that. Files with more bytes for each are mostly unused: a thread takes
/// a MiB at a time.
const MOST_BYTES: f64 = 128.0;

/// Times are in nanoseconds.
#[derive(Serialize)]
pub struct QualityFacts {
    pub complete: bool,
    /// Whether there were more workers than processors.
    pub oversubscribed: bool,
    /// Time in which workers had a task to run, but no processor.
    pub descheduled_ns: f64,
    /// What this is based on.
    pub descheduled_basis: &'static str,
    /// The part of it in which threads slept.
    pub slept_ns: f64,
    /// The part in which they slept or lost their processors, and it is not known which.
    pub undecided_ns: f64,
    /// The part in which other workers of the process had their processors.
    pub shared_ns: f64,
    /// The part in which threads of the recorder's had them.
    pub to_recorder_ns: f64,
    /// CPU time of the process; `null` if it is not known.
    pub cpu_ns: Option<f64>,
    pub lost_records: u64,
    pub recorder_ns: f64,
    /// The part of it that reading counters took.
    pub counters_ns: f64,
    /// The part of it before the first record, which does not depend on how much is recorded.
    pub preparation_ns: f64,
    /// The share of workers x wall.
    pub recorder_share: f64,
    pub records: u64,
    pub bytes_per_grain: f64,
    /// Work of teams outside of chunks. The span of any schedule contains it as it ran.
    pub unseen_static_ns: f64,
    /// The facts above that matter in this recording, in whole sentences.
    pub notes: Vec<String>,
}

impl QualityFacts {
    pub fn of(profile: &Profile, budget: &Budget) -> Self {
        let whole_ns = profile.ns(budget.whole());
        let recorder_ns = profile.ns(profile.recorder.total);
        let grains = profile.grains.len().max(1) as f64;
        let descheduled = budget.total.of(Class::Descheduled);
        let mut facts = Self {
            complete: profile.complete,
            oversubscribed: profile.workers > profile.meta.processors,
            descheduled_ns: profile.ns(descheduled),
            descheduled_basis: profile.basis().name(),
            slept_ns: profile.ns(profile.descheduled.slept.min(descheduled)),
            undecided_ns: profile.ns(profile.descheduled.undecided.min(descheduled)),
            shared_ns: profile.ns(profile.descheduled.shared.min(descheduled)),
            to_recorder_ns: profile.ns(profile.descheduled.to_recorder.min(descheduled)),
            cpu_ns: profile.cpu_ns.map(|ns| ns as f64),
            lost_records: profile.lost_records,
            recorder_ns,
            counters_ns: profile.ns(profile.recorder.counters.min(profile.recorder.total)),
            preparation_ns: profile.ns(preparation(profile)).min(recorder_ns),
            recorder_share: if whole_ns > 0.0 { recorder_ns / whole_ns } else { 0.0 },
            records: profile.records,
            bytes_per_grain: profile.bytes as f64 / grains,
            unseen_static_ns: profile.ns(profile.unseen_static),
            notes: Vec::new(),
        };
        let with_waiting_ns = profile.ns(budget.total.of(Class::Recorder));
        facts.notes = facts.sentences(profile, whole_ns, with_waiting_ns, grains);
        facts
    }

    fn sentences(&self, profile: &Profile, whole_ns: f64, with_waiting_ns: f64, grains: f64) -> Vec<String> {
        let mut notes = Vec::new();
        if self.oversubscribed {
            notes.push(self.crowd(profile, whole_ns));
        } else if self.descheduled_ns >= LEAST * whole_ns && whole_ns > 0.0 {
            notes.push(self.descheduled(whole_ns, basis(profile)));
        }
        if self.recorder_ns.max(with_waiting_ns) >= LEAST * whole_ns && whole_ns > 0.0 {
            notes.push(format!(
                "Recording took {}: {}.{} This time is in no other class, nor in the span; without recording, the \
                 program is faster.",
                self.cost(whole_ns, with_waiting_ns),
                self.unit_cost(grains),
                self.of_counters()
            ));
        }
        notes.extend(before_recording(profile.meta.start_cpu_ns as f64, profile.ns(profile.recording)));
        notes
    }

    /// "4 ms, 2 % of the workers' time", or also with the time in which workers waited for the
    /// recorder. The share is the one that the budget's class has, which includes that time, and
    /// which is of the chosen part of the run alone.
    fn cost(&self, whole_ns: f64, with_waiting_ns: f64) -> String {
        let own = time(self.recorder_ns.min(with_waiting_ns));
        let share = percent(with_waiting_ns, whole_ns);
        if with_waiting_ns - self.recorder_ns < LEAST * self.recorder_ns {
            return format!("{own}, {share} of the workers' time");
        }
        let all = time(with_waiting_ns);
        format!("{own}, and {all} with the workers that waited for it, {share} of their time")
    }

    /// Where it matters beside the rest: what of it the counters took.
    fn of_counters(&self) -> String {
        if self.counters_ns < LEAST * self.recorder_ns || self.counters_ns <= 0.0 {
            return String::new();
        }
        let share = percent(self.counters_ns, self.recorder_ns);
        format!(
            " Of it, {} ({share}) went into reading counters, which disturbs small grains.",
            time(self.counters_ns)
        )
    }

    /// "593 ns and 249 bytes a grain". In a program with few grains, most records are of waits.
    /// What it takes to begin is not a grain's.
    fn unit_cost(&self, grains: f64) -> String {
        let once = if self.preparation_ns > LEAST * self.recorder_ns {
            format!("{} once, to begin on each thread, and then ", time(self.preparation_ns))
        } else {
            String::new()
        };
        once + &self.cost_of_each(grains, self.recorder_ns - self.preparation_ns)
    }

    fn cost_of_each(&self, grains: f64, cost_ns: f64) -> String {
        let (records, all_bytes) = (self.records as f64, self.bytes_per_grain * grains);
        let bytes = bytes(all_bytes as u64);
        if records > MOST_RECORDS * grains {
            return format!("{} a record, {bytes} in all", time(cost_ns / records));
        }
        let cost = time(cost_ns / grains);
        if all_bytes > MOST_BYTES * records {
            return format!("{cost} a grain, {bytes} in all");
        }
        format!("{cost} and {:.0} bytes a grain", self.bytes_per_grain)
    }

    /// What threads slept by what they did is no lost processor: the finding about lost processors
    /// has the same figure.
    fn descheduled(&self, whole_ns: f64, basis: &str) -> String {
        let lost_ns = self.descheduled_ns - self.slept_ns;
        let workers = "Workers with a task to run";
        if lost_ns < LEAST * self.descheduled_ns.max(whole_ns) {
            let (slept, share) = (time(self.slept_ns), percent(self.slept_ns, whole_ns));
            return format!("{workers} slept for {slept}, {share} of their time{basis}.");
        }
        let slept = if self.slept_ns > LEAST * self.descheduled_ns {
            format!(" They also slept, for {}.", time(self.slept_ns))
        } else {
            String::new()
        };
        let (lost, share, why) = (time(lost_ns), percent(lost_ns, whole_ns), self.why_lost(lost_ns));
        format!(
            "{workers} had no processor for {lost}, {share} of their time: {why}{basis}.{slept} Measure again on a quiet \
             machine."
        )
    }

    /// "the system ran several of them on one processor for 2 ms, and other programs had their
    /// processors for 3 ms"
    fn why_lost(&self, lost_ns: f64) -> String {
        let decided_ns = lost_ns - self.undecided_ns;
        let shared_ns = self.shared_ns.min(decided_ns);
        let to_recorder_ns = self.to_recorder_ns.min(decided_ns - shared_ns);
        let others_ns = decided_ns - shared_ns - to_recorder_ns;
        let reasons = [
            (shared_ns, "the system ran several of them on one processor for {}"),
            (to_recorder_ns, "threads of the recorder had their processors for {}"),
            (others_ns, "other programs had their processors for {}"),
            (self.undecided_ns, "for {} they either slept or had lost their processors"),
        ];
        let matters = |&&(ns, _): &&(f64, &str)| ns > LEAST * lost_ns;
        let reasons: Vec<_> =
            reasons.iter().filter(matters).map(|&(ns, text)| text.replace("{}", &time(ns))).collect();
        match reasons.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, before)) => format!("{}, and {last}", before.join(", ")),
            None => String::new(),
        }
    }

    fn crowd(&self, profile: &Profile, whole_ns: f64) -> String {
        let lost_ns = self.descheduled_ns - self.slept_ns;
        let used =
            self.cpu_ns.map_or_else(String::new, |ns| format!(" The program used {} of CPU time.", time(ns)));
        let others = if had_processors(profile) || lost_ns < LEAST * whole_ns {
            ""
        } else {
            " In its regions these processors had more time to give: other programs used them, too."
        };
        format!(
            "{} shared {}: {}{used}{others} Measure with no more threads than processors.",
            several(u64::from(profile.workers), "worker"),
            several(u64::from(profile.meta.processors), "processor"),
            self.without_processor(whole_ns)
        )
    }

    /// What is not known to be lost is not the crowd's: the program sleeps with any number of
    /// threads.
    fn without_processor(&self, whole_ns: f64) -> String {
        let decided_ns = self.descheduled_ns - self.slept_ns - self.undecided_ns;
        let mut text = format!(
            "with a task to run they were without a processor for {}, {} of their time.",
            time(decided_ns),
            percent(decided_ns, whole_ns)
        );
        if self.slept_ns > LEAST * self.descheduled_ns {
            text.push_str(&format!(" They also slept, for {}.", time(self.slept_ns)));
        }
        if self.undecided_ns > LEAST * self.descheduled_ns {
            text.push_str(&format!(
                " For {} they either slept or had lost their processors.",
                time(self.undecided_ns)
            ));
        }
        text
    }
}

/// What the recorder took of the program's first thread before the first record, and of each other
/// thread before its first grain.
fn preparation(profile: &Profile) -> Ticks {
    let first: Ticks = profile.recorder.before.iter().map(|&(begin, end)| end - begin).sum();
    let grains = &profile.grains;
    let mut starts: HashMap<u16, Ticks> = HashMap::new();
    for row in grains.task_rows() {
        let (worker, start) = (grains.worker[row], grains.start.of(row));
        starts.entry(worker).and_modify(|known| *known = (*known).min(start)).or_insert(start);
    }
    let is_before = |apart: &&Apart| starts.get(&apart.worker).is_none_or(|&start| apart.begin < start);
    first + profile.recorder.apart.iter().filter(is_before).map(|apart| apart.own).sum()
}

/// Of the recorded time. Every program takes a little to be loaded.
const MUCH_BEFORE: f64 = 0.1;

/// `cpu_ns`: that the thread that loaded the runtime had used before.
fn before_recording(cpu_ns: f64, recorded_ns: f64) -> Option<String> {
    (cpu_ns > MUCH_BEFORE * recorded_ns).then(|| {
        format!(
            "The recording begins where the runtime was loaded: {} of CPU time had gone before. The CPU time of the \
             program includes it, and no other figure does.",
            time(cpu_ns)
        )
    })
}

fn basis(profile: &Profile) -> &'static str {
    match profile.basis() {
        Basis::Told => " (as the kernel told)",
        Basis::Partly => " (partly an estimate)",
        Basis::Estimated => " (an estimate)",
    }
}

/// "8 workers on 2 processors; 1.20 s of CPU time"
pub fn workers(workers: u32, processors: u32, cpu_ns: Option<f64>) -> String {
    let on = several(u64::from(processors), "processor");
    let used = cpu_ns.map_or_else(String::new, |ns| format!("; {} of CPU time", time(ns)));
    format!("{} on {on}{used}", several(u64::from(workers), "worker"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet() -> QualityFacts {
        QualityFacts {
            complete: true,
            oversubscribed: false,
            descheduled_ns: 0.0,
            slept_ns: 0.0,
            undecided_ns: 0.0,
            shared_ns: 0.0,
            to_recorder_ns: 0.0,
            descheduled_basis: "estimated",
            cpu_ns: None,
            lost_records: 0,
            recorder_ns: 0.0,
            counters_ns: 0.0,
            preparation_ns: 0.0,
            recorder_share: 0.0,
            records: 0,
            bytes_per_grain: 0.0,
            unseen_static_ns: 0.0,
            notes: Vec::new(),
        }
    }

    /// Of 100 ms.
    fn said(descheduled: f64, slept: f64, undecided: f64) -> String {
        let facts = QualityFacts {
            descheduled_ns: 1e6 * descheduled,
            slept_ns: 1e6 * slept,
            undecided_ns: 1e6 * undecided,
            ..quiet()
        };
        facts.descheduled(1e8, "")
    }

    #[test]
    fn the_share_of_the_recorder_is_that_of_its_class() {
        let facts = QualityFacts { recorder_ns: 4e6, ..quiet() };
        assert_eq!(facts.cost(100e6, 4.02e6), "4.00 ms, 4.0 % of the workers' time");
        assert_eq!(facts.cost(100e6, 3.8e6), "3.80 ms, 3.8 % of the workers' time");
        assert_eq!(
            facts.cost(100e6, 4.5e6),
            "4.00 ms, and 4.50 ms with the workers that waited for it, 4.5 % of their time"
        );
    }

    #[test]
    fn counters_that_cost_most_are_named() {
        let facts = QualityFacts { recorder_ns: 40e6, counters_ns: 38e6, ..quiet() };
        assert!(facts.of_counters().contains("38.0 ms (95 %) went into reading counters"));
        assert_eq!(QualityFacts { recorder_ns: 40e6, ..quiet() }.of_counters(), "");
    }

    #[test]
    fn the_cost_is_of_a_record_where_grains_are_few() {
        let few = QualityFacts { recorder_ns: 1e6, records: 10_000, bytes_per_grain: 1e5, ..quiet() };
        assert_eq!(few.unit_cost(2.0), "100 ns a record, 200 kB in all");
        let many = QualityFacts { recorder_ns: 1e6, records: 10_000, bytes_per_grain: 100.0, ..quiet() };
        assert_eq!(many.unit_cost(2000.0), "500 ns and 100 bytes a grain");
        let unused = QualityFacts { recorder_ns: 1e6, records: 10_000, bytes_per_grain: 1e3, ..quiet() };
        assert_eq!(unused.unit_cost(2000.0), "500 ns a grain, 2.0 MB in all");
    }

    #[test]
    fn what_is_paid_once_is_no_cost_of_a_grain() {
        let facts = QualityFacts {
            recorder_ns: 3e6,
            preparation_ns: 2e6,
            records: 10_000,
            bytes_per_grain: 100.0,
            ..quiet()
        };
        let said = facts.unit_cost(2000.0);
        assert_eq!(said, "2.00 ms once, to begin on each thread, and then 500 ns and 100 bytes a grain");
    }

    #[test]
    fn what_went_before_the_recording_is_said() {
        let said = before_recording(676e6, 839e6).unwrap_or_default();
        assert!(said.contains("676 ms of CPU time had gone before"), "{said}");
        assert_eq!(before_recording(2e6, 300e6), None);
        assert_eq!(before_recording(0.0, 300e6), None);
    }

    #[test]
    fn a_crowd_has_not_lost_what_it_slept() {
        let facts = QualityFacts { descheduled_ns: 10e6, slept_ns: 2e6, undecided_ns: 5e6, ..quiet() };
        assert_eq!(
            facts.without_processor(100e6),
            "with a task to run they were without a processor for 3.00 ms, 3.0 % of their time. They also slept, for \
             2.00 ms. For 5.00 ms they either slept or had lost their processors."
        );
    }

    #[test]
    fn only_reasons_that_took_time_are_given() {
        let lost = |time: &str, why: &str, slept: &str| {
            format!(
                "Workers with a task to run had no processor for {time} of their time: {why}.{slept} Measure again on a \
                 quiet machine."
            )
        };
        let either = "they either slept or had lost their processors";
        assert_eq!(said(15.5, 0.0, 15.5), lost("15.5 ms, 16 %", &format!("for 15.5 ms {either}"), ""));
        let others = "other programs had their processors for";
        assert_eq!(said(8.0, 0.0, 0.0), lost("8.00 ms, 8.0 %", &format!("{others} 8.00 ms"), ""));
        assert_eq!(said(8.0, 8.0, 0.0), "Workers with a task to run slept for 8.00 ms, 8.0 % of their time.");
        let both = format!("{others} 4.00 ms, and for 3.00 ms {either}");
        assert_eq!(said(9.0, 2.0, 3.0), lost("7.00 ms, 7.0 %", &both, " They also slept, for 2.00 ms."));
    }
}
