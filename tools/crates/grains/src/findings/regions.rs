// SPDX-License-Identifier: Apache-2.0
//! Regions that are too short for their fork and join.

use crate::budget::{members, Class};
use crate::costs::Costs;
use crate::csr::Groups;
use crate::findings::groups::Group;
use crate::findings::subject::Subject;
use crate::findings::Finding;
use crate::row::Column;
use crate::tables::{GrainRow, RegionInfo, RegionRow};
use crate::typical::Typical;
use crate::units::{count, percent, time};

/// Regions that end before their fork and join have paid.
pub(crate) fn tiny_regions(subject: &Subject) -> Vec<Finding> {
    let books = books(subject);
    let members = members(subject.profile);
    let instances = |group: &Group| Instances::of(subject, group, &books, &members);
    let groups = subject.groups.iter().enumerate();
    groups.filter_map(|(row, group)| tiny_regions_of(subject, row, group, instances)).collect()
}

/// From this share of fork and join in a region's time on, the region may be too short. The gain
/// says whether that matters.
const FORK_SHARE: f64 = 0.05;
/// A region that is longer even where the machine lets it run waits for something else than its
/// fork.
const LONGEST_NS: f64 = 500e3;

/// What else helps if threads begin late.
const AWAKE: &str = "Where the code is a library's, give it more to do at a time, or fewer threads. If each thread has a \
                     processor of its own, OMP_WAIT_POLICY=active lets threads begin sooner: they do not sleep \
                     between regions.";

/// For each region, in ns: the book-keeping of its loops, which does not depend on the forking
/// thread.
fn books(subject: &Subject) -> Column<RegionInfo, f64> {
    let grains = &subject.profile.grains;
    let mut books = Column::filled(0.0, subject.profile.regions.len());
    for row in subject.profile.chunks.rows().map(|chunk| grains.of_chunk(chunk)) {
        let region = subject.budget.region_of.of(grains.parent[row]);
        if let Some(sum) = region.and_then(|&region| books.of_mut(region)) {
            *sum += subject.ns(grains.creation.of(row));
        }
    }
    books
}

/// What the regions of a group typically take. Worker time, but for the length.
struct Instances {
    forks: Typical,
    waits: Typical,
    /// The part of `waits` for threads that began late.
    late: Typical,
    length: Typical,
}

impl Instances {
    fn of(
        subject: &Subject,
        group: &Group,
        books: &Column<RegionInfo, f64>,
        members: &Groups<RegionRow, GrainRow>,
    ) -> Self {
        let costs = Costs::of(&subject.profile.meta);
        let mut all = Self {
            forks: Typical::default(),
            waits: Typical::default(),
            late: Typical::default(),
            length: Typical::default(),
        };
        for &row in &group.regions {
            let region = &subject.profile.regions[row];
            let sums = &subject.budget.regions[row];
            let threads = f64::from(region.threads.max(1));
            let recorded = subject.ns(costs.of_member()) * threads;
            let forks = subject.class(sums, Class::Scheduling) - books[row];
            let descheduled = subject.class(sums, Class::Descheduled);
            let foreign = subject.class(sums, Class::Recorder) + descheduled;
            // All others may have waited for a thread that lost its processor.
            let waits = subject.class(sums, Class::Imbalance);
            let of_program = (waits - descheduled * (threads - 1.0)).max(0.0);
            let length = subject.ns(region.end - region.begin) - (foreign + recorded) / threads;
            all.forks.add((forks - recorded).max(0.0));
            all.waits.add(waits);
            all.late.add(of_program.min(for_late_threads(subject, members.of(row))));
            all.length.add(length.max(0.0));
        }
        all
    }
}

/// How long a team's threads wait at their first barrier for the one that began last, if all of
/// them have as much to do.
fn for_late_threads(subject: &Subject, members: &[GrainRow]) -> f64 {
    let starts = members.iter().map(|&row| subject.profile.grains.start.of(row));
    let Some(last) = starts.clone().max() else { return 0.0 };
    starts.map(|start| subject.ns(last - start)).sum()
}

fn tiny_regions_of(
    subject: &Subject,
    row: usize,
    group: &Group,
    instances: impl Fn(&Group) -> Instances,
) -> Option<Finding> {
    let number = group.regions.len() as f64;
    let has_tasks = subject.task_sites.iter().any(|site| site.group as usize == row);
    if number < 2.0 || has_tasks {
        return None;
    }
    let instances = instances(group);
    let threads = group.threads.max(1.0);
    let (forks, length) = (instances.forks.all(), instances.length.all());
    let mean = instances.length.mean();
    if mean > LONGEST_NS || forks < FORK_SHARE * length * threads {
        return None;
    }
    let work = group.ns(subject.profile, Class::Work);
    let late = instances.late.all();
    let (gain_ns, remedy, estimate) = cure(length - work, (forks + late) / threads);
    let mut evidence = vec![
        format!("each does {} of work on {threads:.0} threads, in {}", time(work / number), time(mean)),
        format!("fork and join take {} of its threads' time", percent(forks, length * threads)),
    ];
    let is_late = late > FORK_SHARE * length * threads;
    if is_late {
        let share = percent(late, length * threads);
        evidence.push(format!("threads wait for {share} of it for those that began late"));
    }
    Some(Finding {
        rule: "tiny-regions",
        title: format!("{} parallel regions of {}", count(number as u64), time(mean)),
        place: group.place,
        region: group.place,
        when: None,
        lost_ns: forks + instances.waits.all(),
        gain_ns,
        evidence,
        remedy: if is_late { format!("{remedy} {AWAKE}") } else { remedy.to_owned() },
        estimate: estimate.to_owned(),
    })
}

/// What would be gained by one thread for all, and by one region for all.
fn cure(serial: f64, merged: f64) -> (f64, &'static str, &'static str) {
    if serial > merged {
        (
            serial,
            "Run the region on one thread if it is this short: use an if clause on the parallel construct (if(n > \
             ...)), or num_threads. Or make one region around the loop that repeats it.",
            "the regions' time less the work in them, as one thread would do it",
        )
    } else {
        (
            merged,
            "Make one parallel region around the code that repeats this one, and leave worksharing constructs inside.",
            "the time from each fork until threads run, and from the last one's end until the region ends",
        )
    }
}
