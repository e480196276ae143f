// SPDX-License-Identifier: Apache-2.0
//! Writes the grain graph in the formats of other programs (`teff export`), and converts profiles
//! of other tools to recordings (`teff import`).

mod args;
mod colors;
mod critical;
mod cross;
mod csv;
mod devices_csv;
mod dot;
mod firefox;
mod fitting;
mod folded;
mod frames;
mod graphml;
mod import;
mod joins;
mod json_file;
mod metrics;
mod mir;
mod names;
mod nodes;
mod packed;
mod paint;
mod parquet;
mod paths;
mod perfetto;
mod sampled;
mod shape;
mod slices;
mod speedscope;
mod walk;

use std::io::{self, Write};
use std::process::ExitCode;

use grains::characterise::GrainCounts;
use grains::predict::{Changes, Predictor};
use grains::{GrainRow, Profile};
use recordings::{baseline, counts_of_grains, open, Purpose};
use symbols::Symbols;
use terminal::{output, say, Failure, Result};

use args::{ExportFormat, Form};
use dot::Excerpt;
use graphml::Attributes;
use metrics::Metrics;
use names::Names;
use paint::{ColourBy, Paint, View};
use shape::Shape;

pub use args::{ExportArgs, ImportArgs};
pub use import::import;

pub fn export(args: &ExportArgs) -> Result<ExitCode> {
    check(args)?;
    let has_metrics = has_metrics(args);
    let limits = args.limits.limits(args.baseline.is_some())?;
    let baseline = baseline(args.baseline.as_deref().filter(|_| has_metrics), &args.recording)?;
    let is_mir = matches!(args.format, ExportFormat::Mir);
    let profile = open(&args.recording, if is_mir { Purpose::Mir } else { Purpose::Export })?;
    if let Some(modelled) = &profile.meta.modelled {
        say(format!(
            "this is a run on the modelled machine {}: nothing of it was measured.",
            modelled.machine
        ));
    }
    check_devices(args, &profile)?;
    let excerpt = excerpt(args, &profile)?;
    let symbols = Symbols::resolve(&profile);
    let metrics = has_metrics.then(|| Metrics::of(&profile, baseline.as_ref(), &limits));
    let counts = match args.format {
        ExportFormat::Csv | ExportFormat::Parquet | ExportFormat::Graphml => counts_of_grains(&profile)?,
        _ => None,
    };
    if args.format == ExportFormat::Parquet {
        parquet::write(&args.output, &profile, &symbols, metrics.as_ref(), counts.as_ref())?;
        return Ok(ExitCode::SUCCESS);
    }
    let view = match &metrics {
        Some(metrics) => View::of(args.graph.colour_by, metrics)?,
        None => None,
    };
    let content = |out: &mut dyn Write| match args.format {
        ExportFormat::Graphml | ExportFormat::Dot => {
            let paint = Paint::of(Names::of(&profile, &symbols), view);
            graph(out, args, &Drawn { profile: &profile, symbols: &symbols, paint, counts: counts.as_ref() })
        }
        ExportFormat::Folded => {
            let most_paths = folded::most_paths(args.graph.whole);
            fitting::write(out, &most_paths, |&most, out| {
                packed::write(out, &args.output, |out| folded::write(out, &profile, &symbols, most))
            })
            .map(drop)
        }
        _ => packed::write(out, &args.output, |out| match args.format {
            ExportFormat::Csv => csv::write(out, &symbols, metrics.as_ref(), counts.as_ref()),
            ExportFormat::Devices => devices_csv::write(out, &profile, &symbols),
            ExportFormat::Dependences => dot::write_dependences(out, &profile, &symbols, excerpt),
            ExportFormat::Perfetto => perfetto::write(out, &profile, &symbols),
            ExportFormat::Speedscope => speedscope::write(out, &profile, &symbols),
            ExportFormat::Firefox => firefox::write(out, &profile, &symbols),
            ExportFormat::Taskgraph => {
                let predictor = Predictor::of(&profile);
                let threads = args.threads.unwrap_or_else(|| predictor.recorded_threads());
                predictor.write_task_graph(threads, &Changes::default(), out)
            }
            ExportFormat::Mir => {
                let tasks = mir::of_profile::tasks(&profile, &symbols);
                mir::write::write(out, &tasks, &mir::derive::derive(&tasks))
            }
            // Above, or no file.
            ExportFormat::Graphml | ExportFormat::Dot | ExportFormat::Folded | ExportFormat::Parquet => {
                Ok(())
            }
        }),
    };
    output::write(&args.output, content)?;
    Ok(ExitCode::SUCCESS)
}

/// What the grain graph is drawn of.
struct Drawn<'a> {
    profile: &'a Profile,
    symbols: &'a Symbols,
    paint: Paint,
    counts: Option<&'a GrainCounts>,
}

