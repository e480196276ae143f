// SPDX-License-Identifier: Apache-2.0
//! What the program is made of: its parallel regions and the serial parts between them, in order of
//! time, with repetitions folded; below each region its loops, the parts between its barriers, and
//! its tasks. What is in a nested region belongs to the outermost region around it.
//!
//! The outermost regions are a sequence of constructs. A construct, or several in a row, that is
//! repeated is one step with a number of times, as often as it occurs in a row. Two rounds are
//! alike if they have the same constructs, however often each of these is repeated in itself. The
//! figures of all rounds are summed.

use std::collections::HashMap;

use grains::budget::{Budget, Class, Sums, CLASSES};
use grains::phases::phases;
use grains::summary::SiteKind;
use grains::{GrainKind, PlaceRow, Profile, RegionRow, Ticks, NONE};
use serde::Serialize;
use symbols::sites::Sites;

/// The longest round that is recognised, in steps.
const LONGEST: usize = 256;
/// The most rows; nobody reads more.
const MOST: usize = 400;

/// What the program is made of.
#[derive(Serialize)]
pub struct Outline {
    /// The names of the classes of the workers' time.
    classes: [&'static str; CLASSES.len()],
    row: Vec<Row>,
    /// Rows that are left out.
    more: usize,
}

#[derive(Serialize)]
pub struct Row {
    /// 0: a step of the whole run. A row belongs to the last row before it with a lower depth.
    depth: u32,
    /// repeat, start, serial, region, loop, phase or task; start: serial, before the first region
    kind: &'static str,
    /// Row of the model's `sites`. Of a phase: what ends it. `u32::MAX`: none.
    site: u32,
    /// How often: rounds of a repetition, instances, tasks.
    count: u64,
    /// The time from begin to end, summed over the instances; 0: not known.
    wall_ns: f64,
    work_ns: f64,
    /// The workers' time in it by class, in the order of `classes`; empty: not known.
    classes: Vec<f64>,
}

/// A step of the program's sequence, summed over all rounds in which it is.
#[derive(Clone)]
struct Step {
    what: What,
    count: u64,
    wall: Ticks,
    sums: Sums,
}

#[derive(Clone)]
enum What {
    /// Before the first region: no part of a round.
    Start,
    Serial,
    Region(Option<PlaceRow>),
    Repeat(Vec<Step>),
}

impl Step {
    fn is_like(&self, other: &Self) -> bool {
        match (&self.what, &other.what) {
            (What::Serial, What::Serial) => true, // the start is like nothing
            (What::Region(one), What::Region(other)) => one == other,
            (What::Repeat(one), What::Repeat(other)) => alike(one, other),
            _ => false,
        }
    }

    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.wall += other.wall;
        self.sums.add_all(&other.sums);
        if let (What::Repeat(own), What::Repeat(more)) = (&mut self.what, &other.what) {
            add_all(own, more);
        }
    }
}

fn alike(one: &[Step], other: &[Step]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_like(other))
}

fn add_all(own: &mut [Step], more: &[Step]) {
    for (own, more) in own.iter_mut().zip(more) {
        own.add(more);
    }
}

/// Adds a step to a sequence, and folds what the sequence's end repeats.
fn push(steps: &mut Vec<Step>, step: Step) {
    steps.push(step);
    while fold(steps) {}
}

fn fold(steps: &mut Vec<Step>) -> bool {
    let end = steps.len();
    for length in 1..=LONGEST.min(end) {
        let (before, round) = steps.split_at(end - length);
        // A round ends with a serial part. If it could begin with one, the part between two loops
        // of the program could be the begin of a round of the second.
        if length > 1 && matches!(round.first(), Some(Step { what: What::Serial, .. })) {
            continue;
        }
        // One more round of a repetition.
        if let Some(Step { what: What::Repeat(body), .. }) = before.last() {
            if alike(body, round) {
                let round = steps.split_off(end - length);
                if let Some(Step { what: What::Repeat(body), count, wall, sums }) = steps.last_mut() {
                    *count += 1;
                    for step in &round {
                        *wall += step.wall;
                        sums.add_all(&step.sums);
                    }
                    add_all(body, &round);
                }
                return true;
            }
        }
        // A round of one step is that step, more often.
        if before.len() >= length && alike(&before[before.len() - length..], round) {
            let round = steps.split_off(end - length);
            if length == 1 {
                if let Some(last) = steps.last_mut() {
                    last.add(&round[0]);
                }
                return true;
            }
            let mut body = steps.split_off(end - 2 * length);
            add_all(&mut body, &round);
            let mut all = Step { what: What::Serial, count: 2, wall: Ticks::ZERO, sums: Sums::default() };
            for step in &body {
                all.wall += step.wall;
                all.sums.add_all(&step.sums);
            }
            steps.push(Step { what: What::Repeat(body), ..all });
            return true;
        }
    }
    false
}

