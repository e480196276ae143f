// SPDX-License-Identifier: Apache-2.0
//! Finds the file, line and function of addresses, in the objects' debug information.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use grains::summary::{self, Site, SiteKind};
use grains::{Column, Frame, Place, PlaceRow, Profile, Row};

use crate::builds::{Builds, State};
use crate::debug_file::DebugFile;
use crate::function_names::{are_two_functions, cut, readable};
use crate::kept_symbols::{Kept, KeptPlace};
use crate::store::Store;
use crate::symbol::{object_path, Program, Symbol};

/// The symbols of all places of a profile.
pub struct Symbols {
    symbols: Column<Place, Symbol>,
    /// If call paths were recorded: for each place, the functions at its call, in the same order as
    /// `frames`.
    calls: Column<Place, Vec<Symbol>>,
    /// For each frame of a call path: the functions there, the innermost inlined function first.
    frames: Column<Frame, Vec<Symbol>>,
    /// For each frame: its file, without folders.
    objects: Column<Frame, String>,
    /// What the reader must know about the reliability of the symbols.
    notes: Vec<String>,
}

impl Symbols {
    pub fn resolve(profile: &Profile) -> Self {
        Self::of_program(Program::of(profile), &Kept::read(&profile.directory))
    }

    /// The same, and lets constructs of one kind in one line and function of the source have one
    /// place in the profile, except where call paths tell them apart.
    pub fn resolve_and_unite(profile: &mut Profile) -> Self {
        let symbols = Self::resolve(profile);
        if !profile.places.have_paths() {
            profile.unite_places(&symbols.alike());
        }
        symbols
    }

    /// For each place, the first one with the same line and function. Without a line, a place is
    /// known by its address only.
    fn alike(&self) -> Column<Place, PlaceRow> {
        let mut first = HashMap::new();
        let rows = self.symbols.entries().map(|(row, symbol)| match symbol.line {
            0 => row,
            line => *first.entry((&symbol.file, line, &symbol.function)).or_insert(row),
        });
        rows.collect()
    }

    /// The kept symbols replace those of files that have changed or disappeared since the
    /// recording.
    pub fn of_program(program: Program, kept: &Kept) -> Self {
        let places = &with_functions(&program.places.places);
        let mut symbols: Column<Place, Symbol> = places.iter().map(|place| unknown(program, place)).collect();
        let frames = &program.places.frames;
        let mut functions: Column<Frame, Vec<Symbol>> =
            frames.iter().map(|frame| vec![unknown(program, &place_of(frame))]).collect();
        let mut calls: Column<Place, _> =
            vec![Vec::new(); if program.places.have_paths() { places.len() } else { 0 }].into();
        let mut notes = Vec::new();
        let mut noted = HashSet::new();
        // The objects are read one after the other, so that at most one is in memory.
        for object in objects(program) {
            let are_kept = object.take_kept(kept, program, places, &mut symbols);
            if are_kept && object.frames.is_empty() {
                continue;
            }
            notes.extend(object.note(are_kept).filter(|note| noted.insert(note.clone())));
            let store = Store::default();
            let Some(file) = object.open(&store) else { continue };
            for row in object.rows {
                symbols[row] = symbol(&file, &object.path, &places[row]);
                if let Some(calls) = calls.of_mut(Some(row)) {
                    let Place { module, call_site: address, .. } = places[row];
                    *calls = functions_at(&file, &object.path, &Frame { module, address });
                }
            }
            for row in object.frames {
                functions[row] = functions_at(&file, &object.path, &frames[row]);
            }
        }
        let objects = frames.iter().map(|frame| object_name(program, frame)).collect();
        Self { symbols, calls, frames: functions, objects, notes }
    }

    /// What the reader must know about the reliability of the profile and of these symbols, in
    /// whole sentences.
    pub fn notes(&self, profile: &Profile) -> Vec<String> {
        let mut notes = summary::notes(profile);
        notes.extend_from_slice(&self.notes);
        notes
    }

