// SPDX-License-Identifier: Apache-2.0
//! The debug information of one object file: its own sections or those of its separate debug file
//! (`separate_debug`), a DWARF package beside either, and the split DWARF files that they name.
//!
//! The name of the object comes from a recording, and the names of split files from the object: all
//! of these names may name any file, and the files may have any contents. So they are opened by
//! [`trace::map_regular`], and both the size of their unpacked sections and the cost of reading
//! them (`debug_bounds`) are limited; the loader in `addr2line` limits neither. A file that cannot
//! be read counts as missing.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use addr2line::gimli::{self, DwarfPackage, SectionId};
use addr2line::{Context, FrameIter, LookupContinuation, LookupResult, SplitDwarfLoad};
use object::Object;

use crate::debug_bounds::{is_bearable, Dwarf, Slice};
use crate::function_table::FunctionTable;
use crate::separate_debug;
use crate::store::{endian, Store};

pub struct DebugFile<'a> {
    store: &'a Store,
    /// `None`: the object has no debug information, and a symbol table at most.
    context: Option<Context<Slice<'a>>>,
    functions: FunctionTable<'a>,
    package: Option<DwarfPackage<Slice<'a>>>,
}

impl<'a> DebugFile<'a> {
    pub fn open(path: &Path, store: &'a Store) -> Option<Self> {
        let object = store.object(path)?;
        let is_whole = has_lines(&object) && object.symbol_table().is_some();
        let separate = if is_whole { None } else { separate_debug::find(path, &object, store) };
        let separate = separate.as_ref().map(|(path, object)| (path.as_path(), object));
        let (lines_at, with_lines) = separate
            .filter(|(_, separate)| has_lines(separate) && !has_lines(&object))
            .unwrap_or((path, &object));
        Some(Self {
            store,
            context: context(with_lines, store),
            functions: FunctionTable::of([&object].into_iter().chain(separate.map(|(_, object)| object))),
            package: package(lines_at, store).or_else(|| package(path, store)),
        })
    }

    /// The name of the function that contains `address`, from the symbol tables.
    pub fn function(&self, address: u64) -> Option<&'a str> {
        self.functions.name(address)
    }

    /// The functions at `address`, the innermost inlined one first.
    pub fn frames(&self, address: u64) -> Option<FrameIter<'_, Slice<'a>>> {
        address.checked_add(1)?; // the lookup asks for the range from here to there
        self.finish(self.context.as_ref()?.find_frames(address)).ok()
    }

    /// Completes a lookup, which may request split DWARF in between.
    fn finish<L: LookupContinuation<Buf = Slice<'a>>>(&self, mut lookup: LookupResult<L>) -> L::Output {
        loop {
            match lookup {
                LookupResult::Output(output) => return output,
                LookupResult::Load { load, continuation } => {
                    lookup = continuation.resume(self.split(&load));
                }
            }
        }
    }

    /// The split DWARF of a unit: from the package, or from the file that the unit names.
    fn split(&self, load: &SplitDwarfLoad<Slice<'a>>) -> Option<Arc<Dwarf<'a>>> {
        let packed =
            self.package.as_ref().and_then(|package| package.find_cu(load.dwo_id, &load.parent).ok()?);
        let packed = packed.filter(|dwarf| is_bearable(dwarf, &self.store.line_room));
        packed.or_else(|| self.split_file(load)).map(Arc::new)
    }

    fn split_file(&self, load: &SplitDwarfLoad<Slice<'a>>) -> Option<Dwarf<'a>> {
        let parts = [load.comp_dir, Some(load.path?)];
        let path: PathBuf = parts.iter().flatten().map(|part| OsStr::from_bytes(part.slice())).collect();
        let object = self.store.object(&path)?;
        let mut dwarf = Dwarf::load(|id| self.store.section(&object, id.dwo_name())).ok()?;
        if !is_bearable(&dwarf, &self.store.line_room) {
            return None;
        }
        let header = dwarf.units().next().ok()??;
        if dwarf.unit(header).ok()?.dwo_id != Some(load.dwo_id) {
            return None; // built anew since
        }
        dwarf.make_dwo(&load.parent);
        Some(dwarf)
    }
}

fn has_lines(object: &object::File) -> bool {
    object.section_by_name(SectionId::DebugInfo.name()).is_some()
}

fn context<'a>(object: &object::File<'a>, store: &'a Store) -> Option<Context<Slice<'a>>> {
    let mut dwarf = Dwarf::load(|id| store.section(object, Some(id.name()))).ok()?;
    if !is_bearable(&dwarf, &store.line_room) {
        return None;
    }
    dwarf.populate_abbreviations_cache(gimli::AbbreviationsCacheStrategy::Duplicates);
    Context::from_dwarf(dwarf).ok()
}

/// `OBJECT.dwp` beside the object.
fn package<'a>(object: &Path, store: &'a Store) -> Option<DwarfPackage<Slice<'a>>> {
    let mut path = object.as_os_str().to_owned();
    path.push(".dwp");
    let object = store.object(Path::new(&path))?;
    let nothing = Slice::new(&[], endian(&object));
    DwarfPackage::load(|id: SectionId| store.section(&object, id.dwo_name()), nothing).ok()
}
