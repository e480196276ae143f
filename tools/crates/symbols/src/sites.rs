// SPDX-License-Identifier: Apache-2.0
//! The constructs of a program, as the report and the page show them: one row for each construct,
//! however many addresses it has. A compiler that unrolls or clones a loop gives a construct in it
//! several addresses. Without lines these cannot be distinguished from several constructs, so each
//! address has its own row.

use std::collections::HashMap;

use grains::summary::{self, Site, SiteKind};
use grains::{Column, Grains, PlaceRow, Profile};

use crate::symbol::Symbol;
use crate::symbols::Symbols;

pub struct Row {
    pub symbol: Symbol,
    /// The sums of the construct over all its places.
    pub total: Site,
}

pub struct Sites {
    /// Sites with grains come first, by falling work; then loops, regions and synchronisation
    /// points.
    pub rows: Vec<Row>,
    /// For each grain, the number of its row.
    pub of_grain: Column<Grains, u32>,
    of_place: HashMap<(Option<PlaceRow>, SiteKind), u32>,
}

impl Sites {
    pub fn of(profile: &Profile, symbols: &Symbols) -> Self {
        let places = summary::sites(profile);
        let mut rows: Vec<Row> = Vec::new();
        let mut known: HashMap<(Symbol, SiteKind), usize> = HashMap::new();
        let mut row_of_place = Vec::with_capacity(places.sites.len());
        let mut of_place = HashMap::new();
        for total in places.sites {
            let symbol = symbols.of_site(&total);
            let key = (total.place, total.kind);
            let next = rows.len();
            let row = match symbol.line {
                0 => next,
                _ => *known.entry((symbol.clone(), total.kind)).or_insert(next),
            };
            if row == next {
                rows.push(Row { symbol, total });
            } else {
                rows[row].total.add(&total);
            }
            row_of_place.push(row as u32);
            of_place.insert(key, row as u32);
        }
        let mut of_grain = places.of_grain;
        for row in of_grain.iter_mut() {
            *row = row_of_place[*row as usize];
        }
        Self { rows, of_grain, of_place }.in_order()
    }

    /// Sums may have changed the order of the places.
    fn in_order(self) -> Self {
        let mut ranks: Vec<u32> = (0..self.rows.len() as u32).collect();
        ranks.sort_by_key(|&row| self.rows[row as usize].total.rank());
        let mut new_row = vec![0; ranks.len()];
        for (rank, &row) in ranks.iter().enumerate() {
            new_row[row as usize] = rank as u32;
        }
        let mut rows: Vec<_> = self.rows.into_iter().zip(&new_row).collect();
        rows.sort_by_key(|(_, rank)| **rank);
        let of_grain = self.of_grain.iter().map(|&row| new_row[row as usize]).collect();
        let of_place = self.of_place.into_iter().map(|(place, row)| (place, new_row[row as usize])).collect();
        Self { rows: rows.into_iter().map(|(row, _)| row).collect(), of_grain, of_place }
    }

    /// The row of the construct at a place; `None`: there is none of this kind.
    pub fn row(&self, place: Option<PlaceRow>, kind: SiteKind) -> Option<u32> {
        self.of_place.get(&(place, kind)).copied()
    }
}
