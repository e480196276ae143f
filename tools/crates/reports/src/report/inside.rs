// SPDX-License-Identifier: Apache-2.0
//! What the samples of a recording say as a whole, and of serial parts.

use std::collections::HashMap;

use grains::units::{count, percent, several, time};
use grains::{PlaceRow, Profile};
use serde::Serialize;
use symbols::functions::{FunctionFacts, Functions, InsideFacts};
use symbols::stacks::CallFacts;

/// `None` in a report of a recording without samples.
#[derive(Serialize)]
pub struct SamplingFacts {
    /// The CPU time of a thread between two samples.
    pub period_ns: u64,
    /// All samples, those of the kernel included.
    pub samples: u64,
    pub kernel: u64,
    /// Samples that could not be kept.
    pub lost: u64,
    /// The threads that were sampled, and those that the kernel did not sample.
    pub threads: u32,
    pub refused: u32,
    /// The CPU time of the first thread before its first construct, which has no samples.
    pub unsampled_ns: u64,
    /// ... and that of all threads. `None`: it is not known.
    #[serde(skip)]
    cpu_ns: Option<u64>,
    /// Samples in no grain: in waits, and in the runtime's own work.
    pub elsewhere: InsideFacts,
}

impl SamplingFacts {
    pub fn of(profile: &Profile, functions: Option<&Functions>) -> Option<Self> {
        let all = &profile.samples;
        let kernel = all.hits.iter().filter(|hit| hit.in_kernel).map(|hit| u64::from(hit.count)).sum();
        (all.threads > 0 || all.refused > 0).then(|| Self {
            period_ns: all.period_ns,
            samples: all.count(),
            kernel,
            lost: all.lost,
            threads: all.threads,
            refused: all.refused,
            unsampled_ns: profile.meta.met_cpu_ns.saturating_sub(profile.meta.start_cpu_ns),
            cpu_ns: profile.cpu_ns,
            elsewhere: functions.map(Functions::elsewhere).unwrap_or_default(),
        })
    }

    /// What the reader must know about the samples, in whole sentences.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.refused > 0 {
            notes.push(format!(
                "The kernel took no samples of {} (/proc/sys/kernel/perf_event_paranoid above 2, a filter for system \
                 calls, or no memory left for perf events: perf_event_mlock_kb): in which functions {} is not known.",
                several(u64::from(self.refused), "thread"),
                if self.refused == 1 { "it was" } else { "they were" }
            ));
        }
        let is_much = |cpu_ns: u64| self.unsampled_ns as f64 >= LARGE_SHARE * cpu_ns as f64;
        if self.unsampled_ns > 0 && self.threads > 0 && self.cpu_ns.is_some_and(is_much) {
            notes.push(format!(
                "Samples are taken from a thread's first use of OpenMP on: {} of the program's CPU time, before that, \
                 has none. The shares of functions are those of the time after it.",
                time(self.unsampled_ns as f64)
            ));
        }
        if self.lost > 0 {
            notes.push(format!(
                "{} of {} were lost: a thread met no event of OpenMP for so long that the kernel's memory for samples \
                 was full. The shares of functions are those of the samples before. A lower rate (teff record \
                 --sample=RATE) reaches further.",
                count(self.lost),
                several(self.lost.saturating_add(self.samples), "sample")
            ));
        }
        notes
    }
}

/// The share of the CPU time without samples that the reader must know.
const LARGE_SHARE: f64 = 0.1;
/// The largest number of functions that a sentence names.
const NAMED: usize = 3;
/// The share of the samples that a function must have to be named.
const LEAST_SHARE: f64 = 0.05;
/// Fewer samples tell nothing.
const FEWEST: u64 = 10;

/// For each serial part, by the region by which it is known: the functions that ran in it.
#[derive(Default)]
pub struct InSerialParts(HashMap<Option<PlaceRow>, String>);

impl InSerialParts {
    pub fn of(functions: Option<&Functions>) -> Self {
        let parts = functions.map(Functions::of_serial_parts).unwrap_or_default();
        Self(parts.into_iter().filter_map(|(place, inside)| Some((place, sentence(&inside)?))).collect())
    }

    pub fn get(&self, place: Option<PlaceRow>) -> Option<&String> {
        self.0.get(&place)
    }
}

fn sentence(inside: &InsideFacts) -> Option<String> {
    let share = |samples: u64| percent(samples as f64, inside.samples as f64);
    let matters = |samples: u64| samples as f64 >= LEAST_SHARE * inside.samples as f64;
    let functions = inside.functions.iter().filter(|function| matters(function.samples)).take(NAMED);
    let mut parts: Vec<_> =
        functions.map(|function| format!("{} in {}", share(function.samples), name(function))).collect();
    if inside.kernel > 0 && matters(inside.kernel) {
        parts.push(format!("{} in the kernel", share(inside.kernel)));
    }
    parts.extend(within(inside));
    (inside.samples >= FEWEST && !parts.is_empty())
        .then(|| format!("of {}: {}", several(inside.samples, "sample"), parts.join(", ")))
}

