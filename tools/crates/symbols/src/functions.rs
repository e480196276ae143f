// SPDX-License-Identifier: Apache-2.0
//! The functions in which threads were when samples were taken, by site and by serial part.
//!
//! A function that the compiler has inlined counts as a function if it is in the same file as the
//! code around it, or in another source file (`-flto`). Other inlined code, such as templates from
//! headers, belongs to the function around it. Where nothing is known but the object, the object
//! stands for all its functions.

use std::collections::HashMap;

use grains::inside::{grains_of_samples, is_serial, SerialParts};
use grains::{Frame, GrainRow, Hit, PlaceRow, Profile, Row};
use serde::Serialize;

use crate::sites::Sites;
use crate::stacks::{way, CallFacts, Called, Inclusive, Stacks, Way};
use crate::symbol::{counted, Symbol};
use crate::symbols::Symbols;

/// What ran in a site or part of the program, by samples.
#[derive(Clone, Default, Serialize)]
pub struct InsideFacts {
    pub samples: u64,
    /// Those that fell into the kernel.
    pub kernel: u64,
    /// Those of the kernel of which it is not known which function entered it.
    pub kernel_unplaced: u64,
    /// By falling number of samples.
    pub functions: Vec<FunctionFacts>,
    /// Samples whose stacks are known.
    #[serde(skip_serializing_if = "is_zero")]
    pub stacks: u64,
    /// The functions that were on these stacks, by falling number of samples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallFacts>,
    /// The deepest function of the program's own files that was on most of these stacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<CallFacts>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Clone, Serialize)]
pub struct FunctionFacts {
    /// Empty: it is not known.
    pub function: String,
    /// The object that contains it, without folders.
    pub object: String,
    /// The line in it that had most samples.
    pub file: String,
    pub line: u32,
    pub samples: u64,
    /// Those in which the function had entered the kernel.
    pub kernel: u64,
}

/// All samples of a profile, and what ran then.
pub struct Functions<'a> {
    profile: &'a Profile,
    symbols: &'a Symbols,
    /// For each sample.
    grains: Vec<Option<GrainRow>>,
    stacks: Stacks,
}

impl<'a> Functions<'a> {
    /// `None`: no samples were taken.
    pub fn of(profile: &'a Profile, symbols: &'a Symbols) -> Option<Self> {
        let is_sampled = !profile.samples.hits.is_empty();
        is_sampled.then(|| Self {
            profile,
            symbols,
            grains: grains_of_samples(profile),
            stacks: Stacks::of(profile, symbols),
        })
    }

    /// For each sample, the grain that its thread ran. `None`: it ran none.
    pub fn grains(&self) -> impl Iterator<Item = Option<GrainRow>> + '_ {
        self.grains.iter().copied()
    }

    /// For each row of `sites`.
    pub fn of_sites(&self, sites: &Sites) -> Vec<InsideFacts> {
        let mut by_site = self.group(|grain, _| grain.map(|grain| sites.of_grain[grain]));
        (0..sites.rows.len() as u32).map(|row| by_site.remove(&row).unwrap_or_default()).collect()
    }

    /// In no grain: in waits, and in the runtime's own work.
    pub fn elsewhere(&self) -> InsideFacts {
        self.group(|grain, _| grain.is_none().then_some(())).remove(&()).unwrap_or_default()
    }

    /// By the regions by which serial parts are known.
    pub fn of_serial_parts(&self) -> HashMap<Option<PlaceRow>, InsideFacts> {
        let parts = SerialParts::of(self.profile);
        self.group(|grain, hit| {
            grain.filter(|&grain| is_serial(self.profile, grain)).map(|_| parts.place_at(hit.at))
        })
    }

    /// What was sampled in each grain: the names of the functions that were being executed, as
    /// `of_hits` has them.
    pub fn of_grains(&self) -> impl Iterator<Item = (GrainRow, Vec<String>, u32)> + '_ {
        let hits = self.of_hits().zip(&self.grains);
        hits.filter_map(|((names, count), grain)| Some(((*grain)?, names, count)))
    }

    /// For each sample: the names of the functions that were being executed, the outermost first,
    /// or of the function alone if its stack is not known. The kernel's are empty.
    pub fn of_hits(&self) -> impl Iterator<Item = (Vec<String>, u32)> + '_ {
        let names: HashMap<Row<Frame>, String> =
            self.known().map(|frame| (frame, self.name(frame))).collect();
        self.profile.samples.hits.iter().map(move |hit| {
            if let Some(calls) = self.stacks.of_hit(hit) {
                return (calls.iter().map(Called::name).collect(), hit.count);
            }
            let name = hit.frame.filter(|_| !hit.in_kernel).and_then(|frame| names.get(&frame).cloned());
            (name.into_iter().collect(), hit.count)
        })
    }

    fn known(&self) -> impl Iterator<Item = Row<Frame>> + '_ {
        self.profile.samples.hits.iter().filter_map(|hit| hit.frame)
    }

    fn name(&self, frame: Row<Frame>) -> String {
        let Named { function, object, .. } = self.named(frame);
        match (function.is_empty(), object.is_empty()) {
            (false, _) => function,
            (true, false) => object,
            (true, true) => "(unknown)".to_owned(),
        }
    }

    fn group<Key>(&self, key: impl Fn(Option<GrainRow>, &Hit) -> Option<Key>) -> HashMap<Key, InsideFacts>
    where
        Key: std::hash::Hash + Eq + Copy,
    {
        let mut groups: HashMap<Key, HashMap<Option<Row<Frame>>, Count>> = HashMap::new();
        let mut ways: HashMap<Key, HashMap<Way, u64>> = HashMap::new();
        for (hit, &grain) in self.profile.samples.hits.iter().zip(&self.grains) {
            let Some(key) = key(grain, hit) else { continue };
            if let Some(way) = way(hit) {
                *ways.entry(key).or_default().entry(way).or_default() += u64::from(hit.count);
            }
            let count = groups.entry(key).or_default().entry(hit.frame).or_default();
            count.samples += u64::from(hit.count);
            count.kernel += if hit.in_kernel { u64::from(hit.count) } else { 0 };
        }
        let facts = |key, frames| self.facts(frames, ways.get(&key));
        groups.into_iter().map(|(key, frames)| (key, facts(key, frames))).collect()
    }

    fn facts(
        &self,
        frames: HashMap<Option<Row<Frame>>, Count>,
        ways: Option<&HashMap<Way, u64>>,
    ) -> InsideFacts {
        let mut facts = InsideFacts::default();
        let mut inclusive = Inclusive::default();
        for (&way, &samples) in ways.into_iter().flatten() {
            inclusive.add(self.stacks.of_way(way).unwrap_or_default(), samples);
        }
        facts.stacks = inclusive.samples();
        (facts.calls, facts.within) = inclusive.facts();
        let mut functions: HashMap<(String, String), Vec<(Named, Count)>> = HashMap::new();
        for (frame, count) in frames {
            facts.samples += count.samples;
            facts.kernel += count.kernel;
            match frame {
                None if count.kernel == count.samples => facts.kernel_unplaced += count.kernel,
                _ => {
                    let named = frame.map(|frame| self.named(frame)).unwrap_or_default();
                    let key = (named.function.clone(), named.object.clone());
                    functions.entry(key).or_default().push((named, count));
                }
            }
        }
        facts.functions = functions.into_values().map(|parts| function(&parts)).collect();
        facts.functions.sort_by(|a, b| {
            b.samples.cmp(&a.samples).then_with(|| (&a.function, &a.object).cmp(&(&b.function, &b.object)))
        });
        facts
    }

    fn named(&self, frame: Row<Frame>) -> Named {
        let object = self.symbols.object_of_frame(frame).to_owned();
        let Some(symbol) = innermost_of_source(self.symbols.frame(frame)) else {
            return Named { object, ..Named::default() };
        };
        let name = symbol.name_of_function();
        Named { function: name.to_owned(), object, file: symbol.file.clone(), line: symbol.line }
    }
}

