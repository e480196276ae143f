// SPDX-License-Identifier: Apache-2.0
//! The symbols of a recording, which are kept in the recording: `symbols.json`.
//!
//! `teff record` writes them when the program has ended. If the user later builds the program
//! again, to compare it with the recording, the file to which the recording's addresses belong no
//! longer exists. The file has, for each place, the line that the program's files gave, if they
//! gave one. As long as the program's files do not change, a recording without kept symbols gives
//! the same results.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use grains::{Place, Places};
use serde::{Deserialize, Serialize};

use crate::symbol::Symbol;

const NAME: &str = "symbols.json";
/// The name under which the file is written; it is renamed when it is complete.
const NAME_BESIDE: &str = "symbols.json.tmp";
const FORMAT: &str = "teff-symbols";
const VERSION: u32 = 1;
/// A few hundred bytes for each construct of a program.
const MAX_BYTES: u64 = 64 << 20;

/// A place in one build of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeptPlace {
    object: String,
    build_id: u64,
    build_mark: u64,
    call_site: u64,
    outlined: u64,
}

impl KeptPlace {
    /// `None`: the place is in no object that can be distinguished from others.
    pub fn of(places: &Places, place: &Place) -> Option<Self> {
        let module = places.modules.of(place.module)?;
        let object = String::from_utf8(module.path.clone()).ok()?;
        let (build_id, build_mark) = (module.build_id, module.build_mark);
        let (call_site, outlined) = (place.call_site, place.function);
        Some(Self { object, build_id, build_mark, call_site, outlined })
    }
}

#[derive(Default)]
pub struct Kept(HashMap<KeptPlace, Symbol>);

#[derive(Serialize, Deserialize)]
struct Row {
    #[serde(flatten)]
    place: KeptPlace,
    #[serde(flatten)]
    symbol: Symbol,
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    version: u32,
    places: Vec<Row>,
}

impl Kept {
    /// The symbols that a recording keeps; empty if it keeps none, or none that can be read.
    pub fn read(directory: &Path) -> Self {
        let text = trace::read_regular(&directory.join(NAME), MAX_BYTES).unwrap_or_default();
        let document: Option<Document> = serde_json::from_slice(&text).ok();
        let ours = document.filter(|document| document.format == FORMAT && document.version == VERSION);
        let rows = ours.map(|document| document.places).unwrap_or_default();
        Self(rows.into_iter().map(|row| (row.place, row.symbol)).collect())
    }

    pub fn get(&self, place: &KeptPlace) -> Option<&Symbol> {
        self.0.get(place)
    }

    /// Writes these symbols into the recording, and adds them to the known symbols. If they cannot
    /// be written, the recording is like a recording without kept symbols.
    pub fn keep<'a>(&mut self, directory: &Path, symbols: impl Iterator<Item = (KeptPlace, &'a Symbol)>) {
        let row = |(place, symbol): (KeptPlace, &Symbol)| Row { place, symbol: symbol.clone() };
        let places: Vec<Row> = symbols.map(row).collect();
        self.0.extend(places.iter().map(|row| (row.place.clone(), row.symbol.clone())));
        if places.is_empty() {
            return;
        }
        let document = Document { format: FORMAT.to_owned(), version: VERSION, places };
        let beside = directory.join(NAME_BESIDE);
        let text = serde_json::to_string(&document).expect("symbols are JSON");
        let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, directory.join(NAME)));
        if written.is_err() {
            let _ = fs::remove_file(&beside); // half of it is of no use
        }
    }
}