    /// What of this can be kept for a time when the program has changed, of each place.
    pub fn to_keep<'a>(&'a self, program: Program<'a>) -> impl Iterator<Item = (KeptPlace, &'a Symbol)> {
        let places = with_functions(&program.places.places);
        let known = places.into_iter().zip(&self.symbols).filter(|(_, symbol)| symbol.line != 0);
        known.filter_map(move |(place, symbol)| Some((KeptPlace::of(program.places, &place)?, symbol)))
    }

    /// The symbol of a site, also of the site of the initial tasks, which have no construct.
    pub fn of_site(&self, site: &Site) -> Symbol {
        let mut symbol = self.of(site.place);
        if site.kind == SiteKind::Initial && symbol.function.is_empty() {
            "(outside of parallel regions)".clone_into(&mut symbol.function);
        }
        symbol
    }

    pub fn of(&self, place: Option<PlaceRow>) -> Symbol {
        self.symbols.of(place).cloned().unwrap_or_default()
    }

    /// The calls above a place that follow from its own address: the calls into which its function
    /// was inlined. If the call into the runtime was the last of its function, and therefore a
    /// jump, the address is that of the function's caller.
    pub fn calls_at(&self, place: Option<PlaceRow>) -> &[Symbol] {
        let Some(calls) = self.calls.of(place) else { return &[] };
        match (calls.first(), self.symbols.of(place)) {
            (Some(first), Some(own)) if are_two_functions(&first.function, &own.function) => calls,
            (Some(_), _) => &calls[1..],
            _ => &[],
        }
    }

    /// The symbols of a row of the frames of call paths.
    pub fn frame(&self, row: Row<Frame>) -> &[Symbol] {
        self.frames.of(Some(row)).map_or(&[], Vec::as_slice)
    }

    pub fn object_of_frame(&self, row: Row<Frame>) -> &str {
        self.objects.of(Some(row)).map_or("", String::as_str)
    }
}

/// Keeps the symbols of the program that has just ended in its recording. Symbols in `known` are
/// not looked up again; the other symbols are added to `known`.
pub fn keep(directory: &Path, program: Program, known: &mut Kept) {
    let symbols = Symbols::of_program(program, known);
    known.keep(directory, symbols.to_keep(program));
}

/// A loop that is combined with its region begins in the same call. The region's outlined function
/// has the better line, also for the loop.
fn with_functions(places: &[Place]) -> Column<Place> {
    let outlined = places.iter().filter(|place| place.function != 0);
    let functions: HashMap<_, _> =
        outlined.map(|place| ((place.module, place.call_site), place.function)).collect();
    let function = |place: &Place| match place.function {
        0 => functions.get(&(place.module, place.call_site)).copied().unwrap_or_default(),
        known => known,
    };
    places.iter().map(|place| Place { function: function(place), ..*place }).collect()
}

/// A file that contains places of a profile.
struct Object {
    path: PathBuf,
    state: State,
    /// Rows of the places in it.
    rows: Vec<PlaceRow>,
    /// ... and of the frames of call paths.
    frames: Vec<Row<Frame>>,
}

impl Object {
    /// Uses the kept symbols of its places. Returns false if some places have none.
    fn take_kept(
        &self,
        kept: &Kept,
        program: Program,
        places: &Column<Place>,
        symbols: &mut Column<Place, Symbol>,
    ) -> bool {
        let mut all = true;
        for &row in &self.rows {
            match KeptPlace::of(program.places, &places[row]).and_then(|place| kept.get(&place)) {
                Some(symbol) => symbols[row] = symbol.clone(),
                None => all = false,
            }
        }
        all
    }

    fn open<'a>(&self, store: &'a Store) -> Option<DebugFile<'a>> {
        matches!(self.state, State::AsRecorded).then(|| DebugFile::open(&self.path, store))?
    }

    /// The code that the kernel gives each process (`linux-vdso.so.1`) is in no file.
    fn is_kernels(&self) -> bool {
        self.rows.is_empty() && self.path.parent().is_some_and(|folder| folder.as_os_str().is_empty())
    }

    /// `are_kept`: the places have kept symbols, so that only frames have none.
    fn note(&self, are_kept: bool) -> Option<String> {
        let path = self.path.display();
        let places = if are_kept { "functions of samples and call paths in it" } else { "its places" };
        match self.state {
            State::AsRecorded => None,
            State::Gone if self.is_kernels() => None,
            State::Changed => Some(format!(
                "{path} has changed since the recording: {places} are shown as addresses, because lines would be \
                 those of other code. Record again, or put back the file that ran, with its time (cp -p)."
            )),
            State::OtherBuild => Some(format!(
                "{path} is not the build that ran: {places} are shown as addresses, because lines would be those of \
                 other code. Record again, or put back the file that ran."
            )),
            State::OneOfSeveral => Some(format!(
                "{path} was loaded in several builds, and no build id tells which of these the file is: {places} are \
                 shown as addresses. To see lines, link the builds with -Wl,--build-id."
            )),
            State::Gone => Some(format!(
                "{path} does not exist: {places} are shown as addresses. To see lines and functions, put back the \
                 file that ran, with its time (cp -p)."
            )),
        }
    }
}

