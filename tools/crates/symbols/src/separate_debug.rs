// SPDX-License-Identifier: Apache-2.0
//! Finds the separate file with the debug information of a stripped object, as debuggers do.
//!
//! If it is found by the object's build id, the file is `DIR/.build-id/xx/yyyy.debug`. If it is
//! found by the name in the object's `.gnu_debuglink`, it is beside the object, in `.debug/` there,
//! or below DIR under the path of the object's directory. DIR is /usr/lib/debug, or each directory
//! that `TEFF_DEBUG_DIR` names. A file of another build is not used.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::{env, fs};

use object::Object;

use crate::store::Store;

const USUAL: &str = "/usr/lib/debug";

/// The file with the debug information of `object`, which lies at `path`.
pub fn find<'a>(path: &Path, object: &object::File, store: &'a Store) -> Option<(PathBuf, object::File<'a>)> {
    let directories = directories();
    by_build_id(object, &directories, store).or_else(|| by_link(path, object, &directories, store))
}

fn directories() -> Vec<PathBuf> {
    let named = env::var_os("TEFF_DEBUG_DIR").filter(|value| !value.is_empty());
    named.map_or_else(|| vec![USUAL.into()], |value| env::split_paths(&value).collect())
}

fn by_build_id<'a>(
    object: &object::File,
    directories: &[PathBuf],
    store: &'a Store,
) -> Option<(PathBuf, object::File<'a>)> {
    let id = object.build_id().ok()??;
    let (first, rest) = id.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let rest = rest.iter().fold(String::new(), |rest, byte| format!("{rest}{byte:02x}"));
    directories.iter().find_map(|directory| {
        let path = directory.join(format!(".build-id/{first:02x}/{rest}.debug"));
        let found = store.object(&path)?;
        (found.build_id().ok()? == Some(id)).then_some((path, found))
    })
}

fn by_link<'a>(
    path: &Path,
    object: &object::File,
    directories: &[PathBuf],
    store: &'a Store,
) -> Option<(PathBuf, object::File<'a>)> {
    let (name, checksum) = object.gnu_debuglink().ok()??;
    let name = Path::new(Path::new(OsStr::from_bytes(name)).file_name()?);
    let path = fs::canonicalize(path).ok()?;
    let here = path.parent()?;
    let under = |directory: &PathBuf| directory.join(here.strip_prefix("/").unwrap_or(here)).join(name);
    let places = [here.join(name), here.join(".debug").join(name)].into_iter();
    places.chain(directories.iter().map(under)).filter(|place| *place != path).find_map(|place| {
        let bytes = store.bytes(&place)?;
        let found = object::File::parse(bytes).ok()?;
        let same = match (object.build_id().ok()?, found.build_id().ok()?) {
            (Some(ours), Some(its)) => ours == its,
            _ => crc32fast::hash(bytes) == checksum,
        };
        same.then_some((place, found))
    })
}
