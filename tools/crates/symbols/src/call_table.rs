// SPDX-License-Identifier: Apache-2.0
//! The calls of all paths, which are identified by numbers. Each name is stored once, however many
//! paths contain it, and paths are compared by numbers instead of names.

use std::collections::HashMap;
use std::sync::Arc;

use grains::call_paths::Node;
use grains::{Column, Frame, Place, Profile, Row, Segment};
use trace::layout::path;

use crate::symbol::Symbol;
use crate::symbols::Symbols;

pub struct CallTable {
    names: Names,
    /// The calls to which the address of each place belongs, innermost first.
    at_place: Column<Place, Vec<u32>>,
    /// The construct at each place.
    constructs: Column<Place, u32>,
    /// The calls of each segment, innermost first.
    of_segment: Column<Segment, Vec<u32>>,
    /// Whether each segment has further calls, which were not recorded.
    is_cut: Column<Segment, bool>,
}

/// One call of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub call: u32,
    /// How often the call, or the cycle of calls to which it belongs, occurs in a row.
    pub times: u32,
}

/// Paths with equal keys have the same names and lines, and are cut in the same way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    innermost: Option<Row<Outwards>>,
    cut: bool,
}

/// Paths from the outermost call inwards. Of each repeated cycle of calls, only the last round is
/// kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Outwards {
    outer: Option<Row<Outwards>>,
    call: u32,
}

/// The row of the next call outwards, and this call.
#[derive(Default)]
struct Folded {
    calls: Column<Outwards>,
    known: HashMap<Outwards, Row<Outwards>>,
}

impl Folded {
    fn add(&mut self, outer: Option<Row<Outwards>>, call: u32) -> Row<Outwards> {
        let step = Outwards { outer, call };
        *self.known.entry(step).or_insert_with(|| self.calls.add(step))
    }

    /// The path with one more call, further in.
    fn with(
        &mut self,
        innermost: Option<Row<Outwards>>,
        call: u32,
        is_same: impl Fn(u32, u32) -> bool,
    ) -> Option<Row<Outwards>> {
        let (mut last, mut outer) = ([call; 2 * LONGEST_CYCLE], [innermost; 2 * LONGEST_CYCLE]);
        let mut count = 1;
        while let Some(step) = self.calls.of(outer[count - 1]) {
            (last[count], outer[count]) = (step.call, step.outer);
            count += 1;
            if count == last.len() {
                break;
            }
        }
        let Some(cycle) = cycle(count, |one, other| is_same(last[one], last[other])) else {
            return Some(self.add(innermost, call));
        };
        let before = outer[2 * cycle - 1];
        last[..cycle].iter().rev().fold(before, |outer, &call| Some(self.add(outer, call)))
    }
}

/// The longest cycle of functions that is shown once; longer cycles are shown as they are.
const LONGEST_CYCLE: usize = 4;

/// The number of calls in the cycle with which a path of `calls` calls ends twice; the calls are
/// counted from the end of the path.
fn cycle(calls: usize, is_same: impl Fn(usize, usize) -> bool) -> Option<usize> {
    (1..=LONGEST_CYCLE.min(calls / 2)).find(|&cycle| (0..cycle).all(|at| is_same(at, at + cycle)))
}

impl CallTable {
    pub fn of(profile: &Profile, symbols: &Symbols) -> Self {
        let mut names = Names::default();
        let places = profile.places.places.rows();
        Self {
            at_place: places.clone().map(|place| names.all(symbols.calls_at(Some(place)))).collect(),
            constructs: places.map(|place| names.number(&symbols.of(Some(place)))).collect(),
            of_segment: profile.places.segments.iter().map(|s| of_segment(s, symbols, &mut names)).collect(),
            is_cut: profile.places.segments.iter().map(|s| s.flags & (path::CUT | path::LOST) != 0).collect(),
            names,
        }
    }

    /// File, line and function.
    pub fn call(&self, call: u32) -> (Arc<str>, u32, Arc<str>) {
        let Name { file, line, function, .. } = &self.names.names[call as usize];
        (file.clone(), *line, function.clone())
    }

