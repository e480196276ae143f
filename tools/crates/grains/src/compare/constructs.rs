// SPDX-License-Identifier: Apache-2.0
//! What a run is made of, construct by construct, and which constructs of two runs are the same.
//!
//! In one build of a program a construct has its addresses, and those join. In two builds lines and
//! addresses move: there constructs of one kind in one function are joined in their order, so that
//! what was inserted above, or between, joins with nothing (`align`). A function is looked for in a
//! file of the same name first, then in any. A construct whose function has gone or has another
//! name has no counterpart; nor has one of another build without a known function.

use std::collections::{HashMap, HashSet};

use super::align::align;
use crate::tables::*;
use crate::{Place, Profile};

/// Where a construct stands, as who shows it names it. Line 0: not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Label {
    pub file: String,
    pub line: u32,
    pub function: String,
}

/// Only like is joined with like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// What is in no construct: the initial tasks.
    Outside,
    Sync,
    Loop,
    Region,
    Task,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Construct {
    pub role: Role,
    pub label: Label,
    /// The name of its object's file, without folders; empty: it is in none that is known, and its
    /// addresses are absolute.
    pub module: String,
    /// Tells builds of the object apart; 0: not known.
    pub build: u64,
    /// Where it calls the runtime, and the function that it runs, of each of its places.
    pub addresses: Vec<(u64, u64)>,
    /// Tasks, loops, regions or waits.
    pub count: u64,
}

/// The constructs of a run. The first one is what is in none.
pub struct Constructs {
    pub list: Vec<Construct>,
    /// By row of the place.
    of_place: Vec<u32>,
}

impl Constructs {
    /// Places with the same known line and role are one construct: a compiler that unrolls or
    /// clones code gives it several.
    pub fn of(profile: &Profile, label: impl Fn(u32) -> Label) -> Self {
        let outside = Construct {
            role: Role::Outside,
            label: Label::default(),
            module: String::new(),
            build: 0,
            addresses: Vec::new(),
            count: 0,
        };
        let mut out = Self { list: vec![outside], of_place: Vec::new() };
        let mut known: HashMap<(Role, String, Label), usize> = HashMap::new();
        let roles = roles(profile);
        for (row, place) in profile.places.places.iter().enumerate() {
            let (role, count) = roles[row];
            if role == Role::Outside {
                out.of_place.push(0);
                continue;
            }
            let label = label(row as u32);
            let (module, build) = module(profile, place);
            let next = out.list.len();
            let at = match label.line {
                0 => next,
                _ => *known.entry((role, module.clone(), label.clone())).or_insert(next),
            };
            if at == next {
                out.list.push(Construct { role, label, module, build, addresses: Vec::new(), count: 0 });
            }
            out.list[at].addresses.push((place.call_site, place.function));
            out.list[at].count += count;
            out.of_place.push(at as u32);
        }
        out
    }

    pub fn of_place(&self, place: u32) -> usize {
        self.of_place.get(place as usize).copied().unwrap_or(0) as usize
    }

    /// A name for each place, for [`crate::metrics::Identities::named`].
    pub fn names(&self, name: impl Fn(usize) -> u64) -> Vec<u64> {
        self.of_place.iter().map(|&construct| name(construct as usize)).collect()
    }
}

/// Of each place: what it is, by what it made, and how often.
fn roles(profile: &Profile) -> Vec<(Role, u64)> {
    let mut roles = vec![(Role::Outside, 0); profile.places.places.len()];
    let mut add = |role: Role, place: u32| {
        let Some(known) = roles.get_mut(place as usize) else { return };
        match known.0.cmp(&role) {
            std::cmp::Ordering::Less => *known = (role, 1),
            std::cmp::Ordering::Equal => known.1 += 1,
            std::cmp::Ordering::Greater => {}
        }
    };
    let grains = &profile.grains;
    for row in 0..grains.tasks {
        match grains.kind[row] {
            GrainKind::Task => add(Role::Task, grains.place[row]),
            GrainKind::Implicit => add(Role::Region, grains.place[row]),
            _ => {}
        }
    }
    profile.regions.iter().for_each(|region| add(Role::Region, region.place));
    profile.loops.iter().for_each(|info| add(Role::Loop, info.place));
    profile.waits.iter().for_each(|wait| add(Role::Sync, wait.place));
    roles
}

/// The build of what is in no object: its label has to be the same, too.
const NO_OBJECT: u64 = 1;

fn module(profile: &Profile, place: &Place) -> (String, u64) {
    let Some(module) = profile.places.modules.get(place.module as usize) else {
        return (String::new(), NO_OBJECT);
    };
    let name = module.path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let build = if module.build_id != 0 { module.build_id } else { module.build_mark };
    (String::from_utf8_lossy(name).into_owned(), build)
}

