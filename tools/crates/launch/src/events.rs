// SPDX-License-Identifier: Apache-2.0
//! The names of events that the processor and the kernel count, for perf_event_open: perf's own
//! names, PAPI's presets of the same meaning, and sets of events.

use terminal::{Failure, Result};

const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;
const CACHE: u32 = 3;
const RAW: u32 = 4;
/// How many events are counted for each thread (teff_stat.h), and in each fragment of a grain
/// (counted_events.h).
const MOST_OF_THREADS: usize = 8;
const MOST_OF_FRAGMENTS: usize = 6;

/// Name, PAPI's name for it, type, number.
const KNOWN: [(&str, &str, u32, u64); 22] = [
    ("cycles", "PAPI_TOT_CYC", HARDWARE, 0),
    ("instructions", "PAPI_TOT_INS", HARDWARE, 1),
    ("cache-references", "PAPI_L3_TCA", HARDWARE, 2),
    ("cache-misses", "PAPI_L3_TCM", HARDWARE, 3),
    ("branches", "PAPI_BR_INS", HARDWARE, 4),
    ("branch-misses", "PAPI_BR_MSP", HARDWARE, 5),
    ("stalled-cycles-frontend", "PAPI_STL_ICY", HARDWARE, 7),
    ("stalled-cycles-backend", "PAPI_RES_STL", HARDWARE, 8),
    ("ref-cycles", "PAPI_REF_CYC", HARDWARE, 9),
    ("L1-dcache-loads", "PAPI_L1_DCA", CACHE, 0),
    ("L1-dcache-load-misses", "PAPI_L1_DCM", CACHE, 0x1_0000),
    ("LLC-loads", "", CACHE, 2),
    ("LLC-load-misses", "", CACHE, 0x1_0002),
    ("dTLB-load-misses", "PAPI_TLB_DM", CACHE, 0x1_0003),
    ("iTLB-load-misses", "PAPI_TLB_IM", CACHE, 0x1_0004),
    ("task-clock", "", SOFTWARE, 1),
    ("page-faults", "", SOFTWARE, 2),
    ("context-switches", "", SOFTWARE, 3),
    ("cpu-migrations", "", SOFTWARE, 4),
    ("minor-faults", "", SOFTWARE, 5),
    ("major-faults", "", SOFTWARE, 6),
    ("alignment-faults", "", SOFTWARE, 7),
];

const SETS: [(&str, &[&str]); 4] = [
    ("basic", &["cycles", "instructions", "cache-misses", "branch-misses"]),
    ("cache", &["L1-dcache-loads", "L1-dcache-load-misses", "cache-references", "cache-misses"]),
    ("branch", &["branches", "branch-misses"]),
    ("software", &["task-clock", "page-faults", "context-switches", "cpu-migrations"]),
];

/// The events of the kernel that it tells for a thread at any moment (thread_counters.cpp).
const OF_FRAGMENTS: [&str; 5] =
    ["task-clock", "page-faults", "context-switches", "minor-faults", "major-faults"];

pub struct Event {
    pub name: String,
    kind: u32,
    number: u64,
}

impl Event {
    /// The form that TEFF_STAT_EVENTS requires.
    pub fn pair(&self) -> String {
        format!("{}:{}", self.kind, self.number)
    }

    /// The form that TEFF_TRACE_COUNTERS requires.
    pub fn named_pair(&self) -> String {
        format!("{}={}", self.name, self.pair())
    }
}

/// The events to count for each thread.
pub fn of_threads(words: &[String]) -> Result<Vec<Event>> {
    chosen(words, MOST_OF_THREADS)
}

/// The events to count in each fragment of a grain.
pub fn of_fragments(words: &[String]) -> Result<Vec<Event>> {
    let chosen = chosen(words, MOST_OF_FRAGMENTS)?;
    let is_told = |event: &&Event| event.kind != SOFTWARE || OF_FRAGMENTS.contains(&&*event.name);
    match chosen.iter().find(|event| !is_told(event)) {
        None => Ok(chosen),
        Some(event) => Err(Failure::Usage(format!(
            "{} cannot be counted in each grain, as the kernel does not tell it while a thread runs. Of the kernel's \
             events, {} can.",
            event.name,
            OF_FRAGMENTS.join(", ")
        ))),
    }
}

/// The events of the given sets and names, each once.
fn chosen(words: &[String], most: usize) -> Result<Vec<Event>> {
    let mut chosen: Vec<Event> = Vec::new();
    for word in words {
        let set = SETS.iter().find(|(name, _)| name == word);
        let names = set.map_or_else(|| vec![word.as_str()], |(_, names)| names.to_vec());
        for name in names {
            let event = event(name)?;
            if chosen.iter().all(|other| other.name != event.name) {
                chosen.push(event);
            }
        }
    }
    if chosen.len() > most {
        return Err(Failure::Usage(format!(
            "at most {most} events can be counted in one run; these are {}.",
            chosen.len()
        )));
    }
    Ok(chosen)
}

fn event(name: &str) -> Result<Event> {
    let known = KNOWN.iter().find(|(perf, papi, ..)| *perf == name || (*papi == name && !papi.is_empty()));
    if let Some(&(_, _, kind, number)) = known {
        return Ok(Event { name: name.to_owned(), kind, number });
    }
    if let Some(number) = name.strip_prefix('r').and_then(|digits| u64::from_str_radix(digits, 16).ok()) {
        return Ok(Event { name: name.to_owned(), kind: RAW, number });
    }
    let names: Vec<_> = KNOWN.iter().map(|(perf, ..)| *perf).collect();
    let sets: Vec<_> = SETS.iter().map(|(set, _)| *set).collect();
    Err(Failure::Usage(format!(
        "there is no event {name:?}. The events are {}; the sets {}; PAPI's presets of the same meaning; and rNNN, the \
         processor's own event with that hexadecimal number.",
        names.join(", "),
        sets.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(words: &[&str]) -> Vec<String> {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        of_threads(&words).unwrap().iter().map(Event::pair).collect()
    }

    #[test]
    fn names_sets_and_numbers() {
        assert_eq!(pairs(&["instructions", "PAPI_TOT_CYC", "r1a8"]), ["0:1", "0:0", "4:424"]);
        assert_eq!(pairs(&["branch", "branches", "page-faults"]), ["0:4", "0:5", "1:2"]);
    }

    #[test]
    fn unknown_or_too_many() {
        assert!(of_threads(&["instruction".to_owned()]).is_err());
        assert!(of_threads(&[String::new()]).is_err());
        let many: Vec<_> = ["basic", "cache", "software"].map(str::to_owned).to_vec();
        assert!(of_threads(&many).is_err());
    }

    #[test]
    fn events_of_fragments() {
        let of = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
            of_fragments(&words).map(|events| events.iter().map(Event::named_pair).collect::<Vec<_>>())
        };
        let named = of(&["page-faults", "LLC-loads", "PAPI_RES_STL", "r1a8"]).unwrap();
        assert_eq!(named, ["page-faults=1:2", "LLC-loads=3:2", "PAPI_RES_STL=0:8", "r1a8=4:424"]);
        assert!(of(&["cpu-migrations"]).is_err(), "the kernel does not tell it");
        assert!(of(&["software"]).is_err());
        assert!(of(&["basic", "branch"]).is_ok());
        assert!(of(&["basic", "cache"]).is_err(), "seven events");
    }
}
