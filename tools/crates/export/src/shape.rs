// SPDX-License-Identifier: Apache-2.0
//! Which nodes and edges the grain graph has: all of them, or fewer after the reductions of the
//! grains thesis (section 5.4.1).
//!
//! The items of a grain are its chain. A reduction folds an item into an earlier one of the same
//! chain, and the chain goes on behind it. A fork that is folded gives its edges to the earlier
//! fork, so no reduction makes a cycle.
//!
//! - *fragments*: the fragments of a grain become one node, at the start of its chain.
//! - *forks*: the forks of a task up to its next join become one node.
//! - *bookkeeping*: the book-keeping of a thread in a loop becomes one node, behind which the
//!   thread's chunks are next to each other.
//!
//! The longest path through the work of the nodes is the span only without any reduction.

use grains::{flag, GrainKind, GrainRow, Item, ItemKind, Profile, Ticks};

use crate::nodes::{join_node, Node};

#[derive(Clone, Copy, Default)]
pub struct Reductions {
    pub fragments: bool,
    pub forks: bool,
    pub bookkeeping: bool,
}

impl Reductions {
    pub const ALL: Self = Self { fragments: true, forks: true, bookkeeping: true };
}

pub struct Shape<'a> {
    pub profile: &'a Profile,
    pub reduced: Reductions,
    /// For each item that is a fork: the item of the fork's node. Empty: the item itself.
    fork_of: Vec<u32>,
    /// For each such node, by its item: how many forks it stands for.
    forks_at: Vec<u32>,
}

impl<'a> Shape<'a> {
    pub fn of(profile: &'a Profile, reduced: Reductions) -> Self {
        let fork_of = if reduced.forks { forks_before_joins(profile) } else { Vec::new() };
        let mut forks_at = vec![0; fork_of.len()];
        for (item, &first) in fork_of.iter().enumerate() {
            forks_at[first as usize] += u32::from(profile.items.kind[item] == ItemKind::Fork);
        }
        Self { profile, reduced, fork_of, forks_at }
    }

    /// The node of a fork, or of the region at this item.
    pub fn fork(&self, item: usize) -> Node {
        Node::Fork(self.fork_of.get(item).map_or(item, |&first| first as usize))
    }

    /// Whether the item has a node of its own; chunks have those of their grain.
    pub fn has(&self, item: usize) -> bool {
        match self.profile.items.kind[item] {
            ItemKind::Fragment => !self.reduced.fragments,
            ItemKind::Fork => self.fork(item) == Node::Fork(item),
            _ => true,
        }
    }

    /// The node of the grain as a whole, if its fragments are one node.
    pub fn whole(&self, grain: GrainRow) -> Option<Node> {
        let is_drawn = self.reduced.fragments && !self.profile.items.of(grain).is_empty();
        is_drawn.then_some(Node::Grain(grain))
    }

    /// The node at which the grain begins.
    pub fn entry(&self, grain: GrainRow) -> Option<Node> {
        let mut items = self.profile.items.of(grain);
        self.whole(grain).or_else(|| items.find_map(|item| self.item_entry(item)))
    }

    /// The nodes at which the grain ends: several, if it ends with chunks that are next to each
    /// other.
    pub fn exits(&self, grain: GrainRow) -> Vec<Node> {
        let mut items = self.profile.items.of(grain).rev();
        let last = items.find_map(|item| self.item_exits(item)).unwrap_or_default();
        if last.is_empty() {
            self.whole(grain).into_iter().collect()
        } else {
            last
        }
    }

    fn item_entry(&self, item: usize) -> Option<Node> {
        let node = match self.profile.items.at(item) {
            _ if !self.has(item) => return None,
            Item::Fragment(row) => Node::Fragment(row, item),
            Item::Fork(_) | Item::Region(_) => Node::Fork(item),
            Item::Join(_) => join_node(self.profile, item),
            Item::Chunk(_) => Node::Bookkeeping(item),
            _ => Node::Point(item),
        };
        Some(node)
    }

    /// `None`: the item has no node.
    fn item_exits(&self, item: usize) -> Option<Vec<Node>> {
        let only = |node| Some(vec![node]);
        match self.profile.items.at(item) {
            Item::Fork(row) if self.profile.grains.has(row, flag::INLINE) => only(Node::Join(item)),
            Item::Region(_) => only(Node::Join(item)),
            Item::Chunk(_) if !self.reduced.bookkeeping => only(Node::LastBookkeeping(item)),
            Item::Chunk(_) => {
                let first = (0..=item).rev().find(|&item| self.is_first_chunk(item)).unwrap_or(item);
                Some((first..=item).flat_map(|item| self.chunk_exits(item, first)).collect())
            }
            _ => self.item_entry(item).map(|node| vec![node]),
        }
    }

