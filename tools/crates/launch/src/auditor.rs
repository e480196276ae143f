// SPDX-License-Identifier: Apache-2.0
//! libteff-audit.so. When a program needs a libgomp, libomp or libiomp5, the dynamic linker asks
//! this library which file to load (LD_AUDIT, see rtld-audit(7); runtime/src/audit/audit.cpp).
//!
//! With glibc before 2.35, an auditor makes all calls of functions that are bound on first use slow
//! for good. So with such a glibc, the runtime is preloaded into a program with a built-in library
//! path instead, and copies of libgomp with other names, libomp and libiomp5 are not replaced. The
//! version is that of this process. The program has another glibc only if it runs in a separate
//! container.

use std::ffi::CStr;
use std::path::{Path, PathBuf};

use nix::libc;

const AUDITOR: &str = "libteff-audit.so";
/// (major, minor) of glibc.
const OLDEST: (u32, u32) = (2, 35);

/// The auditor that loads `library`, if there is an auditor and it costs the program nothing.
pub fn beside(library: &Path) -> Option<PathBuf> {
    let auditor = library.with_file_name(AUDITOR);
    (is_possible() && auditor.is_file()).then_some(auditor)
}

pub fn is_possible() -> bool {
    version(glibc()).is_some_and(|version| version >= OLDEST)
}

fn glibc() -> &'static str {
    // SAFETY: the function returns a text that ends with a zero and is never freed.
    unsafe { CStr::from_ptr(libc::gnu_get_libc_version()) }.to_str().unwrap_or_default()
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(version("2.36").unwrap() > OLDEST && version("2.4").unwrap() < OLDEST);
        assert_eq!((version("2.35.1"), version("2.x"), version("")), (Some((2, 35)), None, None));
        assert!(version(glibc()).is_some());
    }

    #[test]
    fn there_is_none_where_none_was_installed() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(beside(&place.path().join("libgomp.so.1")), None);
    }
}
