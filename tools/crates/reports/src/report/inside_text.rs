// SPDX-License-Identifier: Apache-2.0
//! The lines of a report about the functions that ran inside the sites.

use grains::units::{percent, several};
use symbols::functions::{FunctionFacts, InsideFacts};
use terminal::printable;

use super::facts::{Facts, Site};
use super::inside::{how_often, name, within};
use super::style::{paragraph, Style};
use super::templates::without_long_arguments;

/// The largest number of functions of one site; more would not be read.
const FUNCTIONS: usize = 5;
/// The share of a site's samples that a function must have to get a line.
const LEAST_SHARE: f64 = 0.01;

/// Left out if no samples were taken.
pub fn where_inside(out: &mut String, facts: &Facts, limit: usize, style: &Style) {
    let Some(sampling) = facts.sampling.as_ref() else { return };
    let has_samples = |site: &&Site| site.inside.as_ref().is_some_and(|inside| inside.samples > 0);
    let shown: Vec<_> = facts.sites.iter().take(limit).filter(has_samples).collect();
    if shown.is_empty() {
        return;
    }
    let title = format!("Where the time inside goes: functions, by a sample {}", how_often(sampling));
    out.push_str(&format!("\n{}\n", style.bold(&title)));
    for (site, site_name) in shown.iter().zip(style.names(&shown)) {
        let Some(inside) = site.inside.as_ref() else { continue };
        out.push_str(&format!("  {site_name}, {}: {}\n", site.kind, several(inside.samples, "sample")));
        functions(out, inside);
    }
}

fn functions(out: &mut String, inside: &InsideFacts) {
    let share = |samples: u64| percent(samples as f64, inside.samples as f64);
    let matters = |samples: u64| samples as f64 >= LEAST_SHARE * inside.samples as f64;
    let rows: Vec<_> = inside.functions.iter().filter(|function| matters(function.samples)).collect();
    let line = |out: &mut String, share: String, text: &str| paragraph(out, &format!("  {share:>7}  "), text);
    for function in rows.iter().take(FUNCTIONS) {
        let name = without_long_arguments(&name(function));
        line(out, share(function.samples), &printable(&(name + &in_kernel(function))));
    }
    if inside.kernel_unplaced > 0 && matters(inside.kernel_unplaced) {
        line(out, share(inside.kernel_unplaced), "in the kernel");
    }
    if let Some(within) = within(inside) {
        paragraph(out, "           ", &printable(&without_long_arguments(&within)));
    }
    if let Some(more) = rows.len().checked_sub(FUNCTIONS).filter(|&more| more > 0) {
        out.push_str(&format!("           and {}: see --json\n", several(more as u64, "more function")));
    }
}

/// What of a function's samples fell into the kernel, if that is not little.
fn in_kernel(function: &FunctionFacts) -> String {
    if (function.kernel as f64) < LEAST_SHARE * function.samples as f64 || function.kernel == 0 {
        return String::new();
    }
    format!(", {} of it in the kernel", percent(function.kernel as f64, function.samples as f64))
}