/// Of the functions at an address, the innermost inlined one first: the innermost one that is in
/// the file of the outermost one or in a source file, as all between them are.
fn innermost_of_source(functions: &[Symbol]) -> Option<&Symbol> {
    counted(functions).first()
}

#[derive(Clone, Copy, Default)]
struct Count {
    samples: u64,
    kernel: u64,
}

#[derive(Clone, Default)]
struct Named {
    function: String,
    object: String,
    file: String,
    line: u32,
}

fn function(parts: &[(Named, Count)]) -> FunctionFacts {
    let mut lines: HashMap<(&str, u32), u64> = HashMap::new();
    for (named, count) in parts {
        *lines.entry((&named.file, named.line)).or_default() += count.samples;
    }
    let hottest = lines.into_iter().max_by_key(|&(line, samples)| (samples, std::cmp::Reverse(line)));
    let ((file, line), _) = hottest.unwrap_or_default();
    let sum = |of: fn(&Count) -> u64| parts.iter().map(|(_, count)| of(count)).sum();
    let (function, object) =
        parts.first().map(|(named, _)| (named.function.clone(), named.object.clone())).unwrap_or_default();
    FunctionFacts {
        function,
        object,
        file: file.to_owned(),
        line,
        samples: sum(|count| count.samples),
        kernel: sum(|count| count.kernel),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(function: &str, file: &str) -> Symbol {
        Symbol { function: function.to_owned(), file: file.to_owned(), line: 1 }
    }

    #[test]
    fn inlined_functions_of_source_files_count() {
        let name = |functions: &[Symbol]| innermost_of_source(functions).map(|one| one.function.clone());
        let (sqrt, heavy) = (at("sqrt", "math.h"), at("heavy", "a.c"));
        let (sum, main) = (at("sum", "a.c"), at("main", "a.c"));
        assert_eq!(name(&[sqrt.clone(), heavy.clone(), main.clone()]).as_deref(), Some("heavy"));
        assert_eq!(name(&[sum.clone(), heavy.clone(), main.clone()]).as_deref(), Some("sum"));
        assert_eq!(name(&[heavy, sqrt, main.clone()]).as_deref(), Some("main"));
        let (fill, first) = (at("fill", "grid.c"), at("first", "vector"));
        assert_eq!(name(&[fill.clone(), main.clone()]).as_deref(), Some("fill"), "-flto");
        assert_eq!(name(&[first, fill.clone(), main.clone()]).as_deref(), Some("fill"));
        assert_eq!(name(&[at("solve", "solve.F90"), main.clone()]).as_deref(), Some("solve"));
        assert_eq!(name(&[main]).as_deref(), Some("main"));
        assert_eq!(name(&[]), None);
    }
}
