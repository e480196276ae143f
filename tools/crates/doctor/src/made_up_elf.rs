// SPDX-License-Identifier: Apache-2.0
//! ELF files for tests: a header, and the parts that the loader reads.

/// What a file says to the loader.
pub struct Says<'a> {
    pub machine: u16,
    pub needed: &'a [&'a str],
    pub rpath: Option<&'a str>,
    pub runpath: Option<&'a str>,
}

const X86_64: u16 = 62;

impl Default for Says<'_> {
    fn default() -> Self {
        Self { machine: X86_64, needed: &[], rpath: None, runpath: None }
    }
}

const HEADER_BYTES: u64 = 64;
const SEGMENT_BYTES: u64 = 56;
const DYNAMIC_AT: u64 = HEADER_BYTES + 2 * SEGMENT_BYTES;

/// The file of a shared library, whose addresses are its offsets.
pub fn library(says: &Says) -> Vec<u8> {
    let mut texts = vec![0];
    let mut entries: Vec<[u64; 2]> = Vec::new();
    let mut text = |tag: u64, text: &str| {
        entries.push([tag, texts.len() as u64]);
        texts.extend(text.bytes().chain([0]));
    };
    says.needed.iter().for_each(|name| text(1, name));
    says.rpath.iter().for_each(|path| text(15, path));
    says.runpath.iter().for_each(|path| text(29, path));
    let texts_at = DYNAMIC_AT + 16 * (entries.len() as u64 + 3);
    entries.extend([[5, texts_at], [10, texts.len() as u64], [0, 0]]);
    let end = texts_at + texts.len() as u64;
    let mut file = header(says.machine);
    file.extend(segment(1, 0, end));
    file.extend(segment(2, DYNAMIC_AT, texts_at - DYNAMIC_AT));
    file.extend(entries.iter().flatten().flat_map(|word| word.to_le_bytes()));
    file.extend(texts);
    file
}

fn header(machine: u16) -> Vec<u8> {
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    file.extend([3u16, machine].iter().flat_map(|half| half.to_le_bytes())); // ET_DYN
    file.extend(1u32.to_le_bytes());
    file.extend([0, HEADER_BYTES, 0].iter().flat_map(|word: &u64| word.to_le_bytes()));
    file.extend(0u32.to_le_bytes());
    let sizes = [HEADER_BYTES as u16, SEGMENT_BYTES as u16, 2, 64, 0, 0];
    file.extend(sizes.iter().flat_map(|half| half.to_le_bytes()));
    file
}

fn segment(kind: u32, at: u64, bytes: u64) -> Vec<u8> {
    let mut segment = Vec::new();
    segment.extend([kind, 4].iter().flat_map(|word| word.to_le_bytes()));
    segment.extend([at, at, at, bytes, bytes, 8].iter().flat_map(|word| word.to_le_bytes()));
    segment
}