/// "62 % within solve (a.c:10)"; `None` if that is the function with most samples, which was named.
pub fn within(inside: &InsideFacts) -> Option<String> {
    let CallFacts { function, object, file, line, samples } = inside.within.as_ref()?;
    let is_hottest = |hottest: &FunctionFacts| (&hottest.function, &hottest.object) == (function, object);
    if inside.functions.first().is_some_and(is_hottest) {
        return None;
    }
    let place = match file.rsplit('/').next() {
        Some(file) if !file.is_empty() => format!("{file}:{line}"),
        _ => object.clone(),
    };
    Some(format!("{} within {function} ({place})", percent(*samples as f64, inside.stacks as f64)))
}

/// "solve (a.c:10)", or "memset (libc.so.6)"
pub fn name(function: &FunctionFacts) -> String {
    let place = match function.file.rsplit('/').next() {
        Some(file) if !file.is_empty() && function.line != 0 => format!("{file}:{}", function.line),
        _ => function.object.clone(),
    };
    match (&*function.function, &*place) {
        ("", "") => "(unknown)".to_owned(),
        ("", place) => place.to_owned(),
        (function, "") => function.to_owned(),
        (function, place) => format!("{function} ({place})"),
    }
}

/// "every 1.00 ms of CPU time"
pub fn how_often(sampling: &SamplingFacts) -> String {
    format!("every {} of CPU time", time(sampling.period_ns as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str, samples: u64) -> FunctionFacts {
        let (file, line, function) = ("/src/a.c".to_owned(), 7, name.to_owned());
        FunctionFacts { function, object: "a.out".to_owned(), file, line, samples, kernel: 0 }
    }

    fn inside(functions: Vec<FunctionFacts>, kernel: u64) -> InsideFacts {
        let samples = functions.iter().map(|function| function.samples).sum::<u64>() + kernel;
        InsideFacts { samples, kernel, kernel_unplaced: kernel, functions, ..InsideFacts::default() }
    }

    #[test]
    fn a_serial_part_is_named_by_the_functions_that_ran() {
        let of = |functions, kernel| sentence(&inside(functions, kernel));
        let part = of(vec![function("hot", 70), function("cold", 20), function("rare", 1)], 9);
        assert_eq!(
            part.as_deref(),
            Some("of 100 samples: 70 % in hot (a.c:7), 20 % in cold (a.c:7), 9.0 % in the kernel")
        );
        assert_eq!(of(vec![function("hot", 9)], 0), None, "nine samples tell nothing");
        assert_eq!(of(Vec::new(), 0), None);
    }

    #[test]
    fn the_function_of_the_program_that_called_it_is_named() {
        let call = |name: &str| CallFacts {
            function: name.to_owned(),
            object: "a.out".to_owned(),
            file: "/src/a.c".to_owned(),
            line: 3,
            samples: 60,
        };
        let part = |name: &str| {
            let inside = inside(vec![function("hot", 100)], 0);
            sentence(&InsideFacts { stacks: 80, within: Some(call(name)), ..inside })
        };
        let named = "of 100 samples: 100 % in hot (a.c:7)";
        assert_eq!(part("solve"), Some(format!("{named}, 75 % within solve (a.c:3)")));
        assert_eq!(part("hot").as_deref(), Some(named));
    }

    #[test]
    fn a_long_time_before_the_first_sample_is_told() {
        let notes = |unsampled_ns, cpu_ns| {
            let none = InsideFacts::default();
            let (period_ns, samples, kernel, lost, threads, refused) = (1_000_000, 9, 0, 0, 2, 0);
            let facts = SamplingFacts {
                period_ns,
                samples,
                kernel,
                lost,
                threads,
                refused,
                unsampled_ns,
                cpu_ns,
                elsewhere: none,
            };
            facts.notes().concat()
        };
        assert!(notes(1_200_000_000, Some(3_900_000_000)).contains("1.20 s of the program's CPU time"));
        assert_eq!(notes(100_000_000, Some(3_900_000_000)), "");
        assert_eq!(notes(0, Some(0)), "");
        assert_eq!(notes(1_200_000_000, None), "");
    }

    #[test]
    fn a_function_without_a_line_has_its_object() {
        let memset = FunctionFacts { line: 0, object: "libc.so.6".to_owned(), ..function("memset", 1) };
        assert_eq!(name(&memset), "memset (libc.so.6)");
        assert_eq!(name(&FunctionFacts { function: String::new(), ..memset }), "libc.so.6");
    }
}