/// By what two constructs were joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// They have the same address in the same build, or are what is in no construct.
    Address,
    /// The same line of the same file, in another build.
    Line,
    /// The order of the constructs in their function.
    Order,
    /// There is no counterpart.
    Alone,
}

/// Rows of the constructs before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub before: Option<usize>,
    pub after: Option<usize>,
    pub how: How,
}

pub struct Joined {
    /// Those after in their order, then those that were before only.
    pub pairs: Vec<Pair>,
    /// By row of the construct: row of its pair.
    pub of_before: Vec<usize>,
    pub of_after: Vec<usize>,
}

pub fn join(before: &[Construct], after: &[Construct]) -> Joined {
    let mut partner: Vec<Option<(usize, How)>> = vec![None; after.len()];
    let mut taken = vec![false; before.len()];
    by_address(before, after, &mut partner, &mut taken);
    let same = modules_of_same_build(before, after);
    let movable = |construct: &Construct| !same.contains(&(&construct.module, construct.build));
    for with_file in [true, false] {
        by_order(before, after, (&movable, with_file), &mut partner, &mut taken);
    }
    pairs(before, &partner)
}

fn by_address(
    before: &[Construct],
    after: &[Construct],
    partner: &mut [Option<(usize, How)>],
    taken: &mut [bool],
) {
    let mut known = HashMap::new();
    for (row, construct) in before.iter().enumerate().filter(|(_, construct)| construct.build != 0) {
        for &address in &construct.addresses {
            known.insert((construct.role, &construct.module, construct.build, address), row);
        }
    }
    for (row, construct) in after.iter().enumerate() {
        let of = |&address| known.get(&(construct.role, &construct.module, construct.build, address));
        let outside = before.iter().position(|other| other.role == Role::Outside);
        let found = match construct.role {
            Role::Outside => outside,
            _ => construct.addresses.iter().find_map(of).copied(),
        };
        let alike = |found: &usize| !construct.module.is_empty() || before[*found].label == construct.label;
        if let Some(found) = found.filter(|found| !taken[*found] && alike(found)) {
            taken[found] = true;
            partner[row] = Some((found, How::Address));
        }
    }
}

/// In these what is not at the same address is not the same.
fn modules_of_same_build<'a>(before: &'a [Construct], after: &[Construct]) -> HashSet<(&'a String, u64)> {
    let builds: HashSet<_> = after.iter().map(|construct| (&construct.module, construct.build)).collect();
    let in_objects = before.iter().filter(|construct| construct.build != 0 && !construct.module.is_empty());
    in_objects
        .map(|construct| (&construct.module, construct.build))
        .filter(|&(module, build)| builds.contains(&(module, build)))
        .collect()
}

type Key<'a> = (Role, &'a str, &'a str);

/// `None`: nothing names its function.
fn key(construct: &Construct, with_file: bool) -> Option<Key<'_>> {
    // "sort at prog+0x1234", or "prog+0x1234" alone, where no line is known.
    let function = &construct.label.function;
    let name = match construct.label.line {
        0 => match function.rsplit_once(" at ") {
            Some((name, _)) => name,
            None => Some(function).filter(|name| !name.contains("+0x") && !name.starts_with("0x"))?,
        },
        _ => function,
    };
    let file = construct.label.file.rsplit('/').next().unwrap_or_default();
    Some((construct.role, if with_file { file } else { "" }, name))
}

fn by_order(
    before: &[Construct],
    after: &[Construct],
    (movable, with_file): (&dyn Fn(&Construct) -> bool, bool),
    partner: &mut [Option<(usize, How)>],
    taken: &mut [bool],
) {
    fn named<'a>(
        construct: &'a Construct,
        movable: &dyn Fn(&Construct) -> bool,
        with_file: bool,
    ) -> Option<Key<'a>> {
        key(construct, with_file).filter(|_| movable(construct))
    }
    let mut groups: HashMap<Key, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for (row, construct) in before.iter().enumerate().filter(|(row, _)| !taken[*row]) {
        if let Some(key) = named(construct, movable, with_file) {
            groups.entry(key).or_default().0.push(row);
        }
    }
    for (row, construct) in after.iter().enumerate().filter(|(row, _)| partner[*row].is_none()) {
        if let Some(group) = named(construct, movable, with_file).and_then(|key| groups.get_mut(&key)) {
            group.1.push(row);
        }
    }
    for (mut here, mut there) in groups.into_values() {
        let place = |construct: &Construct| (construct.label.line, construct.addresses.first().copied());
        here.sort_by_key(|&row| place(&before[row]));
        there.sort_by_key(|&row| place(&after[row]));
        let of = |construct: &Construct| (construct.label.line, construct.count);
        let here_at: Vec<_> = here.iter().map(|&row| of(&before[row])).collect();
        let there_at: Vec<_> = there.iter().map(|&row| of(&after[row])).collect();
        for (a, b) in align(&here_at, &there_at) {
            let (a, b) = (here[a], there[b]);
            taken[a] = true;
            let is_line = before[a].label == after[b].label && after[b].label.line != 0;
            partner[b] = Some((a, if is_line { How::Line } else { How::Order }));
        }
    }
}

