// SPDX-License-Identifier: Apache-2.0
//! The loader's cache, /etc/ld.so.cache: names of libraries, and where they are.

use std::fs;

use crate::system::System;

const PATH: &str = "/etc/ld.so.cache";
/// The magic word stands after a table in an older format, or at the beginning of the file.
const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
const HEADER_BYTES: usize = 48;
const ENTRY_BYTES: usize = 24;
/// For an entry: the offsets of the positions of its two texts, counted from the magic word.
const NAME_AT: usize = 4;
const FILE_AT: usize = 8;
const MOST_BYTES: u64 = 64 << 20;

/// Returns (name, file) of each library. Returns nothing if the cache is missing or has another
/// format.
pub fn read(system: &System) -> Vec<(String, String)> {
    let path = system.path(PATH);
    if fs::metadata(&path).map_or(0, |file| file.len()) > MOST_BYTES {
        return Vec::new();
    }
    let bytes = fs::read(path).unwrap_or_default();
    let begin = bytes.windows(MAGIC.len()).position(|window| window == MAGIC);
    begin.map_or_else(Vec::new, |begin| entries(&bytes[begin..]))
}

fn entries(table: &[u8]) -> Vec<(String, String)> {
    let count = number(table, MAGIC.len()).unwrap_or(0);
    let entry = |at: usize| {
        let begin = HEADER_BYTES.checked_add(at.checked_mul(ENTRY_BYTES)?)?;
        Some((text(table, number(table, begin + NAME_AT)?)?, text(table, number(table, begin + FILE_AT)?)?))
    };
    (0..count).map_while(entry).collect()
}

fn number(table: &[u8], at: usize) -> Option<usize> {
    let bytes = table.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_ne_bytes(*bytes) as usize)
}

fn text(table: &[u8], at: usize) -> Option<String> {
    let rest = table.get(at..)?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    Some(String::from_utf8_lossy(&rest[..end]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::made_up::{put, system};

    fn cache(pairs: &[(&str, &str)]) -> Vec<u8> {
        let mut texts = Vec::new();
        let mut table = MAGIC.to_vec();
        table.extend((pairs.len() as u32).to_ne_bytes());
        table.resize(HEADER_BYTES, 0);
        let base = HEADER_BYTES + pairs.len() * ENTRY_BYTES;
        for (name, file) in pairs {
            let mut put = |text: &str| {
                let at = base + texts.len();
                texts.extend(text.bytes().chain([0]));
                at as u32
            };
            let (name, file) = (put(name), put(file));
            table.extend([0x303, name, file, 0, 0, 0].iter().flat_map(|word: &u32| word.to_ne_bytes()));
        }
        table.extend(texts);
        table
    }

    #[test]
    fn names_lead_to_files() {
        let here = system(&[]);
        let mut bytes = b"ld.so-1.7.0\0an older table".to_vec();
        bytes.extend(cache(&[("libgomp.so.1", "/lib/x/libgomp.so.1"), ("libm.so.6", "/lib/x/libm.so.6")]));
        put(&here.system, PATH, &bytes);
        let read = read(&here.system);
        assert_eq!(read.len(), 2);
        assert_eq!(read[0], ("libgomp.so.1".to_owned(), "/lib/x/libgomp.so.1".to_owned()));
    }

    #[test]
    fn a_damaged_cache_ends_early() {
        let mut table = cache(&[("a", "/a"), ("b", "/b")]);
        table[HEADER_BYTES + ENTRY_BYTES + NAME_AT..][..4].fill(0xff);
        assert_eq!(entries(&table).len(), 1);
        assert!(entries(&table[..30]).is_empty());
        assert!(read(&system(&[]).system).is_empty());
    }
}
