// SPDX-License-Identifier: Apache-2.0
//! A tree of stacks: each different stack is a node, whose parent is the stack without the last
//! frame. The tree is bounded: no node lies deeper than `deepest`, and there are at most `most`
//! nodes besides the roots.

use std::collections::HashMap;

use grains::NONE;

pub struct Node {
    /// `NONE`: the node is a root. Parents come before their children.
    pub parent: u32,
    pub name: u32,
    depth: u32,
}

pub struct Paths {
    pub nodes: Vec<Node>,
    /// By parent's node and name.
    known: HashMap<(u32, u32), u32>,
    deepest: u32,
    most: usize,
}

impl Paths {
    pub fn new(deepest: u32, most: usize) -> Self {
        Self { nodes: Vec::new(), known: HashMap::new(), deepest, most }
    }

    /// The node with this name below `parent`, which may be `NONE`. Returns nothing if the tree is
    /// full.
    pub fn below(&mut self, parent: u32, name: u32) -> Option<u32> {
        let depth = self.nodes.get(parent as usize).map_or(0, |node| node.depth + 1);
        if let Some(&node) = self.known.get(&(parent, name)) {
            return Some(node);
        }
        if parent != NONE && (depth == self.deepest || self.nodes.len() >= self.most) {
            return None;
        }
        Some(self.add(Node { parent, name, depth }))
    }

    /// The stack of one frame.
    pub fn root(&mut self, name: u32) -> u32 {
        let known = self.known.get(&(NONE, name)).copied();
        known.unwrap_or_else(|| self.add(Node { parent: NONE, name, depth: 0 }))
    }

    fn add(&mut self, node: Node) -> u32 {
        let number = self.nodes.len() as u32;
        self.known.insert((node.parent, node.name), number);
        self.nodes.push(node);
        number
    }

    /// Collects the names from the root to the node.
    pub fn way_to(&self, node: u32, names: &mut Vec<u32>) {
        names.clear();
        let mut at = node;
        while let Some(node) = self.nodes.get(at as usize) {
            names.push(node.name);
            at = node.parent;
        }
        names.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_tree_has_the_stacks_that_it_knows_and_roots() {
        let mut paths = Paths::new(u32::MAX, 2);
        let root = paths.root(7);
        let above = paths.below(root, 8);
        assert_eq!(above, Some(1));
        assert_eq!((paths.below(root, 9), paths.below(root, 8)), (None, above));
        assert_eq!((paths.root(9), paths.root(7), paths.below(NONE, 9)), (2, root, Some(2)));
    }

    #[test]
    fn none_lies_too_deep() {
        let mut paths = Paths::new(2, 100);
        let root = paths.root(0);
        let above = paths.below(root, 0).unwrap();
        assert_eq!(paths.below(above, 0), None);
        let mut names = Vec::new();
        paths.way_to(above, &mut names);
        assert_eq!(names, [0, 0]);
    }
}