/// Writes the grain graph, as GraphML or DOT.
fn graph(out: &mut dyn Write, args: &ExportArgs, drawn: &Drawn) -> io::Result<()> {
    let forms = args.graph.forms();
    let content = |form: &Form, out: &mut dyn Write| {
        let shape = Shape::of(drawn.profile, form.reduced);
        let attributes = form.attributes;
        if args.format == ExportFormat::Dot {
            return dot::write(out, &shape, &drawn.paint, attributes == Attributes::Plain);
        }
        let options = graphml::Options { attributes, paint: &drawn.paint, counts: drawn.counts };
        graphml::write(out, &shape, drawn.symbols, &options)
    };
    let written =
        fitting::write(out, &forms, |form, out| packed::write(out, &args.output, |out| content(form, out)))?;
    say_form(&forms[written]);
    Ok(())
}

/// Says what a large graph was written with.
fn say_form(form: &Form) {
    if !form.chosen.is_empty() {
        let most = fitting::MOST_BYTES / 1_000_000;
        say(format!(
            "the graph has more than {most} MB, so it was written with {}; --whole writes all of it.",
            form.chosen
        ));
    }
}

/// Whether the export needs the metrics of all grains.
fn has_metrics(args: &ExportArgs) -> bool {
    args.metrics || args.format == ExportFormat::Csv || args.graph.colour_by != ColourBy::Construct
}

/// Refuses options that do not fit the format.
fn check(args: &ExportArgs) -> Result<()> {
    let refuse = |text: &str| Err(Failure::Usage(text.to_owned()));
    let is_graph = matches!(args.format, ExportFormat::Graphml | ExportFormat::Dot);
    if args.threads.is_some() && args.format != ExportFormat::Taskgraph {
        return refuse(
            "--threads works only with --format taskgraph: other formats contain the run as it was recorded.",
        );
    }
    if args.around.is_some() && args.format != ExportFormat::Dependences {
        return refuse("--around works only with --format dependences.");
    }
    if !args.graph.reduce.is_empty() && !is_graph {
        return refuse("--reduce works only with --format graphml and dot.");
    }
    if args.graph.colour_by != ColourBy::Construct && !is_graph {
        return refuse("--colour-by works only with --format graphml and dot.");
    }
    if args.graph.colour_by == ColourBy::WorkDeviation && args.baseline.is_none() {
        return refuse(
            "--colour-by work-deviation needs a recording to compare with: name it with --baseline.",
        );
    }
    let attributes = args.graph.attributes.unwrap_or(Attributes::Drawn);
    if attributes != Attributes::Drawn && !is_graph {
        return refuse("--attributes works only with --format graphml and dot.");
    }
    if attributes == Attributes::All && args.format == ExportFormat::Dot {
        return refuse("--attributes all works only with --format graphml.");
    }
    if args.graph.whole && !is_graph && args.format != ExportFormat::Folded {
        return refuse(
            "--whole works only with --format graphml, dot and folded: other formats always have everything.",
        );
    }
    if args.format == ExportFormat::Parquet {
        parquet::check_place(&args.output)?;
    }
    if args.metrics && args.format != ExportFormat::Parquet {
        return refuse("--metrics works only with --format parquet; csv always has the metrics.");
    }
    if !has_metrics(args) && !args.limits.threshold.is_empty() {
        return refuse(
            "--threshold works only with --format csv, with --format parquet --metrics, or with --colour-by: other \
             exports do not name problems of grains.",
        );
    }
    Ok(())
}

/// Refuses formats that are about devices alone, or that have none.
fn check_devices(args: &ExportArgs, profile: &Profile) -> Result<()> {
    let has_used_some = !profile.device_constructs.is_empty();
    let directory = args.recording.directory.display();
    match args.format {
        ExportFormat::Devices if !has_used_some => Err(Failure::Usage(format!(
            "--format devices: no construct ran on a device in {directory}. Export the host of a run with devices."
        ))),
        ExportFormat::Taskgraph if has_used_some => Err(Failure::Usage(format!(
            "--format taskgraph: constructs of {directory} ran on devices, and modelled machines have none."
        ))),
        _ => Ok(()),
    }
}

fn excerpt(args: &ExportArgs, profile: &Profile) -> Result<Option<Excerpt>> {
    let Some(around) = args.around else { return Ok(None) };
    let tasks = profile.grains.tasks;
    if around as usize >= tasks {
        return Err(Failure::Usage(format!(
            "--around {around}: the recording has {tasks} tasks, numbered from 0. The graph shows the numbers; in a \
             parquet export they are those of the grains."
        )));
    }
    Ok(Some(Excerpt { around: GrainRow::of_number(around), distance: args.distance }))
}
