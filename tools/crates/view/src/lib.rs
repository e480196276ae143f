// SPDX-License-Identifier: Apache-2.0
//! `teff view`: shows a recording in a browser, a set of recordings, or two side by side. This
//! crate makes the page's data and serves the page.

mod answers;
mod args;
mod columns;
mod find;
mod fold;
mod inside;
mod kept;
#[cfg(test)]
mod kept_test;
mod measures;
mod model;
#[cfg(test)]
mod model_test;
mod page;
mod pair;
#[cfg(test)]
mod pair_test;
mod part;
mod rows;
mod serve;
mod set;
mod shown;
mod speedup;
mod sums;
mod time;
mod title;
mod tree;
mod whole;

use std::net::TcpListener;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use recordings::{baseline, first, open_watched, FirstFacts, Purpose, Watch};
use terminal::{output, print, printable, Failure, Result};

use model::Folding;
use serve::Pages;
use shown::{base_name, One, Shown};
use title::Title;

pub use args::ViewArgs;

/// The numbers of rows of grains that a page gets; more rows would make the page slow. A served
/// page can request more rows later, so it gets fewer rows at first and is ready sooner.
const IN_A_FILE: Folding = Folding { from: 200_000, to: 200_000, opens: false };
const SERVED: Folding = Folding { from: 200_000, to: 40_000, opens: true };

pub fn view(args: ViewArgs) -> Result<ExitCode> {
    let template = page::template()?; // before the long part
    if let Some(file) = &args.html {
        let shown = shown(&args, IN_A_FILE)?;
        let page = page::with_data(template, &shown.json)?;
        output::write(file, |out| out.write_all(page.as_bytes()))?;
        if file != Path::new("-") {
            print(&format!("{}\n", printable(&file.to_string_lossy())))?;
        }
    } else {
        let listener = serve::listen(args.port)?; // before the long part, too
        let one = args.after.is_none() && !set::is_shown(&args);
        let known = if one { first(&args.recording) } else { Vec::new() };
        if known.is_empty() {
            serve::serve(listener, template, Pages::ready(shown(&args, SERVED)?), !args.no_open)?;
        } else {
            serve_while_reading(listener, template, args, known)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Serves the first screen at once. Another thread reads the recording meanwhile; it ends with this
/// process, if the user ends `teff view` before.
fn serve_while_reading(
    listener: TcpListener,
    template: &'static str,
    args: ViewArgs,
    known: Vec<FirstFacts>,
) -> Result<()> {
    let watch = Arc::new(Watch::default());
    let (pages, reader) = Pages::reading(known, watch.clone());
    let open_browser = !args.no_open;
    let read = move || reader.end(shown_watched(&args, SERVED, &watch));
    let begun = thread::Builder::new().name("reader".to_owned()).spawn(read);
    begun.map_err(|error| Failure::cannot("read the recording beside the page", error))?;
    serve::serve(listener, template, pages, open_browser)
}

fn shown(args: &ViewArgs, folding: Folding) -> Result<Shown> {
    shown_watched(args, folding, &Watch::default())
}

fn shown_watched(args: &ViewArgs, folding: Folding, watch: &Watch) -> Result<Shown> {
    let limits = args.limits.limits(args.baseline.is_some())?;
    if let Some(after) = &args.after {
        if args.limits.are_given() {
            return Err(Failure::Usage(
                "--thresholds and --threshold work on one recording, but two are named.".to_owned(),
            ));
        }
        return pair::shown(args, after, folding);
    }
    if set::is_shown(args) {
        return set::shown(args, &limits, folding);
    }
    let recording = &args.recording;
    let baseline = baseline(args.baseline.as_deref(), recording)?; // one profile at a time
    let opened = open_watched(recording, Purpose::Page, watch)?;
    let title = Title::of(base_name(&recording.directory), &recording.directory, &opened);
    let one = One::of(opened.profile, (baseline.as_ref(), &limits), title, folding, !args.no_source)?;
    Ok(Shown { json: one.json, kept: vec![(String::new(), one.kept)] })
}
