// SPDX-License-Identifier: Apache-2.0
//! A folder of Parquet files, one for each table of the profile. docs/formats/exports.md defines
//! the columns.
//!
//! The folder is made beside its final path, and moved to this path when it is complete. An
//! existing file or folder at this path is not changed, except that an empty folder is replaced.

mod table;
mod tables;

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind};
use std::path::Path;

use grains::characterise::GrainCounts;
use grains::Profile;
use parquet::errors::ParquetError;
use symbols::Symbols;
use tempfile::TempDir;
use terminal::unfinished::Unfinished;
use terminal::{output, Failure, Result};

use crate::metrics::Metrics;

pub fn write(
    path: &Path,
    profile: &Profile,
    symbols: &Symbols,
    metrics: Option<&Metrics>,
    counts: Option<&GrainCounts>,
) -> Result<()> {
    check_place(path)?;
    output::let_limits_be_errors();
    let failed = |error| Failure::io("write", path, error);
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()); // where a link leads to
    let (folder, unfinished) = new_beside(&target).map_err(failed)?;
    tables::write(profile, symbols, metrics, counts, |table| {
        let file = File::create_new(folder.path().join(format!("{}.parquet", table.name)))?;
        let out = table.write(BufWriter::with_capacity(1 << 20, file)).map_err(io_error)?;
        out.into_inner().map(drop).map_err(io::IntoInnerError::into_error)
    })
    .and_then(|()| fs::rename(folder.path(), &target))
    .map_err(failed)?;
    drop(unfinished);
    let _ = folder.keep(); // it has its own name now
    Ok(())
}

/// Refuses a path at which something exists already.
pub fn check_place(path: &Path) -> Result<()> {
    let shown = path.display();
    if path == Path::new("-") {
        return Err(Failure::Usage(
            "--format parquet writes a folder of tables: name the folder with -o.".to_owned(),
        ));
    }
    match fs::read_dir(path).map(|mut files| files.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::Place(format!(
            "{shown} is a folder with files in it: choose another place, or remove it."
        ))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotADirectory => Err(Failure::Place(format!(
            "{shown} exists and is no folder, but --format parquet writes a folder of tables: choose another place."
        ))),
        Err(error) => Err(Failure::io("write", path, error)),
    }
}

/// Makes the new folder with the permissions that a folder of the user would have.
fn new_beside(path: &Path) -> io::Result<(TempDir, Unfinished)> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::metadata(parent)?; // its own error, which names no folder beside
    let mut builder = tempfile::Builder::new();
    builder.prefix(".teff-").permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    Unfinished::of(|| builder.tempdir_in(parent), TempDir::path)
}

/// The system's error, if that is the cause.
fn io_error(error: ParquetError) -> io::Error {
    let ParquetError::External(source) = error else { return io::Error::other(error) };
    match source.downcast::<io::Error>() {
        Ok(error) => *error,
        Err(other) => io::Error::other(other as Box<dyn Error + Send + Sync>),
    }
}
