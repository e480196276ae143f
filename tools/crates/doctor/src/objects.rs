// SPDX-License-Identifier: Apache-2.0
//! Reads the contents of a program's or library's file.

use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol};

/// No program is larger.
const MAX_BYTES: u64 = 16 << 30;
/// The largest number of characters of a compiler's description of itself.
const MAX_WORDS: usize = 200;

/// Whether the file itself defines a symbol. The result is also false if the file is stripped.
pub fn defines(file: &Path, name: &str) -> bool {
    let look = |object: &object::File| {
        object.symbols().any(|symbol| symbol.is_definition() && symbol.name() == Ok(name))
    };
    with(file, |object| Some(look(object))).unwrap_or(false)
}

/// The compilers that made the file, as its section `.comment` names them, each once.
pub fn compilers(file: &Path) -> Vec<String> {
    with(file, |object| Some(parts(object.section_by_name(".comment")?.data().ok()?))).unwrap_or_default()
}

fn parts(comment: &[u8]) -> Vec<String> {
    let words = comment.split(|&byte| byte == 0).filter(|words| !words.is_empty());
    let mut parts: Vec<String> =
        words.map(|words| String::from_utf8_lossy(words).chars().take(MAX_WORDS).collect()).collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

fn with<T>(file: &Path, look: impl Fn(&object::File) -> Option<T>) -> Option<T> {
    let map = trace::map_regular(file, MAX_BYTES).ok()??;
    look(&object::File::parse(&*map).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_tells_its_compilers_and_its_symbols() {
        let this = std::env::current_exe().unwrap();
        assert!(compilers(&this).iter().any(|compiler| compiler.contains("rustc")), "{:?}", compilers(&this));
        assert!(defines(&this, "main"));
        assert!(!defines(&this, "GOMP_parallel"));
        assert!(!defines("/proc/self/absent".as_ref(), "main"));
    }

    #[test]
    fn each_compiler_is_named_once() {
        assert_eq!(parts(b"GCC: 12\0\0GCC: 12\0clang 19\0"), ["GCC: 12", "clang 19"]);
    }
}
