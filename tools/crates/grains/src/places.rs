// SPDX-License-Identifier: Apache-2.0
//! Places in the program: the streams' own site ids become rows of one table.

use std::collections::HashMap;

use crate::index::{order_by_id, Index};
use crate::load::StreamEvents;
use crate::NONE;

/// Addresses are those in the object's file: independent of where it was loaded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// Row of [`Places::modules`]; [`NONE`] when unknown, then the addresses are absolute.
    pub module: u32,
    /// Return address of the call into the runtime: the construct is before it.
    pub call_site: u64,
    /// The outlined function that the construct runs; 0: none.
    pub function: u64,
}

#[derive(Default)]
pub struct Places {
    pub places: Vec<Place>,
    /// Paths of the objects, as the program's loader named them: bytes, not always UTF-8.
    pub modules: Vec<Vec<u8>>,
    by_site: SiteIndex,
}

#[derive(Default)]
struct SiteIndex {
    sites: Index,
    /// Row of a stream's site to row of a place.
    place: Vec<u32>,
}

impl Places {
    pub(crate) fn collect(streams: &mut [StreamEvents]) -> Self {
        let mut collector = Collector::default();
        for stream in streams {
            collector.add(stream);
        }
        collector.places
    }

    /// The place that `site` means in `stream`.
    pub(crate) fn of(&self, stream: u16, site: u32) -> u32 {
        let row = self.by_site.sites.row(u64::from(stream) << 48 | u64::from(site));
        row.map_or(NONE, |row| self.by_site.place[row as usize])
    }
}

#[derive(Default)]
struct Collector {
    places: Places,
    place_rows: HashMap<Place, u32>,
    module_rows: HashMap<Vec<u8>, u32>,
}

impl Collector {
    fn add(&mut self, stream: &mut StreamEvents) {
        let modules: HashMap<u32, (u32, u64)> =
            stream.modules.iter().map(|m| (m.module, (self.module_row(&m.path), m.bias))).collect();
        order_by_id(&mut stream.sites, |site| u64::from(site.site));
        let mut ids = Vec::with_capacity(stream.sites.len());
        for site in &stream.sites {
            let place = match modules.get(&site.module) {
                Some(&(module, bias)) => Place {
                    module,
                    call_site: site.call_site.wrapping_sub(bias),
                    function: if site.function == 0 { 0 } else { site.function.wrapping_sub(bias) },
                },
                None => Place { module: NONE, call_site: site.call_site, function: site.function },
            };
            ids.push(u64::from(stream.stream) << 48 | u64::from(site.site));
            let row = self.place_row(place);
            self.places.by_site.place.push(row);
        }
        self.places.by_site.sites.add_stream(stream.stream, &ids);
    }

    fn module_row(&mut self, path: &[u8]) -> u32 {
        let modules = &mut self.places.modules;
        *self.module_rows.entry(path.to_owned()).or_insert_with(|| {
            modules.push(path.to_owned());
            modules.len() as u32 - 1
        })
    }

    fn place_row(&mut self, place: Place) -> u32 {
        let places = &mut self.places.places;
        *self.place_rows.entry(place).or_insert_with(|| {
            places.push(place);
            places.len() as u32 - 1
        })
    }
}
