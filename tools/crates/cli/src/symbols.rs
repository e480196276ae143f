// SPDX-License-Identifier: Apache-2.0
//! From addresses to file, line and function, by the objects' debug information.

use std::collections::HashMap;
use std::path::Path;

use addr2line::Loader;
use grains::summary::{Site, SiteKind};
use grains::{Place, Profile};

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
        let mut objects = Objects::default();
        let modules = &profile.places.modules;
        let main = profile.meta.command.program();
        let symbol = |place: &Place| match modules.get(place.module as usize) {
            // The loader has no name for the program itself.
            Some(path) => objects.symbol(if path.is_empty() { main } else { path }, place),
            None => unknown(place),
        };
        Self(profile.places.places.iter().map(symbol).collect())
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

#[derive(Default)]
struct Objects(HashMap<String, Option<Loader>>);

impl Objects {
    fn symbol(&mut self, path: &str, place: &Place) -> Symbol {
        let loader = self.0.entry(path.to_owned()).or_insert_with(|| Loader::new(path).ok());
        let Some(loader) = loader else { return unknown(place) };
        let mut symbol = outlined(loader, place).or_else(|| calling(loader, place)).unwrap_or_default();
        if symbol.function.is_empty() {
            let name = loader.find_symbol(construct(place)).or_else(|| loader.find_symbol(place.function));
            let address = in_object(path, place);
            symbol.function = match name {
                Some(name) => format!("{} at {address}", readable(name, None)),
                None => address,
            };
        }
        symbol
    }
}

/// The call site is the return address; the call is before it.
fn construct(place: &Place) -> u64 {
    place.call_site.saturating_sub(1)
}

/// By the entry of the outlined function: its line is that of the construct or of the first statement in it. The line of the call
/// is worse: GCC gives calls with a depend clause, or in a loop, that of an enclosing construct.
fn outlined(loader: &Loader, place: &Place) -> Option<Symbol> {
    if place.function == 0 {
        return None;
    }
    let mut frames = loader.find_frames(place.function).ok()?;
    let mut symbol = None;
    // The last frame is the outlined function itself; before it stand functions inlined at its entry.
    while let Ok(Some(frame)) = frames.next() {
        symbol = of_frame(&frame);
    }
    symbol
}

/// By the call into the runtime; the innermost frame, as the construct may stand in a function that the compiler inlined.
fn calling(loader: &Loader, place: &Place) -> Option<Symbol> {
    of_frame(&loader.find_frames(construct(place)).ok()?.next().ok()??)
}

fn of_frame<R: addr2line::gimli::Reader>(frame: &addr2line::Frame<'_, R>) -> Option<Symbol> {
    let location = frame.location.as_ref()?;
    let function = frame.function.as_ref();
    let name = function.and_then(|function| Some(readable(&function.raw_name().ok()?, function.language)));
    Some(Symbol {
        file: location.file.unwrap_or_default().to_owned(),
        line: location.line.unwrap_or(0),
        function: name.unwrap_or_default(),
    })
}

/// The name that the user wrote.
fn readable(name: &str, language: Option<addr2line::gimli::DwLang>) -> String {
    plain_name(&addr2line::demangle_auto(base_name(name).into(), language))
}

/// Without what GCC adds to the functions that it makes of constructs (`work._omp_fn.0`).
fn base_name(name: &str) -> &str {
    name.split_once("._omp_").map_or(name, |(base, _)| base)
}

/// Without the parameter list of a C++ name, which makes no line of a report clearer.
fn plain_name(name: &str) -> String {
    let end = if name.starts_with("operator()") { name.len() } else { name.find('(').unwrap_or(name.len()) };
    name[..end].to_owned()
}

fn in_object(path: &str, place: &Place) -> String {
    let object = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
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
    }
}
