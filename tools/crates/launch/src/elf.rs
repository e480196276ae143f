// SPDX-License-Identifier: Apache-2.0
//! Reads what the file of a program or library tells the loader (see ld.so(8)).

use std::path::Path;

use object::elf::{FileHeader64, DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_STRSZ, DT_STRTAB};
use object::read::elf::{Dyn, ElfFile, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol};

/// No program is larger.
const MAX_PROGRAM_BYTES: u64 = 16 << 30;

type File<'a> = ElfFile<'a, FileHeader64<Endianness>>;

/// Facts about an ELF file of 64 bits.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Elf {
    /// EM_X86_64 and so on.
    pub machine: u16,
    /// The loader that the file names; `None`: the system starts it without a loader.
    pub interpreter: Option<String>,
    /// Whether the loader processes the file.
    pub is_dynamic: bool,
    pub needed: Vec<String>,
    pub rpath: Option<String>,
    pub runpath: Option<String>,
    /// Whether code that GCC has compiled in this file begins target regions.
    pub has_target_regions: bool,
}

impl Elf {
    /// `None`: the file is no ELF file of 64 bits.
    pub fn read(path: &Path) -> Option<Self> {
        let map = trace::map_regular(path, MAX_PROGRAM_BYTES).ok()??;
        Some(Self::of(&File::parse(&*map).ok()?))
    }

    fn of(file: &File) -> Self {
        let endian = file.endian();
        let headers = file.elf_program_headers();
        let interpreter = headers.iter().find_map(|header| header.interpreter(endian, file.data()).ok()?);
        let entries = headers.iter().find_map(|header| header.dynamic(endian, file.data()).ok()?);
        let values = |tag: u32| {
            let entries = entries.unwrap_or_default().iter();
            entries.filter(move |entry| entry.tag32(endian) == Some(tag)).map(|entry| entry.d_val.get(endian))
        };
        let value = |tag| values(tag).next();
        let texts = value(DT_STRTAB).zip(value(DT_STRSZ)).and_then(|(address, size)| {
            headers.iter().find_map(|header| header.data_range(endian, file.data(), address, size).ok()?)
        });
        let text = |at: u64| text_at(texts?, at);
        Self {
            machine: file.elf_header().e_machine.get(endian),
            interpreter: interpreter.map(|path| String::from_utf8_lossy(path).into_owned()),
            is_dynamic: entries.is_some(),
            needed: values(DT_NEEDED).filter_map(text).collect(),
            rpath: value(DT_RPATH).map(|at| text(at).unwrap_or_default()),
            runpath: value(DT_RUNPATH).map(|at| text(at).unwrap_or_default()),
            has_target_regions: file.dynamic_symbols().any(|symbol| symbol.name() == Ok("GOMP_target_ext")),
        }
    }
}

fn text_at(texts: &[u8], at: u64) -> Option<String> {
    let rest = texts.get(usize::try_from(at).ok()?..)?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    Some(String::from_utf8_lossy(&rest[..end]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_names_its_loader_and_its_libraries() {
        let this = Elf::read(&std::env::current_exe().unwrap()).unwrap();
        assert!(this.is_dynamic && this.interpreter.is_some_and(|path| path.contains("ld")));
        assert!(this.needed.iter().any(|name| name.starts_with("libc.so")), "{:?}", this.needed);
        assert_eq!((this.rpath, this.runpath), (None, None));
    }

    #[test]
    fn what_is_no_program_has_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("script");
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        assert_eq!(Elf::read(&file), None);
        assert_eq!(Elf::read(&folder.path().join("absent")), None);
    }

    #[test]
    fn texts_end_within_their_table() {
        assert_eq!(text_at(b"\0ab\0c", 1).unwrap(), "ab");
        assert_eq!(text_at(b"\0ab\0c", 4), None);
        assert_eq!(text_at(b"\0ab\0c", u64::MAX), None);
    }
}
