// SPDX-License-Identifier: Apache-2.0
//! Checks whether the files that a recording names are the files that ran.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use grains::LoadedFile;

use crate::store::build_id;
use crate::symbol::Program;

#[derive(PartialEq)]
pub enum State {
    AsRecorded,
    /// The file changed after the recording began, so its lines may belong to other code.
    Changed,
    /// The file's build id is not the recorded id, so its lines belong to other code.
    OtherBuild,
    /// Several builds were loaded from this path, and none has an id, so the file may be any of
    /// them.
    OneOfSeveral,
    Gone,
}

/// Whether the files of a program's modules are those that ran.
pub struct Builds<'a> {
    program: Program<'a>,
    /// Paths from which several builds were loaded, none with an id.
    several: HashSet<&'a [u8]>,
}

impl<'a> Builds<'a> {
    pub fn of(program: Program<'a>) -> Self {
        let mut marks = HashMap::new();
        let without_id = program.places.modules.iter().filter(|module| module.build_id == 0);
        let differ = without_id
            .filter(|module| *marks.entry(&module.path).or_insert(module.build_mark) != module.build_mark);
        Self { program, several: differ.map(|module| &*module.path).collect() }
    }

    /// A build id shows with certainty whether this is the file that ran. Without a build id, the
    /// file's time decides.
    pub fn state(&self, file: &fs::Metadata, path: &Path, module: &LoadedFile) -> State {
        let changed_ns = i128::from(file.mtime()) * 1_000_000_000 + i128::from(file.mtime_nsec());
        let began_ns = i128::from(self.program.meta.start_unix_ns);
        match (module.build_id, began_ns) {
            _ if !file.is_file() => State::Gone,
            (1.., _) if build_id(path) != module.build_id => State::OtherBuild,
            (0, 1..) if changed_ns > began_ns => State::Changed,
            (0, _) if self.several.contains(&*module.path) => State::OneOfSeveral,
            _ => State::AsRecorded,
        }
    }
}

#[cfg(test)]
pub mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use grains::Places;
    use trace::writer::RecordingWriter;

    use super::*;

    /// An existing file, under this number of paths.
    pub fn modules(count: u64) -> Vec<LoadedFile> {
        let file = std::env::current_exe().unwrap();
        let path = |number: u64| {
            let parts = (0..20).map(|bit| if number & 1 << bit == 0 { "./" } else { "//" });
            format!("/{}{}", parts.collect::<String>(), file.display()).into_bytes()
        };
        (0..count).map(|number| LoadedFile { path: path(number), build_id: 0, build_mark: number }).collect()
    }

    #[test]
    fn a_file_that_was_loaded_in_several_builds_is_none_of_them() {
        let mut modules = modules(3);
        modules[1].path = modules[0].path.clone();
        modules[2].build_mark = modules[0].build_mark;
        modules.push(LoadedFile { build_id: 7, ..modules[2].clone() });
        let mut places = Places::default();
        places.modules = modules.into();
        let meta = RecordingWriter::plain_meta(1);
        let builds = Builds::of(Program { places: &places, meta: &meta });
        let state = |module: &LoadedFile| {
            let path = Path::new(OsStr::from_bytes(&module.path));
            builds.state(&fs::metadata(path).unwrap(), path, module)
        };
        let states = [State::OneOfSeveral, State::OneOfSeveral, State::AsRecorded, State::OtherBuild];
        assert!(places.modules.iter().map(state).eq(states));
    }
}
