// SPDX-License-Identifier: Apache-2.0
//! What a program's file says of how the loader starts it: which one does, and whether it asks a
//! library path that is built in before LD_LIBRARY_PATH: DT_RPATH, which counts where there is no
//! DT_RUNPATH (see ld.so(8)).

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use object::elf::{FileHeader64, DT_RPATH, DT_RUNPATH};
use object::read::elf::{Dyn, ElfFile, ProgramHeader};
use object::Endianness;

/// No program is larger.
const MAX_PROGRAM_BYTES: u64 = 16 << 30;

pub fn comes_before_ours(program: &OsStr) -> bool {
    has_rpath(&found(program)).unwrap_or(false)
}

/// Where the system will find it.
pub fn found(program: &OsStr) -> PathBuf {
    let is_name = !program.as_encoded_bytes().contains(&b'/');
    let path = env::var_os("PATH").filter(|_| is_name).unwrap_or_default();
    let mut files = env::split_paths(&path).map(|directory| directory.join(program));
    files.find(|file| file.is_file()).unwrap_or_else(|| program.into())
}

/// The loader that a program names, empty where the system starts it without one. `None`: it is no
/// program.
pub fn loader(program: &OsStr) -> Option<String> {
    let named = |file: Elf| {
        let mut headers = file.elf_program_headers().iter();
        let path = headers.find_map(|header| header.interpreter(file.endian(), file.data()).ok()?);
        Some(String::from_utf8_lossy(path.unwrap_or_default()).into_owned())
    };
    with_elf(&found(program), named)
}

type Elf<'a> = ElfFile<'a, FileHeader64<Endianness>>;

/// `None`: it is no program.
fn with_elf<T>(program: &Path, look: impl Fn(Elf) -> Option<T>) -> Option<T> {
    let map = trace::map_regular(program, MAX_PROGRAM_BYTES).ok()??;
    look(Elf::parse(&*map).ok()?)
}

/// `None`: it is no program that the loader starts.
fn has_rpath(program: &Path) -> Option<bool> {
    with_elf(program, elf_has_rpath)
}

fn elf_has_rpath(file: Elf) -> Option<bool> {
    let mut headers = file.elf_program_headers().iter();
    let entries = headers.find_map(|header| header.dynamic(file.endian(), file.data()).ok()?)?;
    let has = |tag: u32| entries.iter().any(|entry| entry.tag32(file.endian()) == Some(tag));
    Some(has(DT_RPATH) && !has(DT_RUNPATH))
}
