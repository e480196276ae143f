// SPDX-License-Identifier: Apache-2.0
//! The constructs of a run, and which constructs of two runs are the same.
//!
//! In one build of a program, a construct is recognised by its addresses. In two builds, lines and
//! addresses differ: constructs of one kind in one function are joined in their order, so that a
//! construct that was inserted above or between them has no counterpart (`align`). A function is
//! looked for in the file with the same name and folders (`names`); if it is no longer there, in
//! any other file. A construct has no counterpart if its function is gone or has another name, or
//! if it comes from another build and its function is not known.

use std::collections::{HashMap, HashSet};

use super::align::{align, Each};
use super::names;
use crate::tables::GrainKind;
use crate::{Column, Place, PlaceRow, Profile};

/// The place of a construct, with the names that the output shows. Line 0: not known.
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
    /// The mean work of its grains, with that of the chunks in them; 0: it has none.
    pub work_ns: f64,
}

/// The constructs of a run. The first one is what is in none.
pub struct Constructs {
    pub list: Vec<Construct>,
    of_place: Column<Place, u32>,
}

impl Constructs {
    /// Places with the same known line and role are one construct: a compiler that unrolls or
    /// clones code gives it several.
    pub fn of(profile: &Profile, label: impl Fn(PlaceRow) -> Label) -> Self {
        let outside = Construct {
            role: Role::Outside,
            label: Label::default(),
            module: String::new(),
            build: 0,
            addresses: Vec::new(),
            count: 0,
            work_ns: 0.0,
        };
        let mut out = Self { list: vec![outside], of_place: Column::default() };
        let mut known: HashMap<(Role, String, Label), usize> = HashMap::new();
        let roles = roles(profile);
        for (row, place) in profile.places.places.entries() {
            let (role, count) = roles[row];
            if role == Role::Outside {
                out.of_place.push(0);
                continue;
            }
            let label = label(row);
            let (module, build) = module(profile, place);
            let next = out.list.len();
            let at = match label.line {
                0 => next,
                _ => *known.entry((role, module.clone(), label.clone())).or_insert(next),
            };
            if at == next {
                out.list.push(Construct {
                    role,
                    label,
                    module,
                    build,
                    addresses: Vec::new(),
                    count: 0,
                    work_ns: 0.0,
                });
            }
            out.list[at].addresses.push((place.call_site, place.function));
            out.list[at].count += count;
            out.of_place.push(at as u32);
        }
        out.add_work(profile);
        out
    }

    /// A chunk's work also counts for the grain in which it ran: a loop in a region is all that
    /// most regions do.
    fn add_work(&mut self, profile: &Profile) {
        let grains = &profile.grains;
        let mut sums = vec![(0.0, 0_u64); self.list.len()];
        for row in grains.rows() {
            let work = profile.ns(grains.work.of(row));
            let own = &mut sums[self.of_place(grains.place[row])];
            *own = (own.0 + work, own.1 + 1);
            if let Some(parent) = grains.parent[row].filter(|_| !grains.is_task(row)) {
                sums[self.of_place(grains.place[parent])].0 += work;
            }
        }
        for (construct, (work, grains)) in self.list.iter_mut().zip(sums) {
            construct.work_ns = work / grains.max(1) as f64;
        }
    }

    pub fn of_place(&self, place: Option<PlaceRow>) -> usize {
        self.of_place.of(place).copied().unwrap_or(0) as usize
    }

    /// A name for each place, for [`crate::metrics::Identities::named`].
    pub fn names(&self, name: impl Fn(usize) -> u64) -> Column<Place, u64> {
        self.of_place.iter().map(|&construct| name(construct as usize)).collect()
    }
}

