// SPDX-License-Identifier: Apache-2.0
//! The recordings, and the programs and inputs that they are of.
//!
//! Recordings of the same program (by the name of its file) with the same arguments count as one:
//! each property is the median over the recordings that have it. Times are taken from recordings
//! without counts, if there are any, because counting takes time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use grains::characterise::{Observed, Property, Table};
use grains::metrics::median;
use grains::wholeness::Kind;
use recordings::{counts_of, open, Purpose, RecordingArgs};
use terminal::{printable, Failure, Result};
use trace::Meta;

use super::counters::Counted;
use crate::args::CharacteriseArgs;

/// A folder in a folder in the one that was given.
const DEEPEST: usize = 3;

pub struct Programs {
    pub table: Table,
    /// Critical path and sequential work are in instructions; else in ns.
    pub in_instructions: bool,
    pub recordings: usize,
    /// By program: of the first of its recordings that has counters.
    pub counted: Vec<Option<Counted>>,
    pub messages: Vec<String>,
}

pub fn read(args: &CharacteriseArgs) -> Result<Programs> {
    let mut found = Vec::new();
    for directory in &args.directories {
        let before = found.len();
        find(directory, DEEPEST, &mut found)?;
        if found.len() == before {
            return Err(Failure::Usage(format!(
                "{} is not a recording, and contains none. `teff record` makes one.",
                directory.display()
            )));
        }
    }
    let mut messages = Vec::new();
    let mut by_program: BTreeMap<(Vec<String>, String), Vec<Observed>> = BTreeMap::new();
    let mut counted: BTreeMap<(Vec<String>, String), Counted> = BTreeMap::new();
    for directory in &found {
        match observe(directory, args.any_size) {
            Ok(read) => {
                messages.extend(read.messages);
                if let Some(found) = read.counted {
                    counted.entry(read.name.clone()).or_insert(found);
                }
                by_program.entry(read.name).or_default().push(read.observed);
            }
            Err(failure) => messages.push(format!("left out: {failure}")),
        }
    }
    let in_instructions =
        by_program.values().all(|all| all.iter().any(|observed| observed.counted.is_some()));
    let mut table = Table { programs: short(by_program.keys().map(|(_, name)| name)), ..Table::default() };
    let counted = by_program.keys().map(|name| counted.remove(name)).collect();
    for ((_, name), all) in &by_program {
        table.values.push(Property::ALL.map(|property| middle(all, property, in_instructions)));
        messages.extend(unmatched(name, all));
    }
    Ok(Programs { table, in_instructions, recordings: found.len(), counted, messages })
}

/// Recordings, in the order of their names.
fn find(directory: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    if trace::is_recording(directory) {
        found.push(directory.to_owned());
        return Ok(());
    }
    if depth == 0 {
        return Ok(());
    }
    let entries = fs::read_dir(directory).map_err(|error| Failure::io("read", directory, error))?;
    let mut below: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    below.sort();
    below.iter().try_for_each(|path| find(path, depth - 1, found))
}

struct Read {
    name: (Vec<String>, String),
    observed: Observed,
    counted: Option<Counted>,
    messages: Vec<String>,
}

fn observe(directory: &Path, any_size: bool) -> Result<Read> {
    let args = RecordingArgs::all_of(directory.to_owned(), None, any_size);
    let mut profile = open(&args, Purpose::Report)?;
    if profile.wholeness.kind == Kind::Damaged {
        return Err(Failure::Recording(format!("{} is damaged.", directory.display())));
    }
    let mut messages = Vec::new();
    let counts = counts_of(&profile, &mut messages)?;
    let observed = Observed::of(&profile, counts.as_ref());
    let counted = Counted::of(directory, &mut profile);
    Ok(Read { name: name_of(&profile.meta), observed, counted, messages })
}

/// The program's file without its folder, and its arguments; by these they are sorted. Numbers in
/// names go by their value, as `--size 9` before `--size 10`.
fn name_of(meta: &Meta) -> (Vec<String>, String) {
    let mut words: Vec<String> = meta.command.to_string().split_whitespace().map(printable).collect();
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or_default().to_owned();
    }
    let key = words.iter().map(|word| match word.parse::<u64>() {
        Ok(number) => format!("{number:020}"),
        Err(_) => word.clone(),
    });
    (key.collect(), words.join(" "))
}

/// Without the words that all inputs of a program share, where these have as many words.
fn short<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let names: Vec<Vec<&str>> = names.map(|name| name.split(' ').collect()).collect();
    let differs = |name: &[&str], at: usize| {
        let mut inputs = names.iter().filter(|other| other[0] == name[0]);
        inputs.any(|other| other.len() != name.len() || other[at] != name[at])
    };
    let of = |name: &Vec<&str>| {
        let words = (0..name.len()).filter(|&at| at == 0 || differs(name, at)).map(|at| name[at]);
        words.collect::<Vec<_>>().join(" ")
    };
    names.iter().map(of).collect()
}

fn middle(all: &[Observed], property: Property, in_instructions: bool) -> Option<f64> {
    let counted: Vec<&Observed> = all.iter().filter(|observed| observed.counted.is_some()).collect();
    let plain: Vec<&Observed> = all.iter().filter(|observed| observed.counted.is_none()).collect();
    let of_time = matches!(property, Property::CriticalPath | Property::SequentialWork) && !in_instructions;
    let from = match of_time && !plain.is_empty() {
        true => plain,
        false if counted.is_empty() => plain,
        false => counted,
    };
    let mut values: Vec<f64> =
        from.iter().filter_map(|observed| observed.value(property, in_instructions)).collect();
    (!values.is_empty()).then(|| median(&mut values))
}

/// Fewer counts than this have their grain in the recording: then they are not of one run.
const MATCHED: f64 = 0.99;

fn unmatched(name: &str, all: &[Observed]) -> Option<String> {
    let counted = all.iter().filter_map(|observed| observed.counted);
    let least = counted.map(|counted| counted.matched).fold(1.0, f64::min);
    (least < MATCHED).then(|| {
        format!("{name}: only {:.0} % of its counts belong to grains in the recording.", least * 100.0)
    })
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn names_keep_what_tells_inputs_apart() {
        let names = ["fib --n 3 -x", "fib --n 4 -x", "sort --n 3", "uts a", "uts a b"].map(str::to_owned);
        assert_eq!(short(names.iter()), ["fib 3", "fib 4", "sort", "uts a", "uts a b"]);
    }
}
