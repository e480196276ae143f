// SPDX-License-Identifier: Apache-2.0
//! Embeds the viewer's page, if it has been built. Without the page, all verbs except `view` work.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-env-changed=TEFF_VIEWER_HTML");
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let page = env::var_os("TEFF_VIEWER_HTML")
        .map_or_else(|| manifest.join("../../../viewer/dist/index.html"), PathBuf::from);
    println!("cargo:rerun-if-changed={}", page.display());
    let code = match fs::canonicalize(&page) {
        Ok(page) => format!("Some(include_str!({:?}))", page.to_string_lossy()),
        Err(_) => "None".to_owned(),
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    write(&out.join("viewer_page.rs"), &code);
}

fn write(file: &Path, code: &str) {
    fs::write(file, code).unwrap_or_else(|error| panic!("cannot write {}: {error}", file.display()));
}