/// For each place: its role, by the things that it made, and how often.
fn roles(profile: &Profile) -> Column<Place, (Role, u64)> {
    let mut roles: Column<Place, _> = vec![(Role::Outside, 0); profile.places.places.len()].into();
    let mut add = |role: Role, place: Option<PlaceRow>| {
        let Some(known) = roles.of_mut(place) else { return };
        match known.0.cmp(&role) {
            std::cmp::Ordering::Less => *known = (role, 1),
            std::cmp::Ordering::Equal => known.1 += 1,
            std::cmp::Ordering::Greater => {}
        }
    };
    let grains = &profile.grains;
    for row in grains.task_rows() {
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
    let Some(module) = profile.places.modules.of(place.module) else {
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
    let [files_before, files_after] = names::join_files(files(before), files(after));
    let sides = (Movable::of(before, &files_before, &same), Movable::of(after, &files_after, &same));
    by_order((&sides.0, &sides.1), &mut partner, &mut taken);
    by_order_elsewhere((&sides.0, &sides.1), &mut partner, &mut taken);
    pairs(before, &partner)
}

fn files(list: &[Construct]) -> impl Iterator<Item = &str> {
    list.iter().map(|construct| &*construct.label.file)
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

/// The name of its function, as it is in either source; `None`: nothing names it.
fn function(construct: &Construct) -> Option<String> {
    // "sort at prog+0x1234", or "prog+0x1234" alone, where no line is known.
    let function = &construct.label.function;
    let name = match construct.label.line {
        0 => match function.rsplit_once(" at ") {
            Some((name, _)) => name,
            None => Some(function).filter(|name| !name.contains("+0x") && !name.starts_with("0x"))?,
        },
        _ => function,
    };
    Some(names::without_ordinals(name).0)
}

/// Those of one side that join by their order: the row, the file and the function of each.
struct Movable<'a> {
    rows: Vec<(usize, Option<usize>, String)>,
    list: &'a [Construct],
}

impl<'a> Movable<'a> {
    fn of(list: &'a [Construct], files: &HashMap<&str, usize>, same: &HashSet<(&String, u64)>) -> Self {
        let is_movable = |construct: &Construct| !same.contains(&(&construct.module, construct.build));
        let named = |(row, construct): (usize, &Construct)| {
            let file = files.get(&*construct.label.file).copied();
            function(construct).filter(|_| is_movable(construct)).map(|name| (row, file, name))
        };
        Self { rows: list.iter().enumerate().filter_map(named).collect(), list }
    }

    /// The functions that a joined file has on this side.
    fn functions(&self) -> HashSet<(usize, &str)> {
        self.rows.iter().filter_map(|(_, file, name)| Some(((*file)?, &**name))).collect()
    }

    /// In the order of the source.
    fn sorted(&self, mut rows: Vec<usize>) -> Vec<usize> {
        rows.sort_by_cached_key(|&row| {
            let Construct { label, addresses, .. } = &self.list[row];
            (label.line, names::without_ordinals(&label.function).1, addresses.first().copied())
        });
        rows
    }

    fn each(&self, rows: &[usize]) -> Vec<Each> {
        let each = |construct: &Construct| Each {
            line: construct.label.line,
            grains: construct.count,
            work_ns: construct.work_ns,
        };
        rows.iter().map(|&row| each(&self.list[row])).collect()
    }
}

fn by_order((before, after): (&Movable, &Movable), partner: &mut [Option<(usize, How)>], taken: &mut [bool]) {
    let mut groups: HashMap<(Role, usize, &str), [Vec<usize>; 2]> = HashMap::new();
    for (side, movable) in [before, after].into_iter().enumerate() {
        for (row, file, name) in &movable.rows {
            let is_free = if side == 0 { !taken[*row] } else { partner[*row].is_none() };
            if let Some(file) = file.filter(|_| is_free) {
                groups.entry((movable.list[*row].role, file, name)).or_default()[side].push(*row);
            }
        }
    }
    for group in groups.into_values() {
        join_group((before, after), group, partner, taken);
    }
}

/// Functions that have gone from their file, and came to another: of several files it could be,
/// none is it.
fn by_order_elsewhere(
    (before, after): (&Movable, &Movable),
    partner: &mut [Option<(usize, How)>],
    taken: &mut [bool],
) {
    type Group<'a> = [(Vec<usize>, HashSet<&'a str>); 2];
    let stays = [after.functions(), before.functions()];
    let mut groups: HashMap<(Role, &str), Group> = HashMap::new();
    for (side, movable) in [before, after].into_iter().enumerate() {
        for (row, file, name) in &movable.rows {
            let is_free = if side == 0 { !taken[*row] } else { partner[*row].is_none() };
            if is_free && !file.is_some_and(|file| stays[side].contains(&(file, &**name))) {
                let construct = &movable.list[*row];
                let group = groups.entry((construct.role, name)).or_default();
                group[side].0.push(*row);
                group[side].1.insert(&construct.label.file);
            }
        }
    }
    for [here, there] in groups.into_values() {
        if here.1.len() == 1 && there.1.len() == 1 {
            join_group((before, after), [here.0, there.0], partner, taken);
        }
    }
}

