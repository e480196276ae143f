// SPDX-License-Identifier: Apache-2.0
//! Exports that are packed with gzip, if the file's name asks for that.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use flate2::Compression;

/// Much faster than the default level, for files that are a tenth larger.
const LEVEL: u32 = 4;

/// `.graphmlz` is yEd's name for packed GraphML.
fn is_asked_for(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "gz" || end == "graphmlz")
}

/// `content` writes what the file at `path` shall hold.
pub fn write(
    out: &mut dyn Write,
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if !is_asked_for(path) {
        return content(out);
    }
    let mut packed = BufWriter::with_capacity(1 << 16, GzEncoder::new(out, Compression::new(LEVEL)));
    content(&mut packed)?;
    packed.into_inner().map_err(io::IntoInnerError::into_error)?.finish().map(drop)
}
