// SPDX-License-Identifier: Apache-2.0
//! The bytes of object files, and of their unpacked sections.
//!
//! The files may have any contents, so the total size of all unpacked sections is limited.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::Read;
use std::path::Path;

use addr2line::gimli::{self, RunTimeEndian};
use memmap2::Mmap;
use object::read::{CompressedData, CompressionFormat};
use object::{Object, ObjectSection};
use typed_arena::Arena;

use crate::debug_bounds::{Slice, MAX_LINE_BYTES};

/// Larger objects are not examined. The largest objects that people debug are browsers, with some 5
/// GiB.
const MAX_OBJECT_BYTES: u64 = 16 << 30;
/// The total size to which the compressed sections of an object and of its split files may unpack.
const MAX_UNPACKED_BYTES: u64 = 4 << 30;

/// Owns the bytes that a `DebugFile` refers to.
pub struct Store {
    maps: Arena<Mmap>,
    unpacked: Arena<Vec<u8>>,
    /// Bytes that sections may still unpack to.
    room: Cell<u64>,
    /// Bytes that line tables may still take.
    pub line_room: Cell<u64>,
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

impl Store {
    pub fn object(&self, path: &Path) -> Option<object::File<'_>> {
        object::File::parse(self.bytes(path)?).ok()
    }

    pub fn bytes(&self, path: &Path) -> Option<&[u8]> {
        let map = trace::map_regular(path, MAX_OBJECT_BYTES).ok()??;
        Some(&**self.maps.alloc(map))
    }

    /// A section, unpacked; empty if the object has no section of this name.
    pub fn section<'a>(
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

pub fn endian(object: &object::File) -> RunTimeEndian {
    if object.is_little_endian() {
        RunTimeEndian::Little
    } else {
        RunTimeEndian::Big
    }
}

/// The first 8 bytes of the build id of the object at `path`, as a recording stores them; 0: the
/// object has no build id, or cannot be read.
pub fn build_id(path: &Path) -> u64 {
    let store = Store::default();
    let object = store.object(path);
    let id = object.as_ref().and_then(|object| object.build_id().ok()?).unwrap_or_default();
    let mut bytes = [0; 8];
    let length = id.len().min(8);
    bytes[..length].copy_from_slice(&id[..length]);
    u64::from_le_bytes(bytes)
}

/// `CompressedData::decompress` has no limit on the unpacked size. Here the size is limited to that
/// in the section's header.
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