pub fn of(profile: &Profile, sites: &Sites, budget: &Budget) -> Outline {
    let outermost = outermost(profile, budget);
    let steps = sequence(profile, budget, &outermost);
    let inside = Inside::of(profile, sites, budget, &outermost);
    let mut writer = Writer { profile, sites, inside, rows: Vec::new(), more: 0 };
    writer.write(&steps, 0);
    Outline { classes: CLASSES.map(Class::name), row: writer.rows, more: writer.more }
}

fn sequence(profile: &Profile, budget: &Budget, outermost: &HashMap<RegionRow, RegionRow>) -> Vec<Step> {
    let mut regions: Vec<RegionRow> =
        profile.regions.entries().filter(|(_, region)| region.level <= 1).map(|(row, _)| row).collect();
    regions.sort_by_key(|&row| profile.regions[row].begin);
    let mut nested: HashMap<RegionRow, Sums> = HashMap::new();
    for (&inner, &outer) in outermost {
        nested.entry(outer).or_default().add_all(budget.of_region(Some(inner)));
    }
    let mut parts = serial_parts(profile, &regions);
    let last = parts.pop().filter(|(begin, end)| begin < end);
    let serial = Serial::of(profile, budget, parts.iter().chain(&last));
    let mut steps = Vec::new();
    for (&row, part) in regions.iter().zip(parts) {
        if !steps.is_empty() {
            push(&mut steps, serial.step(What::Serial, part));
        } else if part.0 < part.1 {
            steps.push(serial.step(What::Start, part));
        }
        let region = &profile.regions[row];
        let mut sums = *budget.of_region(Some(row));
        if let Some(inner) = nested.get(&row) {
            sums.add_all(inner);
        }
        let wall = region.end - region.begin;
        push(&mut steps, Step { what: What::Region(region.place), count: 1, wall, sums });
    }
    if let Some(part) = last {
        push(&mut steps, serial.step(What::Serial, part));
    }
    steps
}

/// The begin and the end of a serial part.
type Stretch = (Ticks, Ticks);

/// The part before each of the outermost regions, and the one after the last of them. A part
/// without length keeps the sequence regular.
fn serial_parts(profile: &Profile, regions: &[RegionRow]) -> Vec<Stretch> {
    let mut at = Ticks::ZERO;
    let mut parts = Vec::with_capacity(regions.len() + 1);
    for &row in regions {
        let region = &profile.regions[row];
        // A region's end may be later than the begin of the next one: a thread that lost its
        // processor left late.
        parts.push((at, region.begin.max(at)));
        at = at.max(region.end);
    }
    parts.push((at, profile.wall.max(at)));
    parts
}

/// What the workers did outside of regions. The budget has the sums over all serial parts. The work
/// of each part is known, too; the other classes are divided by the rest of each part's time.
struct Serial {
    sums: Sums,
    workers: u64,
    /// The fragments of initial tasks, by time: begin, end, and the time of all before this one.
    fragments: Vec<(Ticks, Ticks, Ticks)>,
    /// The time of fragments in all parts.
    ran: Ticks,
    whole: Ticks,
}