fn join_group(
    (before, after): (&Movable, &Movable),
    [here, there]: [Vec<usize>; 2],
    partner: &mut [Option<(usize, How)>],
    taken: &mut [bool],
) {
    let (here, there) = (before.sorted(here), after.sorted(there));
    for (a, b) in align(&before.each(&here), &after.each(&there)) {
        let (a, b) = (here[a], there[b]);
        taken[a] = true;
        let place = |construct: &Construct| (construct.label.line, construct.label.file.clone());
        let is_line = place(&before.list[a]) == place(&after.list[b]) && after.list[b].label.line != 0;
        partner[b] = Some((a, if is_line { How::Line } else { How::Order }));
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
            work_ns: 0.0,
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

    fn in_file(file: &str, line: u32, build: u64) -> Construct {
        let other = construct(Role::Task, "work", line, build);
        Construct { label: Label { file: file.to_owned(), ..other.label.clone() }, ..other }
    }

    #[test]
    fn functions_of_one_name_in_files_of_one_name_stay_in_their_folders() {
        let before = [in_file("/old/ta/k.c", 3, 1), in_file("/old/tb/k.c", 6, 1)];
        let moved = [in_file("/new/tb/k.c", 6, 2), in_file("/new/ta/k.c", 13, 2)];
        let order = How::Order;
        assert_eq!(joined(&before, &moved), [(Some(6), Some(6), order), (Some(3), Some(13), order)]);
        let more = [in_file("/old/ta/k.c", 3, 2), in_file("/old/ta/k.c", 4, 2)];
        let found = joined(&before, &more);
        assert_eq!(found[0], (Some(3), Some(3), How::Line));
        assert_eq!(found[1].2, How::Alone, "the function is where it was");
    }

    #[test]
    fn a_function_that_could_have_come_from_two_files_joins_with_none() {
        let before = [in_file("/src/a.c", 3, 1), in_file("/src/b.c", 6, 1)];
        let after = [in_file("/src/c.c", 3, 2)];
        assert!(joined(&before, &after).iter().all(|pair| pair.2 == How::Alone));
        assert_eq!(joined(&before[1..], &after)[0].2, How::Order);
    }

    #[test]
    fn lambdas_of_a_function_are_told_apart_by_their_lines_and_not_by_their_numbers() {
        let lambda = |number: u32, line, build| {
            let name = format!("main::{{lambda()#{number}}}::operator() const");
            construct(Role::Task, &name, line, build)
        };
        let before = [lambda(1, 14, 1), lambda(2, 18, 1)];
        let after = [lambda(1, 9, 2), lambda(2, 14, 2), lambda(3, 18, 2)];
        let (line, alone) = (How::Line, How::Alone);
        let wanted = [(None, Some(9), alone), (Some(14), Some(14), line), (Some(18), Some(18), line)];
        assert_eq!(joined(&before, &after), wanted);
        let of_template = |numbers: &[u32], build| -> Vec<_> {
            let name = |number: &u32| format!("apply<main::{{lambda(int)#{number}}}>");
            numbers.iter().map(|number| construct(Role::Task, &name(number), 4, build)).collect()
        };
        let (two, three) = (of_template(&[1, 2], 1), of_template(&[1, 2, 3], 2));
        assert!(joined(&two, &three).iter().all(|pair| pair.2 == alone), "any of them may be new");
        let again = two.iter().map(|one| Construct { build: 2, ..one.clone() }).collect::<Vec<_>>();
        assert!(joined(&two, &again).iter().all(|pair| pair.2 == line));
    }
}
