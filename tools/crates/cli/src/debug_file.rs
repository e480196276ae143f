// SPDX-License-Identifier: Apache-2.0
//! The debug information of one object file: its own sections or those of its separate debug file
//! (`separate_debug`), a DWARF package beside either, and the split DWARF files that they name.
//!
//! The name of the object comes from a recording, and the names of split files from the object: all
//! of them may lead anywhere, and the files may hold anything. They are opened by
//! [`trace::map_regular`], and what their sections unpack to is bounded, as is what is made of them
//! (`debug_bounds`); the loader that comes with
//! `addr2line` does neither. What cannot be read counts as missing.

use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use addr2line::gimli::{self, DwarfPackage, RunTimeEndian, SectionId};
use addr2line::{Context, FrameIter, LookupContinuation, LookupResult, SplitDwarfLoad};
use memmap2::Mmap;
use object::read::{CompressedData, CompressionFormat};
use object::{Object, ObjectSection};
use typed_arena::Arena;

use crate::debug_bounds::{is_bearable, Dwarf, Slice, MAX_LINE_BYTES};
use crate::function_table::FunctionTable;
use crate::separate_debug;

/// Larger objects are not looked at. The largest that people debug, browsers, have some 5 GiB.
const MAX_OBJECT_BYTES: u64 = 16 << 30;
/// What the compressed sections of an object and its split files may unpack to, all together.
const MAX_UNPACKED_BYTES: u64 = 4 << 30;

/// Owns the bytes that a [`DebugFile`] looks at.
pub struct Store {
    maps: Arena<Mmap>,
    unpacked: Arena<Vec<u8>>,
    /// Bytes that sections may still unpack to.
    room: Cell<u64>,
    /// Bytes that line tables may still take.
    line_room: Cell<u64>,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            maps: Arena::new(),
            unpacked: Arena::new(),
            room: Cell::new(MAX_UNPACKED_BYTES),
            line_room: Cell::new(MAX_LINE_BYTES),
        }
    }
}

pub struct DebugFile<'a> {
    store: &'a Store,
    /// `None`: the object has a symbol table at most.
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

    /// The name in the symbol tables of the function that `address` lies in.
    pub fn function(&self, address: u64) -> Option<&'a str> {
        self.functions.name(address)
    }

    /// The functions at `address`, the innermost inlined one first.
    pub fn frames(&self, address: u64) -> Option<FrameIter<'_, Slice<'a>>> {
        address.checked_add(1)?; // the lookup asks for the range from here to there
        self.finish(self.context.as_ref()?.find_frames(address)).ok()
    }

    /// The result of a lookup, which may ask for split DWARF on its way.
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

fn endian(object: &object::File) -> RunTimeEndian {
    if object.is_little_endian() {
        RunTimeEndian::Little
    } else {
        RunTimeEndian::Big
    }
}

/// The first 8 bytes of the build id of the object at `path`, as a recording has them; 0: it has
/// none, or cannot be read.
pub fn build_id(path: &Path) -> u64 {
    let store = Store::default();
    let object = store.object(path);
    let id = object.as_ref().and_then(|object| object.build_id().ok()?).unwrap_or_default();
    let mut bytes = [0; 8];
    let length = id.len().min(8);
    bytes[..length].copy_from_slice(&id[..length]);
    u64::from_le_bytes(bytes)
}

impl Store {
    pub fn object(&self, path: &Path) -> Option<object::File<'_>> {
        object::File::parse(self.bytes(path)?).ok()
    }

    pub fn bytes(&self, path: &Path) -> Option<&[u8]> {
        let map = trace::map_regular(path, MAX_OBJECT_BYTES).ok()??;
        Some(&**self.maps.alloc(map))
    }

    /// A section, unpacked; empty where the object has none of this name.
    fn section<'a>(
        &'a self,
        object: &object::File<'a>,
        name: Option<&'static str>,
    ) -> gimli::Result<Slice<'a>> {
        let section = name.and_then(|name| object.section_by_name(name));
        let bytes = match section {
            Some(section) => {
                let packed = section.compressed_data().map_err(|_| gimli::Error::Io)?;
                self.unpack(packed).ok_or(gimli::Error::Io)?
            }
            None => &[],
        };
        Ok(Slice::new(bytes, endian(object)))
    }

    fn unpack<'a>(&'a self, packed: CompressedData<'a>) -> Option<&'a [u8]> {
        if packed.format == CompressionFormat::None {
            return Some(packed.data);
        }
        self.room.set(self.room.get().checked_sub(packed.uncompressed_size)?);
        let bytes = match packed.format {
            CompressionFormat::Zstandard => unpack_zstd(&packed)?,
            _ => match packed.decompress().ok()? {
                Cow::Borrowed(bytes) => return Some(bytes),
                Cow::Owned(bytes) => bytes,
            },
        };
        Some(self.unpacked.alloc(bytes))
    }
}

/// `CompressedData::decompress` takes whatever the packed bytes give; here they give no more than
/// the section's header says.
fn unpack_zstd(packed: &CompressedData) -> Option<Vec<u8>> {
    let mut input = packed.data;
    let decoder = ruzstd::decoding::StreamingDecoder::new(&mut input).ok()?;
    let mut bytes = Vec::new();
    decoder.take(packed.uncompressed_size).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == packed.uncompressed_size).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame whose blocks say "this byte, 128 KiB of it": four bytes each.
    fn zstd_of_gibibytes(gibibytes: usize) -> Vec<u8> {
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x38];
        for _ in 0..gibibytes << 13 {
            frame.extend_from_slice(&[0x02, 0, 0x10, 0]);
        }
        frame
    }

    fn packed(data: &[u8], uncompressed_size: u64) -> CompressedData<'_> {
        CompressedData { format: CompressionFormat::Zstandard, data, uncompressed_size }
    }

    #[test]
    fn a_section_unpacks_to_no_more_than_it_says() {
        let bomb = zstd_of_gibibytes(100);
        assert_eq!(unpack_zstd(&packed(&bomb, 1000)).unwrap(), [0; 1000]);
    }

    #[test]
    fn what_the_sections_say_together_is_bounded() {
        let store = Store::default();
        let half = zstd_of_gibibytes(0);
        assert!(store.unpack(packed(&half, MAX_UNPACKED_BYTES + 1)).is_none());
        assert_eq!(store.room.get(), MAX_UNPACKED_BYTES);
        assert!(store.unpack(packed(&half, MAX_UNPACKED_BYTES)).is_none(), "it unpacks to nothing");
        assert_eq!(store.room.get(), 0);
        assert!(store.unpack(packed(&half, 1)).is_none());
    }
}