    /// For each node; the nodes above a node come before it.
    pub fn keys(&self, nodes: &Column<Node>) -> Column<Node, Key> {
        let mut folded = Folded::default();
        let mut keys: Column<Node, Key> = Column::default();
        for node in nodes {
            let above = keys.of(node.above).copied();
            let mut key = above.unwrap_or(Key { innermost: None, cut: false });
            let calls = self.segment(node).iter().rev().chain(self.place(node).iter().rev());
            for call in self.construct_above(nodes, node).into_iter().chain(calls.copied()) {
                key.innermost = folded.with(key.innermost, call, |one, other| self.is_same(one, other));
            }
            key.cut |= self.is_cut(node);
            keys.push(key);
        }
        keys
    }

    /// The calls of a path, innermost first, at most `most`, and whether there are further calls.
    pub fn steps(&self, nodes: &Column<Node>, node: Row<Node>, most: usize) -> (Vec<Step>, bool) {
        let (calls, mut cut) = self.calls_from(nodes, node);
        let mut outermost: Vec<Step> = Vec::new();
        for call in calls.into_iter().rev() {
            outermost.push(call);
            self.fold(&mut outermost);
        }
        cut = cut || outermost.len() > most;
        let steps = outermost.into_iter().rev().take(most);
        (steps.map(|step| Step { times: step.times.max(1), ..step }).collect(), cut)
    }

    /// Innermost first, each for itself.
    fn calls_from(&self, nodes: &Column<Node>, node: Row<Node>) -> (Vec<Step>, bool) {
        let mut calls: Vec<Step> = Vec::new();
        let (mut cut, mut at) = (false, Some(node));
        while let Some(node) = nodes.of(at) {
            if calls.len() > MOST_WALKED {
                return (calls, true);
            }
            cut = cut || self.is_cut(node);
            let own = self.place(node).iter().chain(self.segment(node));
            calls.extend(own.map(|&call| Step { call, times: 1 }));
            // This is the function itself, and not a call of it.
            calls.extend(self.construct_above(nodes, node).map(|call| Step { call, times: 0 }));
            at = node.above;
        }
        (calls, cut)
    }

    /// Removes repetitions at the end of a path, whose calls are in the order in which they were
    /// made: if the last calls repeat the calls before them, only the last ones are kept.
    fn fold(&self, path: &mut Vec<Step>) {
        let call = |from_end: usize| path[path.len() - 1 - from_end].call;
        let Some(cycle) = cycle(path.len(), |one, other| self.is_same(call(one), call(other))) else {
            return;
        };
        let repeated = path.split_off(path.len() - cycle);
        let before = path.len() - cycle;
        for (step, again) in path[before..].iter_mut().zip(repeated) {
            *step = Step { call: again.call, times: step.times + again.times };
        }
    }

    /// The body of a task belongs to the function that created the task.
    fn construct_above(&self, nodes: &Column<Node>, node: &Node) -> Option<u32> {
        self.constructs.of(nodes.of(node.above)?.place).copied()
    }

    fn is_same(&self, one: u32, other: u32) -> bool {
        self.names.names[one as usize].of == self.names.names[other as usize].of
    }

    fn place(&self, node: &Node) -> &[u32] {
        self.at_place.of(node.place).map_or(&[], Vec::as_slice)
    }

    fn segment(&self, node: &Node) -> &[u32] {
        self.of_segment.of(node.segment).map_or(&[], Vec::as_slice)
    }

    fn is_cut(&self, node: &Node) -> bool {
        self.is_cut.of(node.segment).is_some_and(|&cut| cut)
    }
}

/// The largest number of examined calls above a construct.
const MOST_WALKED: usize = 4096;

struct Name {
    file: Arc<str>,
    line: u32,
    function: Arc<str>,
    /// The number of the file and function.
    of: u32,
}

#[derive(Default)]
struct Names {
    names: Vec<Name>,
    known: HashMap<Symbol, u32>,
    texts: HashMap<String, Arc<str>>,
    functions: HashMap<(Arc<str>, Arc<str>), u32>,
}

impl Names {
    fn all(&mut self, symbols: &[Symbol]) -> Vec<u32> {
        symbols.iter().map(|symbol| self.number(symbol)).collect()
    }

