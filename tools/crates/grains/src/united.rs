// SPDX-License-Identifier: Apache-2.0
//! Several addresses of one construct: where a compiler unrolls a loop or copies a function, a
//! construct of the source has a place for each copy.

use crate::row::Column;
use crate::tables::GrainKind;
use crate::{Place, PlaceRow, Profile};

/// The kinds of constructs whose places are united among themselves.
#[derive(Clone, Copy)]
enum Kind {
    Task,
    Region,
    Loop,
    Wait,
    Call,
}
const KINDS: usize = 5;

impl Profile {
    /// Replaces each place by the first one of the same kind of construct that is `alike`: a task
    /// and a wait in one line keep their two places. Call paths and `places` stay as they are.
    pub fn unite_places(&mut self, alike: &Column<Place, PlaceRow>) {
        let mut first: [Column<Place, Option<PlaceRow>>; KINDS] =
            std::array::from_fn(|_| Column::filled(None, alike.len()));
        for_each_place(self, |kind, place| {
            let first = &mut first[kind as usize][alike[*place]];
            *first = Some(first.map_or(*place, |first| first.min(*place)));
        });
        for_each_place(self, |kind, place| {
            *place = first[kind as usize][alike[*place]].unwrap_or(*place);
        });
    }
}

fn for_each_place(profile: &mut Profile, mut visit: impl FnMut(Kind, &mut PlaceRow)) {
    let mut see = |kind, place: &mut Option<PlaceRow>| place.iter_mut().for_each(|place| visit(kind, place));
    for (place, kind) in profile.grains.place.iter_mut().zip(profile.grains.kind.iter()) {
        let kind = match kind {
            GrainKind::Task => Kind::Task,
            GrainKind::Chunk => Kind::Loop,
            GrainKind::Implicit | GrainKind::Initial => Kind::Region,
        };
        see(kind, place);
    }
    profile.regions.iter_mut().for_each(|row| see(Kind::Region, &mut row.place));
    profile.loops.iter_mut().for_each(|row| see(Kind::Loop, &mut row.place));
    profile.waits.iter_mut().for_each(|row| see(Kind::Wait, &mut row.place));
    profile.locks.iter_mut().for_each(|row| see(Kind::Wait, &mut row.place));
    profile.calls.iter_mut().for_each(|row| see(Kind::Call, &mut row.place));
}
