// SPDX-License-Identifier: Apache-2.0
//! Regions that are too short for their fork and join.

use crate::budget::Class;
use crate::costs::Costs;
use crate::findings::groups::Group;
use crate::findings::subject::Subject;
use crate::findings::Finding;
use crate::row::Column;
use crate::tables::RegionInfo;
use crate::typical::Typical;
use crate::units::{count, percent, time};

/// Regions that end before their fork and join have paid.
pub(crate) fn tiny_regions(subject: &Subject) -> Vec<Finding> {
    let books = books(subject);
    let groups = subject.groups.iter().enumerate();
    groups.filter_map(|(row, group)| tiny_regions_of(subject, row, group, &books)).collect()
}

/// From this share of fork and join in a region's time on, the region may be too short. The gain
/// says whether that matters.
const FORK_SHARE: f64 = 0.05;
/// A longer region waits for processors, or for something else, but not for its fork.
const LONGEST_NS: f64 = 500e3;

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
    length: Typical,
}

impl Instances {
    fn of(subject: &Subject, group: &Group, books: &Column<RegionInfo, f64>) -> Self {
        let costs = Costs::of(&subject.profile.meta);
        let mut all =
            Self { forks: Typical::default(), waits: Typical::default(), length: Typical::default() };
        for &row in &group.regions {
            let region = &subject.profile.regions[row];
            let sums = &subject.budget.regions[row];
            let threads = f64::from(region.threads.max(1));
            let recorded = subject.ns(costs.of_member()) * threads;
            let forks = subject.class(sums, Class::Scheduling) - books[row];
            let foreign = subject.class(sums, Class::Recorder) + subject.class(sums, Class::Descheduled);
            let length = subject.ns(region.end - region.begin) - (foreign + recorded) / threads;
            all.forks.add((forks - recorded).max(0.0));
            all.waits.add(subject.class(sums, Class::Imbalance));
            all.length.add(length.max(0.0));
        }
        all
    }
}

fn tiny_regions_of(
    subject: &Subject,
    row: usize,
    group: &Group,
    books: &Column<RegionInfo, f64>,
) -> Option<Finding> {
    let number = group.regions.len() as f64;
    let is_long = group.wall > LONGEST_NS * number;
    let has_tasks = subject.task_sites.iter().any(|site| site.group as usize == row);
    if number < 2.0 || is_long || has_tasks {
        return None;
    }
    let instances = Instances::of(subject, group, books);
    let threads = group.threads.max(1.0);
    let (forks, length) = (instances.forks.all(), instances.length.all());
    if forks < FORK_SHARE * length * threads {
        return None;
    }
    let work = group.ns(subject.profile, Class::Work);
    let (gain_ns, remedy, estimate) = cure(length - work, forks / threads);
    let mean = instances.length.mean();
    Some(Finding {
        rule: "tiny-regions",
        title: format!("{} parallel regions of {}", count(number as u64), time(mean)),
        place: group.place,
        region: group.place,
        when: None,
        lost_ns: forks + instances.waits.all(),
        gain_ns,
        evidence: vec![
            format!("each does {} of work on {threads:.0} threads, in {}", time(work / number), time(mean)),
            format!("fork and join take {} of its threads' time", percent(forks, length * threads)),
        ],
        remedy: remedy.to_owned(),
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
