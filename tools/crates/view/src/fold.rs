// SPDX-License-Identifier: Apache-2.0
//! Chooses which grains of a stretch of the preorder a page shows individually; the others are
//! folded into groups.
//!
//! A group is a stretch of the preorder, too. So its begin and its number of grains are enough to
//! open it again, and the server need not remember what a page has opened.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use grains::{Profile, NONE};

use super::tree::Tree;

pub struct Cut {
    /// Positions in the preorder.
    pub range: Range<u32>,
    /// For each position of the range: whether the grain is shown. If a grain is shown, so is its
    /// parent, provided that the parent is in the range.
    shown: Vec<bool>,
    /// Set if the path down to the requested grain is too long: the only subtree of which grains
    /// are shown. All grains before this subtree form one group, and all grains after it form
    /// another.
    pub middle: Option<Range<u32>>,
    /// A group with this number of grains gets no further sibling.
    pub full: u32,
}

impl Cut {
    /// Chooses the shown grains so that there are at most `limit` rows: the grains with the most
    /// work in their subtrees, and the grain at the position `focus`.
    pub fn of(profile: &Profile, tree: &Tree, range: Range<u32>, focus: Option<u32>, limit: usize) -> Self {
        let grains = range.len();
        let all = grains <= limit;
        // In addition to the row that is opened, each shown grain can have one group before each
        // shown child and one after the last. Full groups add a quarter to this number.
        let keep = (limit.saturating_sub(3) / 4).max(1);
        let full = if all { u32::MAX } else { (grains * 4).div_ceil(limit.max(1)) as u32 };
        let mut cut = Self { range, shown: vec![all; grains], middle: None, full: full.max(1) };
        if !all {
            let mut choice = Choice { tree, keep, shown: 0, heap: BinaryHeap::new() };
            choice.start(profile, &mut cut, focus);
            choice.fill(&mut cut);
        }
        cut
    }

    pub fn shows(&self, position: u32) -> bool {
        self.shown[(position - self.range.start) as usize]
    }

    fn show(&mut self, position: u32) {
        self.shown[(position - self.range.start) as usize] = true;
    }
}

/// The adjacent subtrees of a range, by their positions; the last may be cut off.
pub fn tops(tree: &Tree, range: Range<u32>) -> impl Iterator<Item = u32> + '_ {
    let mut next = range.start;
    std::iter::from_fn(move || {
        let position = next;
        next += tree.size_at(position)?;
        (position < range.end).then_some(position)
    })
}

struct Choice<'a> {
    tree: &'a Tree,
    keep: usize,
    shown: usize,
    /// Grains whose parents are shown, most work first. A subtree never has more work than a
    /// subtree that contains it. So the grains leave this heap in the order of their work among all
    /// grains.
    heap: BinaryHeap<(u64, Reverse<u32>)>,
}

impl Choice<'_> {
    fn start(&mut self, profile: &Profile, cut: &mut Cut, focus: Option<u32>) {
        let range = cut.range.clone();
        let Some(focus) = focus.filter(|focus| range.contains(focus)) else {
            return self.offer(range, NONE);
        };
        let mut way = self.way_up(profile, &range, focus);
        let mut offered = range.clone();
        if way.len() > self.keep {
            way.truncate(self.keep);
            let top = way[way.len() - 1];
            offered = top..(top + self.tree.size_of(top)).min(range.end);
            cut.middle = Some(offered.clone());
        }
        for &position in way.iter().rev() {
            self.offer(offered, position);
            self.show(cut, position);
            offered = self.below(cut, position);
        }
        self.offer(offered, NONE);
    }

    /// The grains from `from` up to its highest ancestor in the range.
    fn way_up(&self, profile: &Profile, range: &Range<u32>, from: u32) -> Vec<u32> {
        let above = |&position: &u32| {
            let parent = profile.grains.parent[self.tree.preorder[position as usize]];
            let parent = *self.tree.position.of(parent)?;
            range.contains(&parent).then_some(parent)
        };
        std::iter::successors(Some(from), above).collect()
    }

    fn below(&self, cut: &Cut, position: u32) -> Range<u32> {
        position + 1..(position + self.tree.size_of(position)).min(cut.range.end)
    }

    fn offer(&mut self, range: Range<u32>, except: u32) {
        let tree = self.tree;
        let tops = tops(tree, range).filter(|&position| position != except);
        self.heap
            .extend(tops.map(|position| (tree.work[tree.preorder[position as usize]], Reverse(position))));
    }

    fn show(&mut self, cut: &mut Cut, position: u32) {
        cut.show(position);
        self.shown += 1;
    }

    fn fill(&mut self, cut: &mut Cut) {
        while self.shown < self.keep {
            let Some((_, Reverse(position))) = self.heap.pop() else { return };
            self.show(cut, position);
            self.offer(self.below(cut, position), NONE);
        }
    }
}
