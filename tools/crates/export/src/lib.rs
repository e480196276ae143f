// SPDX-License-Identifier: Apache-2.0
//! Writes the grain graph in the formats of other programs (`teff export`), and converts profiles
//! of other tools to recordings (`teff import`).

mod args;
mod critical;
mod cross;
mod csv;
mod dot;
mod firefox;
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
mod parquet;
mod paths;
mod perfetto;
mod sampled;
mod slices;
mod speedscope;
mod walk;

use std::io::Write;
use std::process::ExitCode;

use grains::predict::{Changes, Predictor};
use grains::{GrainRow, Profile};
use recordings::{baseline, open};
use symbols::Symbols;
use terminal::{output, say, Failure, Result};

use args::ExportFormat;
use dot::Excerpt;
use metrics::Metrics;

pub use args::{ExportArgs, ImportArgs};
pub use import::import;

pub fn export(args: &ExportArgs) -> Result<ExitCode> {
    if args.threads.is_some() && args.format != ExportFormat::Taskgraph {
        return Err(Failure::Usage(
            "--threads works only with --format taskgraph: other formats contain the run as it was recorded."
                .to_owned(),
        ));
    }
    if args.around.is_some() && args.format != ExportFormat::Dependences {
        return Err(Failure::Usage("--around works only with --format dependences.".to_owned()));
    }
    if args.format == ExportFormat::Parquet {
        parquet::check_place(&args.output)?;
    }
    if args.metrics && args.format != ExportFormat::Parquet {
        return Err(Failure::Usage(
            "--metrics works only with --format parquet; csv always has the metrics.".to_owned(),
        ));
    }
    let has_metrics = args.metrics || args.format == ExportFormat::Csv;
    if !has_metrics && !args.limits.threshold.is_empty() {
        return Err(Failure::Usage(
            "--threshold works only with --format csv, or with --format parquet --metrics: other formats do not \
             name problems of grains."
                .to_owned(),
        ));
    }
    let limits = args.limits.limits(args.baseline.is_some())?;
    let baseline = baseline(args.baseline.as_deref().filter(|_| has_metrics), &args.recording)?;
    let profile = open(&args.recording)?;
    if let Some(modelled) = &profile.meta.modelled {
        say(format!(
            "this is a run on the modelled machine {}: nothing of it was measured.",
            modelled.machine
        ));
    }
    let excerpt = excerpt(args, &profile)?;
    let symbols = Symbols::resolve(&profile);
    if args.format == ExportFormat::Parquet {
        let metrics = args.metrics.then(|| Metrics::of(&profile, baseline.as_ref(), &limits));
        parquet::write(&args.output, &profile, &symbols, metrics.as_ref())?;
        return Ok(ExitCode::SUCCESS);
    }
    let content = |out: &mut dyn Write| match args.format {
        ExportFormat::Graphml => graphml::write(out, &profile, &symbols),
        ExportFormat::Csv => csv::write(out, &symbols, &Metrics::of(&profile, baseline.as_ref(), &limits)),
        ExportFormat::Dot => dot::write(out, &profile, &symbols),
        ExportFormat::Dependences => dot::write_dependences(out, &profile, &symbols, excerpt),
        ExportFormat::Perfetto => perfetto::write(out, &profile, &symbols),
        ExportFormat::Speedscope => speedscope::write(out, &profile, &symbols),
        ExportFormat::Firefox => firefox::write(out, &profile, &symbols),
        ExportFormat::Folded => folded::write(out, &profile, &symbols),
        ExportFormat::Parquet => Ok(()), // no file
        ExportFormat::Taskgraph => {
            let predictor = Predictor::of(&profile);
            let threads = args.threads.unwrap_or_else(|| predictor.recorded_threads());
            predictor.write_task_graph(threads, &Changes::default(), out)
        }
        ExportFormat::Mir => {
            let tasks = mir::of_profile::tasks(&profile, &symbols);
            mir::write::write(out, &tasks, &mir::derive::derive(&tasks))
        }
    };
    output::write(&args.output, |out| packed::write(out, &args.output, content))?;
    Ok(ExitCode::SUCCESS)
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