impl Serial {
    fn of<'a>(profile: &Profile, budget: &Budget, parts: impl Iterator<Item = &'a Stretch> + Clone) -> Self {
        let of = &profile.fragments;
        let is_initial = |row: &usize| profile.grains.kind[of.grain[*row]] == GrainKind::Initial;
        let own = (0..of.grain.len()).filter(is_initial);
        let mut fragments: Vec<_> = own.map(|row| (of.start[row], of.end[row], Ticks::ZERO)).collect();
        fragments.sort_unstable();
        let mut before = Ticks::ZERO;
        for (start, end, sum) in &mut fragments {
            *sum = before;
            before += *end - *start;
        }
        let workers = budget.workers.into();
        let mut serial =
            Self { sums: *budget.of_region(None), workers, fragments, ran: Ticks::ZERO, whole: Ticks::ZERO };
        serial.ran = parts.clone().map(|&part| serial.ran_in(part)).sum();
        serial.whole = parts.map(|&(begin, end)| Ticks((end - begin).0 * workers)).sum();
        serial
    }

    /// For how long fragments ran in a part.
    fn ran_in(&self, (begin, end): Stretch) -> Ticks {
        let until = |time: Ticks| {
            let next = self.fragments.partition_point(|&(start, _, _)| start < time);
            let last = next.checked_sub(1).map(|at| self.fragments[at]);
            last.map_or(Ticks::ZERO, |(start, end, before)| before + (end.min(time) - start))
        };
        until(end) - until(begin)
    }

    fn step(&self, what: What, part: Stretch) -> Step {
        let wall = part.1 - part.0;
        let ran = self.ran_in(part);
        let share = |part: Ticks, of: Ticks| if of.0 > 0 { part.0 as f64 / of.0 as f64 } else { 0.0 };
        let of_work = share(ran, self.ran);
        let rest = |whole: Ticks, ran: Ticks| Ticks(whole.0.saturating_sub(ran.0));
        let of_rest = share(rest(Ticks(wall.0 * self.workers), ran), rest(self.whole, self.ran));
        let mut sums = Sums::default();
        for class in CLASSES {
            let is_work = matches!(class, Class::Work | Class::Inflation);
            let share = if is_work { of_work } else { of_rest };
            sums.add(class, Ticks((self.sums.of(class).0 as f64 * share) as u64));
        }
        Step { what, count: 1, wall, sums }
    }
}

/// For each nested region: the outermost region that it is in.
fn outermost(profile: &Profile, budget: &Budget) -> HashMap<RegionRow, RegionRow> {
    let mut outermost = HashMap::new();
    for (row, region) in profile.regions.entries().filter(|(_, region)| region.level > 1) {
        let (mut at, mut left) = (region.parent, region.level);
        while let Some(above) = at.and_then(|task| budget.region_of.of(Some(task)).copied().flatten()) {
            left -= 1;
            if profile.regions[above].level <= 1 || left == 0 {
                outermost.insert(row, above);
                break;
            }
            at = profile.regions[above].parent;
        }
    }
    outermost
}

/// What is in the regions of each construct.
struct Inside(HashMap<Option<PlaceRow>, Vec<Row>>);

impl Inside {
    fn of(
        profile: &Profile,
        sites: &Sites,
        budget: &Budget,
        outermost: &HashMap<RegionRow, RegionRow>,
    ) -> Self {
        let mut inside: HashMap<Option<PlaceRow>, Vec<Row>> = HashMap::new();
        let mut known: HashMap<(Option<PlaceRow>, u32), usize> = HashMap::new();
        for row in profile.grains.rows() {
            let kind = match profile.grains.kind[row] {
                GrainKind::Task => "task",
                GrainKind::Chunk => "loop",
                _ => continue,
            };
            let task = if kind == "loop" { profile.grains.parent[row] } else { Some(row) };
            let region = task.and_then(|task| budget.region_of.of(Some(task)).copied().flatten());
            let region = region.map(|region| outermost.get(&region).copied().unwrap_or(region));
            let place = region.and_then(|region| profile.regions[region].place);
            let site = sites.of_grain[row];
            let parts = inside.entry(place).or_default();
            let at = *known.entry((place, site)).or_insert_with(|| {
                parts.push(Row::leaf(kind, site));
                parts.len() - 1
            });
            parts[at].count += 1;
            parts[at].work_ns += profile.ns(profile.grains.work.of(row));
        }
        let mut phases = phases(profile);
        phases.retain(|phase| phase.work() > 0.0);
        for phase in &phases {
            // A region without a barrier inside is one phase, which the region's own row shows.
            let is_alone = phases.iter().filter(|other| other.region == phase.region).count() == 1;
            if is_alone {
                continue;
            }
            let kind = if phase.is_last { SiteKind::Region } else { SiteKind::Sync };
            let row = Row {
                count: phase.times,
                work_ns: phase.work(),
                ..Row::leaf("phase", sites.row(phase.place, kind).unwrap_or(NONE))
            };
            inside.entry(phase.region).or_default().push(row);
        }
        for parts in inside.values_mut() {
            parts.sort_by(|one, other| other.work_ns.total_cmp(&one.work_ns));
        }
        Self(inside)
    }
}

