// SPDX-License-Identifier: Apache-2.0
//! Clusters by Ward's method: each step merges the two clusters whose merger adds least to the
//! squared distances within clusters. Distances are Euclidean, between the autoscaled scores of the
//! retained components. Heights are those of R's ward.D2 and of scipy.

use nalgebra::DMatrix;

use crate::characterise::components::Components;
use crate::characterise::table::moments;

/// A merge of two clusters. A number below the number of programs is a program; a larger number is
/// an earlier merge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Merge {
    pub left: usize,
    pub right: usize,
    pub height: f64,
}

pub struct Clusters {
    /// By rising height.
    pub merges: Vec<Merge>,
    /// How many clusters the tree is cut into.
    pub groups: usize,
    /// The cluster of each program, from 0, in the order of the programs.
    pub of: Vec<usize>,
}

impl Clusters {
    pub fn of(components: &Components, groups: Option<usize>) -> Self {
        let merges = merges(&scaled_scores(components));
        let programs = merges.len() + 1;
        let groups = groups.unwrap_or_else(|| at_widest_leap(&merges)).clamp(1, programs);
        let of = cut(&merges, groups);
        Self { merges, groups, of }
    }

    /// Programs from left to right, so that no two branches of the tree cross.
    pub fn order(&self) -> Vec<usize> {
        let programs = self.merges.len() + 1;
        let mut order = Vec::new();
        let mut below = vec![programs + self.merges.len() - 1];
        while let Some(node) = below.pop() {
            match node.checked_sub(programs) {
                None => order.push(node),
                Some(merge) => below.extend([self.merges[merge].right, self.merges[merge].left]),
            }
        }
        order
    }
}

/// The columns of the retained components, each with variance 1.
fn scaled_scores(components: &Components) -> DMatrix<f64> {
    let mut scores = components.scores.columns(0, components.retained).into_owned();
    for mut column in scores.column_iter_mut() {
        let (mean, deviation) = moments(column.as_slice());
        column.iter_mut().for_each(|value| *value = (*value - mean) / deviation);
    }
    scores
}

fn merges(points: &DMatrix<f64>) -> Vec<Merge> {
    let programs = points.nrows();
    let mut distances = Vec::with_capacity(programs * programs / 2);
    for row in 0..programs {
        distances.extend((row + 1..programs).map(|other| (points.row(row) - points.row(other)).norm()));
    }
    let tree = kodama::linkage(&mut distances, programs, kodama::Method::Ward);
    let merge = |step: &kodama::Step<f64>| Merge {
        left: step.cluster1,
        right: step.cluster2,
        height: step.dissimilarity,
    };
    tree.steps().iter().map(merge).collect()
}

/// The number of clusters, from 2 on, between whose last merge and the next the height rises most.
fn at_widest_leap(merges: &[Merge]) -> usize {
    let programs = merges.len() + 1;
    let leap = |groups: &usize| {
        let next = programs - groups; // the number of merges done
        merges[next].height - merges[next - 1].height
    };
    (2..programs).max_by(|a, b| leap(a).total_cmp(&leap(b)).then(b.cmp(a))).unwrap_or(1)
}

fn cut(merges: &[Merge], groups: usize) -> Vec<usize> {
    let programs = merges.len() + 1;
    let mut above: Vec<usize> = (0..programs + merges.len()).collect();
    for (at, merge) in merges[..programs - groups].iter().enumerate() {
        above[merge.left] = programs + at;
        above[merge.right] = programs + at;
    }
    let top = |mut node: usize| {
        while above[node] != node {
            node = above[node];
        }
        node
    };
    let mut seen = Vec::new();
    let number = |program: usize| {
        let node = top(program);
        seen.iter().position(|&known| known == node).unwrap_or_else(|| {
            seen.push(node);
            seen.len() - 1
        })
    };
    (0..programs).map(number).collect()
}

/// How far two divisions agree: of pairs that one of them has together, less what chance would
/// have (Hubert and Arabie, 1985). 1: they are the same; about 0: by chance.
pub fn adjusted_rand(one: &[usize], other: &[usize]) -> f64 {
    let groups = |of: &[usize]| of.iter().max().map_or(0, |most| most + 1);
    let mut table = vec![vec![0u64; groups(other)]; groups(one)];
    for (&a, &b) in one.iter().zip(other) {
        table[a][b] += 1;
    }
    let pairs = |count: u64| (count * count.saturating_sub(1) / 2) as f64;
    let both: f64 = table.iter().flatten().map(|&count| pairs(count)).sum();
    let of_one: f64 = table.iter().map(|row| pairs(row.iter().sum())).sum();
    let of_other: f64 = (0..groups(other)).map(|at| pairs(table.iter().map(|row| row[at]).sum())).sum();
    let chance = of_one * of_other / pairs(one.len() as u64).max(1.0);
    let most = f64::midpoint(of_one, of_other);
    if (most - chance).abs() < 1e-12 {
        return 1.0; // both are one cluster, or all are alone
    }
    (both - chance) / (most - chance)
}
