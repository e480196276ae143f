// SPDX-License-Identifier: Apache-2.0
//! The calls by which samples were reached, with names.
//!
//! Functions that the compiler has inlined have calls of their own, as far as `functions` counts
//! them as functions. A run of CPython's interpreter loop is replaced by the functions of Python
//! that this run executed: from the innermost one that no earlier run had, up to the one that C
//! code had called. If a stack ends before the outermost run, the rest of Python's functions
//! is at its outer end.

use std::collections::HashMap;

use grains::{Frame, Hit, Profile, PythonFrame, Row, Stack};
use serde::Serialize;

use crate::symbol::{counted, Symbol};
use crate::symbols::Symbols;

/// A function that was being executed.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Called {
    /// Empty: it is not known.
    pub function: String,
    /// The object that contains it, without folders; of Python: "python".
    pub object: String,
    /// Where it had called the next one, or where it was itself.
    pub file: String,
    pub line: u32,
}

/// The inclusive samples of a function: those in which it was on the stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallFacts {
    pub function: String,
    pub object: String,
    /// The line in it that had most samples.
    pub file: String,
    pub line: u32,
    pub samples: u64,
}

/// What leads to a sample.
pub(crate) type Way = (Option<Row<Frame>>, Row<Stack>);

/// The stacks of a profile's samples.
pub struct Stacks {
    calls: HashMap<Way, Vec<Called>>,
}

/// The interpreter's loop; compilers split parts of it off.
const LOOP: &str = "_PyEval_EvalFrameDefault";
const PYTHON: &str = "python";

impl Stacks {
    pub fn of(profile: &Profile, symbols: &Symbols) -> Self {
        let mut calls = HashMap::new();
        for hit in &profile.samples.hits {
            let Some(way) = way(hit) else { continue };
            calls.entry(way).or_insert_with(|| named(profile, symbols, way));
        }
        Self { calls }
    }

    /// The outermost first; the last one is the function in which the thread was. `None`: they are
    /// not known.
    pub fn of_hit(&self, hit: &Hit) -> Option<&[Called]> {
        self.of_way(way(hit)?)
    }

    pub(crate) fn of_way(&self, way: Way) -> Option<&[Called]> {
        self.calls.get(&way).map(Vec::as_slice)
    }
}

pub(crate) fn way(hit: &Hit) -> Option<Way> {
    hit.stack.map(|stack| (hit.frame, stack))
}

fn named(profile: &Profile, symbols: &Symbols, (leaf, stack): Way) -> Vec<Called> {
    let stack = &profile.places.stacks[stack];
    let mut python = stack.python.iter();
    let mut calls = Vec::new();
    for frame in leaf.into_iter().chain(stack.frames.iter().copied()) {
        let native = of_frame(symbols, frame);
        if native.iter().any(|call| call.function.starts_with(LOOP)) {
            let before = calls.len();
            calls.extend(of_one_run(&mut python).map(|frame| of_python(profile, frame)));
            if calls.len() > before {
                continue;
            }
        }
        calls.extend(native);
    }
    calls.extend(python.map(|frame| of_python(profile, frame)));
    calls.reverse();
    calls
}

/// What one run of the interpreter's loop executes.
fn of_one_run<'a>(python: &mut std::slice::Iter<'a, PythonFrame>) -> impl Iterator<Item = &'a PythonFrame> {
    let rest = python.as_slice();
    let run = rest.iter().position(|frame| frame.is_entry).map_or(rest.len(), |entry| entry + 1);
    let (run, rest) = rest.split_at(run);
    *python = rest.iter();
    run.iter()
}

/// Innermost first.
fn of_frame(symbols: &Symbols, frame: Row<Frame>) -> Vec<Called> {
    let object = symbols.object_of_frame(frame);
    let functions = counted(symbols.frame(frame));
    if functions.is_empty() {
        let (function, file) = (String::new(), String::new());
        return vec![Called { function, object: object.to_owned(), file, line: 0 }];
    }
    let called = |symbol: &Symbol| Called {
        function: symbol.name_of_function().to_owned(),
        object: object.to_owned(),
        file: symbol.file.clone(),
        line: symbol.line,
    };
    functions.iter().map(called).collect()
}

fn of_python(profile: &Profile, frame: &PythonFrame) -> Called {
    let code = frame.code.map(|code| &profile.places.codes[code]);
    let (file, function) = code.map_or(("", ""), |code| (&code.file, &code.function));
    Called {
        function: function.to_owned(),
        object: PYTHON.to_owned(),
        file: file.to_owned(),
        line: frame.line,
    }
}

impl Called {
    /// For a flame graph.
    pub fn name(&self) -> String {
        match (self.function.is_empty(), self.object.is_empty()) {
            (false, _) if self.object == PYTHON => {
                let file = self.file.rsplit('/').next().unwrap_or_default();
                format!("{} {file}:{}", self.function, self.line)
            }
            (false, _) => self.function.clone(),
            (true, false) => self.object.clone(),
            (true, true) => "(unknown)".to_owned(),
        }
    }

    /// Whether it is in a file of the program, and not of the system or of an installed package.
    fn is_own(&self) -> bool {
        const OTHERS: [&str; 5] = ["/usr/", "/lib/python", "site-packages", "dist-packages", "<frozen "];
        self.line != 0 && !self.file.is_empty() && !OTHERS.iter().any(|other| self.file.contains(other))
    }
}

