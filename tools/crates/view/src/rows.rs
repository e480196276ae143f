// SPDX-License-Identifier: Apache-2.0
//! Lays the shown grains out in preorder, with their items and fragments, and folds the others into
//! groups.
//!
//! If a shown grain begins several hidden grains in a row, these grains and their subtrees become
//! one group, or several groups if one group would have too many grains. A join between them ends
//! the group, as long as this gives no more rows than allowed; otherwise the group includes what
//! the grain did between its first and its last hidden child.
//!
//! The rows of an opened group begin with the group's own row. The items of this row are the items
//! that begin the group's grains, and the items between these.

use std::ops::Range;

use grains::{GrainRow, Profile, NONE};
use trace::WaitKind;

use super::fold::{tops, Cut};
use super::tree::Tree;

/// What a row of the view model stands for.
pub enum What {
    Grain(GrainRow),
    /// The grains at these positions of the preorder.
    Group(Range<u32>),
}

/// Item kinds of the view model.
pub mod item {
    pub const FRAGMENT: u8 = 0;
    pub const FORK: u8 = 1;
    pub const JOIN: u8 = 2;
    pub const CHUNK: u8 = 3;
}

const JOIN_REGION_END: u32 = 3;

pub struct Row {
    pub what: What,
    /// Row of the parent.
    pub parent: u32,
    /// Its items are from here to where those of the next row begin.
    pub first_item: u32,
}

#[derive(Clone, Copy)]
pub struct Item {
    pub kind: u8,
    pub row: u32,
    pub critical: bool,
}

#[derive(Default)]
pub struct Rows {
    pub rows: Vec<Row>,
    pub items: Vec<Item>,
    /// (row, row in the profile's fragments); [`NONE`] for the one fragment of a group.
    pub fragments: Vec<(u32, u32)>,
}

/// The number of items per row above which groups include the items between their grains, because
/// the page would become too slow.
const ITEMS_PER_ROW: usize = 8;

impl Rows {
    /// `opened`: the whole range is a group, which gets a row.
    pub fn of(profile: &Profile, tree: &Tree, cut: &Cut, opened: bool, limit: usize) -> Self {
        let rows = |absorb, most| Builder::new(profile, tree, cut, absorb, most).build(opened);
        rows(false, limit).or_else(|| rows(true, usize::MAX)).unwrap_or_default()
    }
}

/// A row that does not exist yet, and the item that will refer to it.
struct Pending {
    what: What,
    parent: u32,
    item: u32,
}

struct Builder<'a> {
    profile: &'a Profile,
    tree: &'a Tree,
    cut: &'a Cut,
    /// Whether groups include the items between their grains.
    absorb: bool,
    /// The largest number of rows; with more rows the attempt is given up.
    most: usize,
    stack: Vec<Pending>,
    out: Rows,
}

/// Hidden grains that one row of the model will stand for.
struct Run {
    kind: u8,
    range: Range<u32>,
    item: u32,
}

/// State while the items of one row are written.
struct Scan {
    /// [`NONE`]: of no row; its items are left out.
    row: u32,
    run: Option<Run>,
    /// Items since the last hidden grain. They are dropped if another hidden grain follows and the
    /// group includes them.
    since: Vec<Item>,
    children: Vec<Pending>,
}

impl Scan {
    fn of(row: u32) -> Self {
        Self { row, run: None, since: Vec::new(), children: Vec::new() }
    }
}

impl<'a> Builder<'a> {
    fn new(profile: &'a Profile, tree: &'a Tree, cut: &'a Cut, absorb: bool, most: usize) -> Self {
        Self { profile, tree, cut, absorb, most, stack: Vec::new(), out: Rows::default() }
    }

    fn build(mut self, opened: bool) -> Option<Rows> {
        if opened {
            let what = What::Group(self.cut.range.clone());
            self.out.rows.push(Row { what, parent: NONE, first_item: 0 });
        }
        self.scan_tops(if opened { 0 } else { NONE });
        while let Some(pending) = self.stack.pop() {
            if self.is_too_much() {
                return None;
            }
            let row = self.out.rows.len() as u32;
            if let Some(item) = self.out.items.get_mut(pending.item as usize) {
                item.row = row;
            }
            let first_item = self.out.items.len() as u32;
            match &pending.what {
                What::Grain(grain) => {
                    let mut scan = Scan::of(row);
                    self.scan(&mut scan, self.profile.items.of(*grain));
                    self.end_scan(scan);
                }
                What::Group(_) => self.fragment(row, NONE, false),
            }
            self.out.rows.push(Row { what: pending.what, parent: pending.parent, first_item });
        }
        (!self.is_too_much()).then_some(self.out)
    }

    fn is_too_much(&self) -> bool {
        self.out.rows.len() > self.most || self.out.items.len() > self.most.saturating_mul(ITEMS_PER_ROW)
    }

    /// Writes the adjacent subtrees of the range, with the items of their common parents between
    /// them.
    fn scan_tops(&mut self, row: u32) {
        let mut scan = Scan::of(row);
        let Range { start, end } = self.cut.range;
        if let Some(middle) = self.cut.middle.clone() {
            self.group(&mut scan, start..middle.start);
            self.begin(&mut scan, item::FORK, self.tree.preorder[middle.start as usize], false);
            self.group(&mut scan, middle.end..end);
            return self.end_scan(scan);
        }
        let mut next = 0;
        for position in tops(self.tree, start..end) {
            let grain = self.tree.preorder[position as usize];
            match self.profile.fork_item[grain] {
                NONE => self.begin(&mut scan, item::FORK, grain, false),
                // Begun together with the previous grain: a member of a team.
                at if at as usize + 1 == next => {}
                at => {
                    let at = at as usize;
                    let goes_on = next <= at && self.is_of_parent(grain, next);
                    self.scan(&mut scan, if goes_on { next } else { at }..at + 1);
                    next = at + 1;
                }
            }
        }
        self.end_scan(scan);
    }

