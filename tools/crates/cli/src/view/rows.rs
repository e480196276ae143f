// SPDX-License-Identifier: Apache-2.0
//! Lays the shown grains out in preorder, with their items and fragments, and folds the others into
//! groups.
//!
//! Where a shown grain begins several hidden ones in a row, these and their subtrees become one
//! group. A join between them ends the row, as long as that gives no more rows than allowed; else
//! the group takes in what the grain did between its first and its last hidden child.

use grains::{ItemKind, Profile, NONE};
use trace::WaitKind;

use super::tree::Tree;

/// What a row of the view model stands for.
pub enum What {
    Grain(u32),
    /// These grains, with all below them.
    Group(Vec<u32>),
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

/// As many items per row as a page can bear before groups take in what lies between their grains.
const ITEMS_PER_ROW: usize = 8;

impl Rows {
    pub fn of(profile: &Profile, tree: &Tree, shown: &[bool], limit: usize) -> Self {
        let rows = Builder::new(profile, tree, shown, false).build();
        if rows.rows.len() <= limit && rows.items.len() <= limit * ITEMS_PER_ROW {
            return rows;
        }
        Builder::new(profile, tree, shown, true).build()
    }
}

/// A row that is still to come, and the item that will name it.
struct Pending {
    what: What,
    parent: u32,
    item: u32,
}

struct Builder<'a> {
    profile: &'a Profile,
    tree: &'a Tree,
    shown: &'a [bool],
    /// Groups take in what lies between their grains.
    absorb: bool,
    stack: Vec<Pending>,
    out: Rows,
}

/// Hidden grains that one row of the model will stand for.
struct Run {
    kind: u8,
    tops: Vec<u32>,
    item: u32,
}

/// State while the items of one row are written.
struct Scan {
    row: u32,
    run: Option<Run>,
    /// Items since the last hidden grain: dropped if another one follows and the group takes them
    /// in.
    since: Vec<Item>,
    children: Vec<Pending>,
}

impl<'a> Builder<'a> {
    fn new(profile: &'a Profile, tree: &'a Tree, shown: &'a [bool], absorb: bool) -> Self {
        Self { profile, tree, shown, absorb, stack: Vec::new(), out: Rows::default() }
    }

    fn build(mut self) -> Rows {
        self.push_roots();
        while let Some(pending) = self.stack.pop() {
            let row = self.out.rows.len() as u32;
            if let Some(item) = self.out.items.get_mut(pending.item as usize) {
                item.row = row;
            }
            let first_item = self.out.items.len() as u32;
            match &pending.what {
                What::Grain(grain) => self.scan(row, *grain),
                What::Group(_) => self.fragment(row, NONE, false),
            }
            self.out.rows.push(Row { what: pending.what, parent: pending.parent, first_item });
        }
        self.out
    }

    /// Grains without a parent; the hidden ones among them are one group.
    fn push_roots(&mut self) {
        let is_root = |&row: &u32| self.profile.grains.parent[row as usize] == NONE;
        let roots = self.tree.preorder.iter().copied().filter(is_root);
        let (shown, hidden): (Vec<u32>, Vec<u32>) = roots.partition(|&row| self.shown[row as usize]);
        if !hidden.is_empty() {
            self.stack.push(Pending { what: What::Group(hidden), parent: NONE, item: NONE });
        }
        let roots = shown.into_iter().rev();
        self.stack.extend(roots.map(|row| Pending { what: What::Grain(row), parent: NONE, item: NONE }));
    }

    fn scan(&mut self, row: u32, grain: u32) {
        let mut scan = Scan { row, run: None, since: Vec::new(), children: Vec::new() };
        let (profile, tree) = (self.profile, self.tree);
        for at in profile.items.of(grain) {
            let (source, critical) = (profile.items.row[at], profile.items.critical[at]);
            match profile.items.kind[at] {
                ItemKind::Fragment => {
                    self.add(&mut scan, Item { kind: item::FRAGMENT, row: source, critical })
                }
                ItemKind::Join => {
                    let kind = join_number(profile.waits[source as usize].kind);
                    self.join(&mut scan, kind, critical);
                }
                ItemKind::Fork => {
                    tree.begun_by(profile, at, |child| self.begin(&mut scan, item::FORK, child, critical));
                }
                ItemKind::Chunk => {
                    tree.begun_by(profile, at, |child| self.begin(&mut scan, item::CHUNK, child, critical));
                }
                ItemKind::Region => {
                    tree.begun_by(profile, at, |child| self.begin(&mut scan, item::FORK, child, critical));
                    self.join(&mut scan, JOIN_REGION_END, critical);
                }
                // Points at which other tasks come in take no time, and are not drawn.
                _ => {}
            }
        }
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

    fn begin(&mut self, scan: &mut Scan, kind: u8, child: u32, critical: bool) {
        let grains = &self.profile.grains;
        let critical = critical && grains.has(child, grains::flag::CRITICAL);
        if self.shown[child as usize] {
            self.end_run(scan);
            let item = self.begin_item(kind, critical);
            scan.children.push(Pending { what: What::Grain(child), parent: scan.row, item });
            return;
        }
        if scan.run.as_ref().is_some_and(|run| run.kind != kind) {
            self.end_run(scan);
        }
        scan.since.clear();
        match &mut scan.run {
            Some(run) => {
                run.tops.push(child);
                self.out.items[run.item as usize].critical |= critical;
            }
            None => scan.run = Some(Run { kind, tops: vec![child], item: self.begin_item(kind, critical) }),
        }
    }

    /// An item whose row is filled in when the row comes.
    fn begin_item(&mut self, kind: u8, critical: bool) -> u32 {
        self.out.items.push(Item { kind, row: NONE, critical });
        self.out.items.len() as u32 - 1
    }

    fn end_run(&mut self, scan: &mut Scan) {
        if let Some(run) = scan.run.take() {
            scan.children.push(Pending { what: What::Group(run.tops), parent: scan.row, item: run.item });
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