fn pairs(before: &[Construct], partner: &[Option<(usize, How)>]) -> Joined {
    let mut out = Joined { pairs: Vec::new(), of_before: vec![0; before.len()], of_after: Vec::new() };
    let mut joined = vec![false; before.len()];
    for (row, found) in partner.iter().enumerate() {
        out.of_after.push(out.pairs.len());
        let (other, how) = found.map_or((None, How::Alone), |(other, how)| (Some(other), how));
        if let Some(other) = other {
            joined[other] = true;
            out.of_before[other] = out.pairs.len();
        }
        out.pairs.push(Pair { before: other, after: Some(row), how });
    }
    for row in (0..before.len()).filter(|&row| !joined[row]) {
        out.of_before[row] = out.pairs.len();
        out.pairs.push(Pair { before: Some(row), after: None, how: How::Alone });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn construct(role: Role, function: &str, line: u32, build: u64) -> Construct {
        Construct {
            role,
            label: Label { file: "/src/a.c".to_owned(), line, function: function.to_owned() },
            module: "prog".to_owned(),
            build,
            addresses: vec![(u64::from(line) * 16 + build, 0)],
            count: 10,
        }
    }

    fn joined(before: &[Construct], after: &[Construct]) -> Vec<(Option<u32>, Option<u32>, How)> {
        let line = |list: &[Construct], row: Option<usize>| row.map(|row| list[row].label.line);
        let pairs = join(before, after).pairs;
        pairs.iter().map(|pair| (line(before, pair.before), line(after, pair.after), pair.how)).collect()
    }

    #[test]
    fn in_one_build_addresses_join_and_nothing_else_does() {
        let of =
            |lines: &[u32]| lines.iter().map(|&line| construct(Role::Task, "f", line, 7)).collect::<Vec<_>>();
        let found = joined(&of(&[5, 9]), &of(&[9, 20]));
        let alone = How::Alone;
        assert_eq!(
            found,
            [(Some(9), Some(9), How::Address), (None, Some(20), alone), (Some(5), None, alone)]
        );
    }

    #[test]
    fn lines_that_moved_join_by_their_order_in_the_function() {
        let before = [
            construct(Role::Task, "f", 10, 1),
            construct(Role::Task, "f", 20, 1),
            construct(Role::Sync, "f", 21, 1),
        ];
        let after = [
            construct(Role::Task, "f", 13, 2),
            construct(Role::Task, "f", 23, 2),
            construct(Role::Sync, "f", 24, 2),
        ];
        let order = How::Order;
        assert_eq!(
            joined(&before, &after),
            [(Some(10), Some(13), order), (Some(20), Some(23), order), (Some(21), Some(24), order)]
        );
        let again: Vec<_> = before.iter().map(|c| Construct { build: 3, ..c.clone() }).collect();
        assert!(joined(&before, &again).iter().all(|pair| pair.2 == How::Line));
    }

    #[test]
    fn what_is_new_or_gone_or_of_another_kind_has_no_counterpart() {
        let before = [construct(Role::Task, "f", 10, 1), construct(Role::Task, "gone", 30, 1)];
        let after = [construct(Role::Task, "f", 10, 2), construct(Role::Loop, "gone", 30, 2)];
        let found = joined(&before, &after);
        assert_eq!(found[0].2, How::Line);
        assert_eq!(found[1..], [(None, Some(30), How::Alone), (Some(30), None, How::Alone)]);
    }

    #[test]
    fn a_file_that_moved_is_looked_through_and_names_without_lines_too() {
        let before = construct(Role::Task, "f", 10, 1);
        let moved = Label { file: "b.c".to_owned(), ..before.label.clone() };
        let after = Construct { build: 2, label: moved, ..before.clone() };
        assert_eq!(joined(std::slice::from_ref(&before), &[after])[0].2, How::Order);
        let nameless = |function: &str, build| construct(Role::Task, function, 0, build);
        assert_eq!(joined(&[nameless("f at p+0x10", 1)], &[nameless("f at p+0x30", 2)])[0].2, How::Order);
        assert_eq!(joined(&[nameless("p+0x10", 1)], &[nameless("p+0x10", 2)])[0].2, How::Alone);
    }
}
