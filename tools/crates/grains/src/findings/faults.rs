// SPDX-License-Identifier: Apache-2.0
//! Memory that the program gives back to the system, and takes again.
//!
//! Each page that a program touches for the first time after it has got it from the system is a
//! page fault, in which the kernel clears the page. A program that keeps its memory has about as
//! many faults as it has pages. Far more faults mean that the same memory came several times: the C
//! library returns large blocks, and the end of its heap, as soon as they are free.

use crate::findings::subject::Subject;
use crate::findings::Finding;
use crate::units::{count, percent, several, time};

const PAGE_BYTES: f64 = 4096.0;
/// How often each page has to have come for this to be a defect, on average.
const OFTEN: f64 = 2.0;
/// What a fault costs at most, with its share of giving the page back. Where the kernel had more
/// time, it had it for something else.
const MOST_NS: f64 = 4e3;

pub(crate) fn page_faults(subject: &Subject) -> Vec<Finding> {
    let profile = subject.profile;
    let usage = &profile.usage;
    let pages = usage.most_resident_bytes as f64 / PAGE_BYTES;
    // The recorder touches each page of its files once.
    let faults = usage.minor_faults as f64 - profile.bytes as f64 / PAGE_BYTES;
    let again = faults - pages;
    if pages == 0.0 || faults < OFTEN * pages {
        return Vec::new();
    }
    let of_kernel = usage.system_ns as f64;
    let lost = (of_kernel * again / usage.minor_faults as f64).min(MOST_NS * again);
    let threads = subject.at_once(f64::from(subject.budget.workers));
    let cpu_ns = profile.cpu_ns.map_or(0.0, |ns| ns as f64);
    vec![Finding {
        rule: PAGE_FAULTS,
        title: format!(
            "{} page faults, about {} in the kernel: memory is returned to the system and taken again",
            count(faults as u64),
            time(lost)
        ),
        place: None,
        region: None,
        when: None,
        lost_ns: lost,
        gain_ns: lost / threads,
        evidence: vec![
            format!(
                "the program had at most {} at a time, so each of them came {:.0} times",
                several(pages as u64, "page"),
                faults / pages
            ),
            format!("it spent {} in the kernel, {} of its CPU time", time(of_kernel), percent(of_kernel, cpu_ns)),
        ],
        remedy: "Reuse buffers instead of allocating and freeing them in each step. Or let the C library keep the \
                 memory: run with MALLOC_TRIM_THRESHOLD_=1073741824 MALLOC_MMAP_THRESHOLD_=33554432, or call mallopt \
                 with M_TRIM_THRESHOLD and M_MMAP_THRESHOLD."
            .to_owned(),
        estimate: format!(
            "at least this time in the kernel, divided among {threads:.0} threads; the cleared pages also displace the \
             program's data from the caches"
        ),
    }]
}

pub(crate) const PAGE_FAULTS: &str = "page-faults";
