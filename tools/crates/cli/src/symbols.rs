// SPDX-License-Identifier: Apache-2.0
//! From addresses to file, line and function, by the objects' debug information.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use grains::summary::{Site, SiteKind};
use grains::{Place, Profile};

use crate::debug_file::{DebugFile, Store};

/// Where a construct stands. Empty strings and line 0: not known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Symbol {
    pub file: String,
    pub line: u32,
    pub function: String,
}

/// The symbols of all places of a profile, by row.
pub struct Symbols(Vec<Symbol>);

impl Symbols {
    pub fn resolve(profile: &Profile) -> Self {
        let places = &profile.places.places;
        let mut symbols: Vec<Symbol> = places.iter().map(unknown).collect();
        // One object after the other: at no time is more than one in memory.
        for (path, rows) in by_object(profile) {
            let store = Store::default();
            let Some(object) = DebugFile::open(&path, &store) else { continue };
            for row in rows {
                symbols[row] = symbol(&object, &path, &places[row]);
            }
        }
        Self(symbols)
    }

    /// The symbol of a site: also of that of the initial tasks, which no construct makes.
    pub fn of_site(&self, site: &Site) -> Symbol {
        let mut symbol = self.of(site.place);
        if site.kind == SiteKind::Initial && symbol.function.is_empty() {
            symbol.function = "(outside of parallel regions)".to_owned();
        }
        symbol
    }

    pub fn of(&self, place: u32) -> Symbol {
        self.0.get(place as usize).cloned().unwrap_or_default()
    }
}

/// The objects of a profile, and the rows of the places in each. Two names of one file are one
/// object.
fn by_object(profile: &Profile) -> Vec<(PathBuf, Vec<usize>)> {
    let paths = profile.places.modules.iter().map(|path| object_path(profile, path));
    let mut objects: Vec<(PathBuf, Vec<usize>)> = Vec::new();
    let mut known = HashMap::new();
    let of_module: Vec<Option<usize>> = paths
        .map(|path| {
            let file = fs::metadata(&path).ok()?;
            Some(*known.entry((file.dev(), file.ino())).or_insert_with(|| {
                objects.push((path, Vec::new()));
                objects.len() - 1
            }))
        })
        .collect();
    for (row, place) in profile.places.places.iter().enumerate() {
        if let Some(&Some(object)) = of_module.get(place.module as usize) {
            objects[object].1.push(row);
        }
    }
    objects
}

fn object_path(profile: &Profile, path: &[u8]) -> PathBuf {
    // The loader has no name for the program itself.
    let path = if path.is_empty() { profile.meta.command.program().as_bytes() } else { path };
    PathBuf::from(OsStr::from_bytes(path))
}

fn symbol(object: &DebugFile, path: &Path, place: &Place) -> Symbol {
    let mut symbol = outlined(object, place).or_else(|| calling(object, place)).unwrap_or_default();
    if symbol.function.is_empty() {
        let name = object.symbol(construct(place)).or_else(|| object.symbol(place.function));
        let address = in_object(path, place);
        symbol.function = match name {
            Some(name) => format!("{} at {address}", readable(name)),
            None => address,
        };
    }
    symbol
}

/// The call site is the return address; the call is before it.
fn construct(place: &Place) -> u64 {
    place.call_site.saturating_sub(1)
}

/// By the entry of the outlined function: its line is that of the construct or of the first statement in it. The line of the call
/// is worse: GCC gives calls with a depend clause, or in a loop, that of an enclosing construct.
fn outlined(object: &DebugFile, place: &Place) -> Option<Symbol> {
    if place.function == 0 {
        return None;
    }
    let mut frames = object.frames(place.function)?;
    let mut symbol = None;
    // The last frame is the outlined function itself; before it stand functions inlined at its entry.
    while let Ok(Some(frame)) = frames.next() {
        symbol = of_frame(&frame);
    }
    symbol
}

/// By the call into the runtime; the innermost frame, as the construct may stand in a function that the compiler inlined.
fn calling(object: &DebugFile, place: &Place) -> Option<Symbol> {
    of_frame(&object.frames(construct(place))?.next().ok()??)
}

fn of_frame<R: addr2line::gimli::Reader>(frame: &addr2line::Frame<'_, R>) -> Option<Symbol> {
    let location = frame.location.as_ref()?;
    let name = frame.function.as_ref().and_then(|function| Some(readable(&function.raw_name().ok()?)));
    Some(Symbol {
        file: cut(location.file.unwrap_or_default()),
        line: location.line.unwrap_or(0),
        function: name.unwrap_or_default(),
    })
}

/// The name that the user wrote.
fn readable(name: &str) -> String {
    let base = base_name(name);
    match demangled(base) {
        Some(name) => cut(plain_name(&name)),
        None => cut(base),
    }
}

/// Without what GCC adds to the functions that it makes of constructs (`work._omp_fn.0`).
fn base_name(name: &str) -> &str {
    name.split_once("._omp_").map_or(name, |(base, _)| base)
}

/// Without the parameter list of a C++ name, which makes no line of a report clearer.
fn plain_name(name: &str) -> &str {
    let end = if name.starts_with("operator()") { name.len() } else { name.find('(').unwrap_or(name.len()) };
    &name[..end]
}

/// Longer names help nobody, and a hostile object has names without end.
const MAX_NAME_BYTES: usize = 4096;

fn cut(name: &str) -> String {
    let end = (0..=MAX_NAME_BYTES.min(name.len())).rev().find(|&at| name.is_char_boundary(at));
    name[..end.unwrap_or(0)].to_owned()
}

/// A C++ name as written. `None`: it is no such name, or one that grows too long: in them a few
/// bytes can stand for gigabytes.
fn demangled(name: &str) -> Option<String> {
    let symbol = cpp_demangle::Symbol::new(name).ok()?;
    let mut bounded = Bounded(String::new());
    symbol.structured_demangle(&mut bounded, &Default::default()).ok()?;
    Some(bounded.0)
}

struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > 4 * MAX_NAME_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

fn in_object(path: &Path, place: &Place) -> String {
    let object = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{object}+{:#x}", construct(place))
}

fn unknown(place: &Place) -> Symbol {
    Symbol { function: format!("{:#x}", construct(place)), ..Symbol::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_made_names_are_cut_to_what_the_user_wrote() {
        assert_eq!(base_name("_Z4sortPii._omp_fn.1"), "_Z4sortPii");
        assert_eq!(base_name("main"), "main");
        assert_eq!(plain_name("ns::sort(int*, int)"), "ns::sort");
        assert_eq!(plain_name("main"), "main");
        assert_eq!(readable("_Z4sortPii._omp_fn.1"), "sort");
        assert_eq!(readable("MAIN__"), "MAIN__");
    }

    #[test]
    fn a_name_cannot_grow_without_end() {
        // f(A<int, int>, B<S0_, S0_>, B<S2_, S2_>, ...): each argument names the one before it
        // twice.
        let digit = |number| char::from_digit(number, 36).unwrap().to_ascii_uppercase();
        let arguments = (0..18).map(|level| format!("1BIS{0}_S{0}_E", digit(2 * level)));
        let name = format!("_Z1f1AIiiE{}", arguments.collect::<String>());
        assert_eq!(demangled("_Z1f1AIiiE").as_deref(), Some("f(A<int, int>)"));
        assert_eq!(demangled(&name), None);
        assert_eq!(readable(&name), name);
        assert_eq!(cut(&"é".repeat(MAX_NAME_BYTES)).len(), MAX_NAME_BYTES);
    }
}