    /// The nodes at which the chunk of this item ends. A chunk without a node leaves its thread in
    /// the book-keeping of the item `before`.
    fn chunk_exits(&self, item: usize, before: usize) -> Vec<Node> {
        let exits = self.chunk(item).map(|chunk| self.exits(chunk)).unwrap_or_default();
        if exits.is_empty() {
            vec![Node::Bookkeeping(before)]
        } else {
            exits
        }
    }

    fn chunk(&self, item: usize) -> Option<GrainRow> {
        match self.profile.items.at(item) {
            Item::Chunk(row) => Some(row),
            _ => None,
        }
    }

    /// Whether both items are chunks that one thread ran one after the other in one loop.
    fn are_of_one_run(&self, item: usize, next: usize) -> bool {
        let of = |item: usize| {
            let row = self.chunk(item)?;
            Some((self.profile.grains.parent[row], self.profile.chunk(row)?.loop_row))
        };
        next < self.profile.items.kind.len() && of(item).is_some() && of(item) == of(next)
    }

    pub fn is_first_chunk(&self, item: usize) -> bool {
        item == 0 || !self.are_of_one_run(item - 1, item)
    }

    pub fn is_last_chunk(&self, item: usize) -> bool {
        !self.are_of_one_run(item, item + 1)
    }

    /// Passes the edges between the nodes of one grain, and those to and from its chunks.
    pub fn along<E>(
        &self,
        grain: GrainRow,
        mut edge: impl FnMut(Node, Node) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut before: Vec<Node> = self.whole(grain).into_iter().collect();
        let mut first_chunk = 0;
        let mut after_chunks = Vec::new();
        for item in self.profile.items.of(grain) {
            let Some(entry) = self.item_entry(item) else { continue };
            let Some(chunk) = self.chunk(item) else {
                before.drain(..).try_for_each(|from| edge(from, entry))?;
                before = self.item_exits(item).unwrap_or_default();
                continue;
            };
            if self.is_first_chunk(item) {
                first_chunk = item;
            }
            let head = if self.reduced.bookkeeping { first_chunk } else { item };
            if head == item {
                before.drain(..).try_for_each(|from| edge(from, entry))?;
            }
            self.entry(chunk).map_or(Ok(()), |to| edge(Node::Bookkeeping(head), to))?;
            after_chunks.extend(self.chunk_exits(item, head));
            if self.reduced.bookkeeping && !self.is_last_chunk(item) {
                continue;
            }
            before = std::mem::take(&mut after_chunks);
            before.dedup();
            if !self.reduced.bookkeeping && self.is_last_chunk(item) {
                before.drain(..).try_for_each(|from| edge(from, Node::LastBookkeeping(item)))?;
                before = vec![Node::LastBookkeeping(item)];
            }
        }
        Ok(())
    }

    /// How many forks, or stretches of book-keeping, of the whole graph the node stands for.
    pub fn members(&self, node: Node) -> usize {
        match node {
            Node::Fork(item) if self.reduced.forks => self.forks_at[item].max(1) as usize,
            Node::Bookkeeping(first) if self.reduced.bookkeeping => 1 + self.chunks_from(first).count(),
            _ => 1,
        }
    }

    /// What the book-keeping of the node took. The last one of a thread is not recorded: it is part
    /// of what follows.
    pub fn bookkeeping(&self, node: Node) -> Option<Ticks> {
        let cost = |item| self.chunk(item).map_or(Ticks::ZERO, |row| self.profile.grains.creation.of(row));
        match node {
            Node::Bookkeeping(first) if self.reduced.bookkeeping => {
                Some(self.chunks_from(first).map(cost).fold(Ticks::ZERO, |sum, cost| sum + cost))
            }
            Node::Bookkeeping(item) => Some(cost(item)),
            _ => None,
        }
    }

    /// The items of the chunks that one thread ran one after the other, from this one on.
    fn chunks_from(&self, first: usize) -> impl Iterator<Item = usize> + '_ {
        let end =
            (first..self.profile.items.kind.len()).find(|&item| self.is_last_chunk(item)).unwrap_or(first);
        first..=end
    }

    pub fn is_chunk(&self, grain: GrainRow) -> bool {
        self.profile.grains.kind[grain] == GrainKind::Chunk
    }
}

/// For each item that is a fork, the first fork since the last join of its grain.
fn forks_before_joins(profile: &Profile) -> Vec<u32> {
    let mut first_of: Vec<u32> = (0..profile.items.kind.len() as u32).collect();
    for grain in profile.grains.rows() {
        let mut first = None;
        for item in profile.items.of(grain) {
            match profile.items.at(item) {
                Item::Fork(row) if !profile.grains.has(row, flag::INLINE) => {
                    first_of[item] = *first.get_or_insert(item as u32);
                }
                Item::Fork(_) | Item::Region(_) | Item::Join(_) => first = None,
                _ => {}
            }
        }
    }
    first_of
}