    fn number(&mut self, symbol: &Symbol) -> u32 {
        if let Some(&known) = self.known.get(symbol) {
            return known;
        }
        let (file, function) = (self.text(&symbol.file), self.text(&symbol.function));
        let next = self.functions.len() as u32;
        let of = *self.functions.entry((file.clone(), function.clone())).or_insert(next);
        self.names.push(Name { file, line: symbol.line, function, of });
        let number = self.names.len() as u32 - 1;
        self.known.insert(symbol.clone(), number);
        number
    }

    fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let new: Arc<str> = text.into();
        self.texts.insert(text.to_owned(), new.clone());
        new
    }
}

fn of_segment(segment: &Segment, symbols: &Symbols, names: &mut Names) -> Vec<u32> {
    let is_of = |frame: Row<Frame>, test: fn(&str) -> bool| test(symbols.object_of_frame(frame));
    let mut frames = &segment.frames[..];
    // The calls of the C library before main, and below a thread's function, have no meaning for
    // the user. The caller of the C library at the bottom of a stack is the program's start, which
    // has no name in a stripped program.
    let has_bottom = segment.flags & (path::CUT | path::LOST | path::OF_TASK) == 0;
    if has_bottom && frames.len() > 1 && is_of(frames[frames.len() - 2], is_c_library) {
        frames = &frames[..frames.len() - 1];
    }
    while let Some((&last, rest)) = frames.split_last() {
        let is_start = symbols.frame(last).iter().any(|symbol| is_start(&symbol.function));
        if !is_start && !is_of(last, is_c_library) {
            break;
        }
        frames = rest;
    }
    let mut lines = python_lines(&segment.python);
    if let Some(interpreter) = frames.iter().position(|&frame| is_of(frame, is_interpreter)) {
        frames = &frames[..interpreter];
        if lines.is_empty() {
            lines.push(Symbol { function: UNSEEN_PYTHON.to_owned(), ..Symbol::default() });
        }
    }
    let shown = frames.iter().filter(|&&frame| lines.is_empty() || !is_of(frame, is_glue));
    let mut calls: Vec<u32> = shown.flat_map(|&frame| names.all(symbols.frame(frame))).collect();
    calls.extend(names.all(&lines));
    calls
}

/// The interpreter's own frames have no meaning for a user of Python.
const UNSEEN_PYTHON: &str = "(Python)";

/// Functions of the C library that start a program, if the library is linked into the program. They
/// have no line.
fn is_start(function: &str) -> bool {
    let name = function.split(" at ").next().unwrap_or_default();
    matches!(name, "_start" | "__libc_start_main" | "__libc_start_main_impl" | "__libc_start_call_main")
}

fn is_c_library(object: &str) -> bool {
    object.starts_with("libc.so") || object.starts_with("libc-") || object.starts_with("libpthread")
}

fn is_interpreter(object: &str) -> bool {
    object.starts_with("libpython") || object.starts_with("python")
}

/// Whether the object lies between the interpreter and a library that ctypes calls.
fn is_glue(object: &str) -> bool {
    object.starts_with("libffi") || object.starts_with("_ctypes")
}

/// `  File "name.py", line 12 in function`, innermost first.
fn python_lines(dump: &[u8]) -> Vec<Symbol> {
    String::from_utf8_lossy(dump).lines().filter_map(python_line).collect()
}

fn python_line(line: &str) -> Option<Symbol> {
    let (file, rest) = line.trim_start().strip_prefix("File \"")?.rsplit_once("\", line ")?;
    let (line, function) = rest.split_once(" in ")?;
    let line = line.parse().unwrap_or(0);
    Some(Symbol { file: file.to_owned(), line, function: function.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_python_are_read_as_faulthandler_prints_them() {
        let dump = b"Stack (most recent call first):\n  File \"/a b/x.py\", line 12 in f\n  File \"<string>\", line ??? in <module>\n  <no Python frame>\n";
        let lines = python_lines(dump);
        assert_eq!(lines.len(), 2);
        assert_eq!(
            (lines[0].file.as_str(), lines[0].line, lines[0].function.as_str()),
            ("/a b/x.py", 12, "f")
        );
        assert_eq!((lines[1].file.as_str(), lines[1].line), ("<string>", 0));
    }
}