    /// Whether the grain's parent did the item before `item`, too.
    fn is_of_parent(&self, grain: GrainRow, item: usize) -> bool {
        let parent = self.profile.grains.parent[grain];
        item > 0 && parent.is_some_and(|parent| self.profile.items.of(parent).contains(&(item - 1)))
    }

    fn group(&mut self, scan: &mut Scan, range: Range<u32>) {
        if !range.is_empty() {
            let item = self.begin_item(scan.row, item::FORK, false);
            scan.run = Some(Run { kind: item::FORK, range, item });
            self.end_run(scan);
        }
    }

    fn scan(&mut self, scan: &mut Scan, items: Range<usize>) {
        let (profile, tree) = (self.profile, self.tree);
        for at in items {
            if self.is_too_much() {
                return;
            }
            let critical = profile.items.is_critical(at);
            match profile.items.at(at) {
                grains::Item::Fragment(row) => self.add(scan, Item { kind: item::FRAGMENT, row, critical }),
                grains::Item::Join(wait) => {
                    self.join(scan, join_number(profile.waits[wait].kind), critical);
                }
                grains::Item::Fork(_) => {
                    tree.begun_by(profile, at, |child| self.begin(scan, item::FORK, child, critical));
                }
                grains::Item::Chunk(_) => {
                    tree.begun_by(profile, at, |child| self.begin(scan, item::CHUNK, child, critical));
                }
                grains::Item::Region(_) => {
                    tree.begun_by(profile, at, |child| self.begin(scan, item::FORK, child, critical));
                    self.join(scan, JOIN_REGION_END, critical);
                }
                // Points to which edges from other tasks lead take no time, and are not drawn.
                _ => {}
            }
        }
    }

    fn end_scan(&mut self, mut scan: Scan) {
        self.end_run(&mut scan);
        self.stack.extend(scan.children.into_iter().rev());
    }

    /// An item that begins no grain.
    fn add(&mut self, scan: &mut Scan, item: Item) {
        if self.absorb && scan.run.is_some() {
            scan.since.push(item);
        } else {
            self.write(scan.row, item);
        }
    }

    fn write(&mut self, row: u32, item: Item) {
        match item.kind {
            _ if row == NONE => {}
            item::FRAGMENT => self.fragment(row, item.row, item.critical),
            _ => self.out.items.push(item),
        }
    }

    fn fragment(&mut self, row: u32, source: u32, critical: bool) {
        let fragment = self.out.fragments.len() as u32;
        self.out.fragments.push((row, source));
        self.out.items.push(Item { kind: item::FRAGMENT, row: fragment, critical });
    }

    fn join(&mut self, scan: &mut Scan, kind: u32, critical: bool) {
        if !self.absorb {
            self.end_run(scan);
        }
        self.add(scan, Item { kind: item::JOIN, row: kind, critical });
    }

    fn begin(&mut self, scan: &mut Scan, kind: u8, child: GrainRow, critical: bool) {
        let grains = &self.profile.grains;
        let critical = critical && grains.has(child, grains::flag::CRITICAL);
        let position = self.tree.position[child];
        let range = self.cut.range.clone();
        if !range.contains(&position) {
            return; // it is in another group
        }
        if self.cut.shows(position) {
            self.end_run(scan);
            let item = self.begin_item(scan.row, kind, critical);
            scan.children.push(Pending { what: What::Grain(child), parent: scan.row, item });
            return;
        }
        let end = (position + self.tree.size_of(position)).min(range.end);
        let takes = |run: &Run| {
            (self.absorb || run.kind == kind)
                && run.range.end == position
                && (run.range.len() as u32) < self.cut.full
        };
        if !scan.run.as_ref().is_some_and(takes) {
            self.end_run(scan);
        }
        scan.since.clear();
        if let Some(run) = &mut scan.run {
            run.range.end = end;
            if let Some(item) = self.out.items.get_mut(run.item as usize) {
                item.critical |= critical;
            }
        } else {
            let item = self.begin_item(scan.row, kind, critical);
            scan.run = Some(Run { kind, range: position..end, item });
        }
    }

    /// An item whose row is filled in when the row comes.
    fn begin_item(&mut self, row: u32, kind: u8, critical: bool) -> u32 {
        if row == NONE {
            return NONE;
        }
        self.out.items.push(Item { kind, row: NONE, critical });
        self.out.items.len() as u32 - 1
    }

    fn end_run(&mut self, scan: &mut Scan) {
        if let Some(run) = scan.run.take() {
            let what = What::Group(run.range);
            scan.children.push(Pending { what, parent: scan.row, item: run.item });
        }
        for item in std::mem::take(&mut scan.since) {
            self.write(scan.row, item);
        }
    }
}

fn join_number(kind: WaitKind) -> u32 {
    match kind {
        WaitKind::Taskgroup => 1,
        WaitKind::Barrier | WaitKind::ImplicitBarrier => 2,
        WaitKind::RegionEnd => JOIN_REGION_END,
        WaitKind::Depend => 4,
        // The others join nothing and have no item.
        _ => 0,
    }
}