/// Sums up the stacks of a group of samples.
#[derive(Default)]
pub(crate) struct Inclusive<'a> {
    functions: HashMap<(&'a str, &'a str), Sum<'a>>,
    samples: u64,
}

#[derive(Default)]
struct Sum<'a> {
    samples: u64,
    /// The sum of the numbers of calls outside of it.
    depth: u64,
    is_own: bool,
    lines: HashMap<(&'a str, u32), u64>,
}

/// The largest number of functions of a group; nobody reads more.
const MOST: usize = 100;

impl<'a> Inclusive<'a> {
    /// Recursive functions count once.
    pub fn add(&mut self, calls: &'a [Called], samples: u64) {
        self.samples += samples;
        let mut met: Vec<(&str, &str)> = Vec::new();
        for (depth, call) in calls.iter().enumerate() {
            // Functions of Python with the same name in two files are two functions.
            let key = (&*call.function, if call.object == PYTHON { &*call.file } else { &*call.object });
            if call.function.is_empty() || met.contains(&key) {
                continue;
            }
            met.push(key);
            let sum = self.functions.entry(key).or_default();
            sum.samples += samples;
            sum.depth += depth as u64 * samples;
            sum.is_own |= call.is_own();
            *sum.lines.entry((&*call.file, call.line)).or_default() += samples;
        }
    }

    /// By falling number of samples; then the deepest function of the program's own files that was
    /// on the stack in more than half of the samples.
    pub fn facts(&self) -> (Vec<CallFacts>, Option<CallFacts>) {
        let mut rows: Vec<_> = self.functions.iter().collect();
        rows.sort_by(|(a_name, a), (b_name, b)| {
            b.samples.cmp(&a.samples).then_with(|| a.depth.cmp(&b.depth)).then_with(|| a_name.cmp(b_name))
        });
        let is_most = |sum: &Sum| sum.is_own && sum.samples * 2 > self.samples;
        let depth = |sum: &Sum| sum.depth as f64 / sum.samples as f64;
        let most = rows.iter().filter(|(_, sum)| is_most(sum));
        let deepest = most.max_by(|(_, a), (_, b)| depth(a).total_cmp(&depth(b)));
        let deepest = deepest.map(|(name, sum)| facts(name, sum));
        (rows.iter().take(MOST).map(|(name, sum)| facts(name, sum)).collect(), deepest)
    }

    /// Samples with a stack.
    pub fn samples(&self) -> u64 {
        self.samples
    }
}

fn facts(&(function, place): &(&str, &str), sum: &Sum) -> CallFacts {
    let lines = sum.lines.iter().max_by_key(|&(line, samples)| (samples, std::cmp::Reverse(line)));
    let (file, line) = lines.map_or(("", 0), |(line, _)| *line);
    let object = if place == file { PYTHON } else { place };
    CallFacts {
        function: function.to_owned(),
        object: object.to_owned(),
        file: file.to_owned(),
        line,
        samples: sum.samples,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(function: &str, file: &str, line: u32) -> Called {
        let object = if file.contains("fit") || file.contains("dist-packages") { PYTHON } else { "a.out" };
        Called { function: function.to_owned(), object: object.to_owned(), file: file.to_owned(), line }
    }

    #[test]
    fn the_deepest_own_function_of_most_samples_is_named() {
        let main = call("main", "/src/a.c", 9);
        let hot = [main.clone(), call("solve", "/src/a.c", 5), call("memset", "", 0)];
        let cold = [main.clone(), call("read", "/src/a.c", 7)];
        let mut sums = Inclusive::default();
        sums.add(&hot, 60);
        sums.add(&cold, 40);
        let (functions, deepest) = sums.facts();
        let named: Vec<_> = functions.iter().map(|one| (&*one.function, one.samples)).collect();
        assert_eq!(named, [("main", 100), ("solve", 60), ("memset", 60), ("read", 40)]);
        let deepest = deepest.unwrap();
        assert_eq!((&*deepest.function, deepest.line, deepest.samples), ("solve", 5, 60));
    }

    #[test]
    fn recursion_counts_once() {
        let calls = [call("fib", "/src/a.c", 3), call("fib", "/src/a.c", 3), call("fib", "/src/a.c", 4)];
        let mut sums = Inclusive::default();
        sums.add(&calls, 7);
        assert_eq!(sums.facts().0[0].samples, 7);
        assert_eq!(sums.samples(), 7);
    }

    #[test]
    fn installed_packages_are_not_the_programs_own() {
        let own = call("fit", "/home/me/fit.py", 3);
        let calls = [own.clone(), call("dot", "/usr/lib/python3/dist-packages/numpy/core.py", 8)];
        let mut sums = Inclusive::default();
        sums.add(&calls, 2);
        assert_eq!(sums.facts().1.unwrap().function, "fit");
    }

    #[test]
    fn a_run_of_the_loop_ends_with_what_c_code_called() {
        let frame = |line, is_entry| PythonFrame { code: None, line, is_entry };
        let frames = [frame(1, false), frame(2, true), frame(3, true), frame(4, false)];
        let mut python = frames.iter();
        let mut run = || of_one_run(&mut python).map(|frame| frame.line).collect::<Vec<_>>();
        assert_eq!((run(), run(), run(), run()), (vec![1, 2], vec![3], vec![4], vec![]));
    }
}
