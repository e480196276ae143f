// SPDX-License-Identifier: Apache-2.0
//! Decides which names of files and functions mean the same before and after a change of the
//! source.
//!
//! Source trees move. A file matches a file of the same name; among several, the one that shares
//! most folders with it, counted from the last folder. If two share equally many, neither matches.
//! Compilers number the lambdas of a function: this number is an order, not a name.

use std::collections::{BTreeSet, HashMap, HashSet};

/// For each file that has a counterpart: the number of the pair, by its path before and after.
pub fn join_files<'a>(
    before: impl Iterator<Item = &'a str>,
    after: impl Iterator<Item = &'a str>,
) -> [HashMap<&'a str, usize>; 2] {
    let (before, after): (BTreeSet<_>, BTreeSet<_>) = (before.collect(), after.collect());
    let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
    for file in after {
        by_name.entry(base(file)).or_default().push(file);
    }
    let candidates = |&file: &&'a str| {
        let alike = by_name.get(base(file)).into_iter().flatten();
        alike.map(move |&other| (in_common(file, other), file, other)).collect::<Vec<_>>()
    };
    let mut all: Vec<_> = before.iter().flat_map(candidates).collect();
    all.sort_by_key(|&(alike, ..)| std::cmp::Reverse(alike));
    let mut out = [HashMap::new(), HashMap::new()];
    let mut settled: [HashSet<&str>; 2] = Default::default();
    for level in all.chunk_by(|a, b| a.0 == b.0) {
        let is_open =
            |pair: &&(usize, &str, &str)| !settled[0].contains(pair.1) && !settled[1].contains(pair.2);
        let open: Vec<_> = level.iter().filter(is_open).collect();
        let mut times: [HashMap<&str, u32>; 2] = Default::default();
        for (_, file, other) in &open {
            *times[0].entry(file).or_default() += 1;
            *times[1].entry(other).or_default() += 1;
        }
        for &&(_, file, other) in &open {
            if times[0][file] == 1 && times[1][other] == 1 {
                let pair = out[0].len();
                out[0].insert(file, pair);
                out[1].insert(other, pair);
            }
            settled[0].insert(file);
            settled[1].insert(other);
        }
    }
    out
}

fn base(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or_default()
}

/// The number of equal last components of two paths. Equal paths count one more, so that a path is
/// nearest to itself.
fn in_common(one: &str, other: &str) -> usize {
    let alike = one.rsplit('/').zip(other.rsplit('/')).take_while(|(a, b)| a == b).count();
    alike + usize::from(one == other)
}

/// The name without the numbers of its lambdas, and these numbers: `main::{lambda(int)#2}` and
/// `main::$_2` (Clang) are lambda 2 of `main`.
pub fn without_ordinals(name: &str) -> (String, Vec<u32>) {
    let (mut out, mut ordinals, mut rest) = (String::with_capacity(name.len()), Vec::new(), name);
    while let Some(at) = rest.find(['#', '$']) {
        let is_closing = rest[at..].starts_with('#');
        let mark = if is_closing { 1 } else { "$_".len() };
        let behind = rest[at..].get(mark..).unwrap_or_default();
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_ordinal =
            if is_closing { behind[digits..].starts_with('}') } else { rest[at..].starts_with("$_") };
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        if let Some(ordinal) = behind[..digits].parse().ok().filter(|_| is_ordinal) {
            ordinals.push(ordinal);
            rest = &behind[digits..];
        }
    }
    out.push_str(rest);
    (out, ordinals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<(&'a str, &'a str)> {
        let [here, there] = join_files(before.iter().copied(), after.iter().copied());
        let of = |(file, pair): (&&'a str, &usize)| {
            there.iter().find(|other| other.1 == pair).map(|other| (*file, *other.0))
        };
        let mut pairs: Vec<_> = here.iter().filter_map(of).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn files_of_one_name_are_told_apart_by_their_folders() {
        let before = ["/old/ta/k.c", "/old/tb/k.c", "/old/main.c"];
        let moved = ["/new/x/main.c", "/new/x/tb/k.c", "/new/x/ta/k.c"];
        let wanted = [(before[2], moved[0]), (before[0], moved[2]), (before[1], moved[1])];
        assert_eq!(pairs(&before, &moved), wanted);
        assert_eq!(pairs(&before, &before).len(), 3);
        assert_eq!(pairs(&["/a/k.c"], &["/b/k.c", "/a/k.c"]), [("/a/k.c", "/a/k.c")]);
        assert_eq!(pairs(&["/a/k.c"], &["/b/k.c"]), [("/a/k.c", "/b/k.c")]);
        assert_eq!(pairs(&["/a/k.c"], &["/b/k.c", "/c/k.c"]), [], "either could be it");
        assert_eq!(pairs(&["k.c", "a/k.c"], &["k.c", "a/k.c"]), [("a/k.c", "a/k.c"), ("k.c", "k.c")]);
    }

    #[test]
    fn numbers_of_lambdas_are_no_names() {
        let found = |name| without_ordinals(name);
        let one = ("main::{lambda(int)#}::operator() const".to_owned(), vec![2]);
        assert_eq!(found("main::{lambda(int)#2}::operator() const"), one);
        assert_eq!(found("f<main::{lambda()#1}, g::{lambda()#12}>").1, [1, 12]);
        assert_eq!(found("main::$_3::operator()"), ("main::$::operator()".to_owned(), vec![3]));
        for name in ["main", "a#2", "cost$2", "é#", "$", "x$_", "#99999999999}"] {
            assert_eq!(found(name), (name.to_owned(), Vec::new()));
        }
    }
}