/// The objects that contain places of a profile. Two names of one build of a file are one object.
fn objects(program: Program) -> Vec<Object> {
    let mut objects: Vec<Object> = Vec::new();
    let mut known = HashMap::new();
    let mut of_module = Column::default();
    let builds = Builds::of(program);
    for module in &program.places.modules {
        let path = object_path(program, &module.path);
        let file = fs::metadata(&path).ok();
        let identity = file.as_ref().map(|file| (file.dev(), file.ino(), module.build_id, module.build_mark));
        let next = objects.len();
        let at = identity.map_or(next, |identity| *known.entry(identity).or_insert(next));
        if at == next {
            let state = file.map_or(State::Gone, |file| builds.state(&file, &path, module));
            objects.push(Object { path, state, rows: Vec::new(), frames: Vec::new() });
        }
        of_module.push(at);
    }
    for (row, place) in program.places.places.entries() {
        if let Some(&object) = of_module.of(place.module) {
            objects[object].rows.push(row);
        }
    }
    for (row, frame) in program.places.frames.entries() {
        if let Some(&object) = of_module.of(frame.module) {
            objects[object].frames.push(row);
        }
    }
    objects.retain(|object| !object.rows.is_empty() || !object.frames.is_empty());
    objects
}

fn symbol(object: &DebugFile, path: &Path, place: &Place) -> Symbol {
    let mut symbol = outlined(object, place).or_else(|| calling(object, place)).unwrap_or_default();
    if symbol.function.is_empty() {
        let name =
            object.function(construct(place)).or_else(|| object.function(place.function)).map(readable);
        symbol.function = match name {
            Some(name) if symbol.line != 0 => name,
            Some(name) => format!("{name} at {}", in_object(path, place)),
            None => in_object(path, place),
        };
    }
    symbol
}

/// A frame of a call path as if it were a construct without a function of its own.
fn place_of(frame: &Frame) -> Place {
    Place { module: frame.module, call_site: frame.address, function: 0 }
}

fn functions_at(object: &DebugFile, path: &Path, frame: &Frame) -> Vec<Symbol> {
    let place = place_of(frame);
    let mut functions = Vec::new();
    if let Some(mut frames) = object.frames(construct(&place)) {
        while let Ok(Some(frame)) = frames.next() {
            functions.extend(of_frame(&frame).filter(|symbol| !symbol.function.is_empty()));
        }
    }
    if functions.is_empty() {
        functions.push(symbol(object, path, &place));
    }
    functions
}

fn object_name(program: Program, frame: &Frame) -> String {
    let Some(module) = program.places.modules.of(frame.module) else { return String::new() };
    let path = object_path(program, &module.path);
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The call site is the return address; the call is before it.
fn construct(place: &Place) -> u64 {
    place.call_site.saturating_sub(1)
}

/// Finds the symbol by the entry of the outlined function, whose line is that of the construct or
/// of the first statement in it. The line of the call is less exact: for calls with a depend
/// clause, or in a loop, GCC uses the line of an enclosing construct.
fn outlined(object: &DebugFile, place: &Place) -> Option<Symbol> {
    if place.function == 0 {
        return None;
    }
    let mut frames = object.frames(place.function)?;
    let mut symbol = None;
    // The last frame is the outlined function itself; the frames before it are functions that were
    // inlined at its entry.
    while let Ok(Some(frame)) = frames.next() {
        symbol = of_frame(&frame);
    }
    symbol
}

/// Finds the symbol by the call into the runtime. It is the innermost frame, because the construct
/// may be in a function that the compiler inlined.
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

fn in_object(path: &Path, place: &Place) -> String {
    let object = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    format!("{object}+{:#x}", construct(place))
}

/// The label of a place of a modelled run, by number from 1; there are no objects.
fn label<'a>(program: Program<'a>, place: &Place) -> Option<&'a str> {
    let labels = &program.meta.modelled.as_ref()?.labels;
    Some(labels.get(usize::try_from(construct(place)).ok()?)?)
}

fn unknown(program: Program, place: &Place) -> Symbol {
    if let (None, Some(label)) = (place.module, label(program, place)) {
        return Symbol { function: cut(label), ..Symbol::default() };
    }
    let function = match program.places.modules.of(place.module) {
        Some(module) => in_object(&object_path(program, &module.path), place),
        // The place for constructs of a thread that has more places than it can distinguish.
        None if (place.call_site, place.function) == (0, 0) => "(further sites)".to_owned(),
        None => format!("{:#x}", construct(place)),
    };
    Symbol { function, ..Symbol::default() }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use grains::Places;
    use trace::writer::RecordingWriter;

    use super::*;
    use crate::builds::tests::modules;

    #[test]
    fn very_many_modules_are_looked_at_in_time() {
        let (give, take) = mpsc::channel();
        thread::spawn(move || {
            let mut places = Places::default();
            places.modules = modules(1 << 18).into();
            let meta = RecordingWriter::plain_meta(1);
            give.send(objects(Program { places: &places, meta: &meta }).len())
        });
        assert_eq!(take.recv_timeout(Duration::from_secs(60)), Ok(0), "no place is in them");
    }

    #[test]
    fn a_loop_has_the_function_of_the_region_that_it_is_combined_with() {
        let place = |call_site, function| Place { module: None, call_site, function };
        let places = with_functions(&[place(8, 0), place(8, 40), place(12, 0)]);
        assert_eq!(places.iter().map(|place| place.function).collect::<Vec<_>>(), [40, 40, 0]);
    }
}