impl Row {
    fn leaf(kind: &'static str, site: u32) -> Self {
        Self { depth: 0, kind, site, count: 0, wall_ns: 0.0, work_ns: 0.0, classes: Vec::new() }
    }
}

struct Writer<'a> {
    profile: &'a Profile,
    sites: &'a Sites,
    inside: Inside,
    rows: Vec<Row>,
    more: usize,
}

impl Writer<'_> {
    fn write(&mut self, steps: &[Step], depth: u32) {
        for step in steps {
            if self.rows.len() < MOST {
                self.step(step, depth);
            } else {
                self.more += 1;
            }
        }
    }

    fn step(&mut self, step: &Step, depth: u32) {
        let (kind, site) = match &step.what {
            What::Start => ("start", NONE),
            What::Serial => ("serial", NONE),
            What::Region(place) => ("region", self.sites.row(*place, SiteKind::Region).unwrap_or(NONE)),
            What::Repeat(_) => ("repeat", NONE),
        };
        let ns = |class| self.profile.ns(step.sums.of(class));
        self.rows.push(Row {
            depth,
            kind,
            site,
            count: step.count,
            wall_ns: self.profile.ns(step.wall),
            work_ns: ns(Class::Work) + ns(Class::Inflation),
            classes: CLASSES.map(ns).to_vec(),
        });
        match &step.what {
            What::Repeat(body) => self.write(body, depth + 1),
            What::Region(place) => {
                let parts = self.inside.0.remove(place).unwrap_or_default();
                self.rows.extend(parts.into_iter().map(|row| Row { depth: depth + 1, ..row }));
            }
            What::Start | What::Serial => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use grains::Row as GrainsRow;

    use super::*;

    /// Letters are regions, a dot is a serial part.
    fn folded(text: &str) -> String {
        let mut steps = Vec::new();
        for letter in text.bytes() {
            let what = match letter {
                b'.' => What::Serial,
                b'-' => What::Start,
                letter => What::Region(Some(GrainsRow::new(usize::from(letter)))),
            };
            push(&mut steps, Step { what, count: 1, wall: Ticks(1), sums: Sums::default() });
        }
        shown(&steps)
    }

    fn shown(steps: &[Step]) -> String {
        let one = |step: &Step| match &step.what {
            What::Start => format!("-{}", step.count),
            What::Serial => format!(".{}", step.count),
            What::Region(place) => format!("{}{}", place.unwrap().at() as u8 as char, step.count),
            What::Repeat(body) => format!("{}({}){}", step.count, shown(body), step.wall.0),
        };
        steps.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn repetitions_are_folded() {
        assert_eq!(folded("ab"), "a1 b1");
        assert_eq!(folded("aaaa"), "a4");
        assert_eq!(folded(".a.a.a."), ".1 3(a3 .3)6");
        assert_eq!(folded("-a.a.a."), "-1 3(a3 .3)6");
        assert_eq!(folded("xabcabcabcy"), "x1 3(a3 b3 c3)9 y1");
    }

    #[test]
    fn a_loop_in_a_loop_is_folded_twice() {
        assert_eq!(folded(&format!("-{}", "u.r.u.r.s.".repeat(3))), "-1 3(6(u6 .6 r6 .6)24 s3 .3)30");
    }

    #[test]
    fn rounds_differ_in_how_often_their_steps_are_repeated() {
        assert_eq!(folded("aabaaabaab"), "3(a7 b3)10");
        assert_eq!(folded("abababcababc"), "2(5(a5 b5)10 c2)12");
    }
}
