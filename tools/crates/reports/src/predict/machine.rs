// SPDX-License-Identifier: Apache-2.0
//! The same grains on a modelled machine: `teff-machine` runs them, with the runtime's own
//! scheduler. It gets the graph for each number of threads on its standard input.

use std::env;
use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use grains::predict::{Changes, Predictor};
use grains::units::{several, time};
use serde::Deserialize;
use terminal::progress::Runs;
use terminal::{inherited, say, Failure, Result};

use super::facts::{Facts, MachineFacts, MachinePoint, RefusedFacts};
use super::options::WhatIf;
use super::runs::Asked;
use crate::args::PredictArgs;

const USUAL: &str = "two-cores";
const PROGRAM: &str = "libexec/teff/teff-machine";
const MACHINES: &str = "share/teff/machines";
const EXTENSION: &str = "machine";

/// What a grain takes of a processor on a number of threads, roughly; and what is worth a word
/// beforehand.
const NS_OF_GRAIN: f64 = 2e3;
const LONG_NS: f64 = 10e9;

/// What `teff-machine` prints.
#[derive(Deserialize)]
struct Described {
    machine: String,
    cores: u32,
    clock_mhz: u32,
    work_clock_mhz: u32,
}

#[derive(Deserialize)]
struct Ran {
    schedule: String,
    seed: u64,
    time_ns: f64,
    work_ns: f64,
    creation_ns: f64,
    moved: u64,
    transfers: u64,
}

pub struct Machine {
    program: PathBuf,
    options: Vec<String>,
    file: PathBuf,
    /// The folder that the plain run on the most threads is recorded into.
    record: Option<PathBuf>,
    is: Described,
}

impl Machine {
    /// The one that is asked for, if any is.
    pub fn of(args: &PredictArgs) -> Result<Option<Self>> {
        if args.machine.is_none() && args.schedule.is_none() {
            let option = if args.seed.is_some() { "--seed" } else { "--record" };
            return if args.seed.is_some() || args.record.is_some() {
                Err(Failure::Usage(format!("{option} needs a modelled machine: name one with --machine.")))
            } else {
                Ok(None)
            };
        }
        args.record.as_deref().map_or(Ok(()), can_be_made)?;
        let installed = installed()?;
        let program = installed.join(PROGRAM);
        if !program.is_file() {
            return Err(Failure::Missing(format!(
                "the program that models machines, {}, is missing. Build or install it there.",
                program.display()
            )));
        }
        let file = find(args.machine.as_deref().unwrap_or(USUAL), &installed.join(MACHINES))?;
        let mut options = Vec::new();
        if let Some(schedule) = &args.schedule {
            options.extend(["--schedule".to_owned(), schedule.clone()]);
        }
        if let Some(seed) = args.seed {
            options.extend(["--seed".to_owned(), seed.to_string()]);
        }
        let mut command = started(&program);
        command.arg("--machine").arg(&file).arg("--describe").args(&options).stdin(Stdio::null());
        let output = command.output().map_err(|error| Failure::io("start", &program, error))?;
        let is = answer(&program, &output)?;
        let is = is.map_err(|why| Failure::cannot("predict", why))?;
        Ok(Some(Self { program, options, file, record: args.record.clone(), is }))
    }

    /// Those asked for, or 1, 2, 4 and so on, and all of its cores.
    pub fn threads(&self, asked: &[u32]) -> Result<Vec<u32>> {
        let cores = self.is.cores;
        if let Some(most) = asked.last().filter(|&&most| most > cores) {
            return Err(Failure::Usage(format!(
                "--threads {most}: {} has {cores} cores, and a modelled core runs one thread.",
                self.is.machine
            )));
        }
        if !asked.is_empty() {
            return Ok(asked.to_vec());
        }
        let powers = (0..).map(|power| 1 << power).take_while(|&threads| threads < cores);
        Ok(powers.chain([cores]).collect())
    }

    pub fn predict(&self, predictor: &Predictor, what_ifs: &[WhatIf], facts: &mut Facts) -> Result<()> {
        let threads: Vec<u32> = facts.points.iter().map(|point| point.threads).collect();
        let plain = Changes::default();
        let asked = Asked::of(&[1], &threads, &plain, what_ifs);
        warn(predictor.grains(), asked.len());
        let progress = Runs::new(asked.len() as u64);
        let recorded = threads.iter().max().copied();
        let runs = asked.run(|threads, changes| {
            let is_recorded = Some(threads) == recorded && *changes == plain;
            let record = self.record.as_deref().filter(|_| is_recorded);
            let ran = self.run(predictor, threads, changes, record);
            progress.finish_one();
            ran
        })?;
        drop(progress);
        let alone_ns = runs.of(1, &plain).as_ref().ok().map(|ran| ran.time_ns);
        let mut refused = Vec::new();
        let mut settings = None;
        let mut curve = |change: &str, changes: &Changes| {
            let mut points = Vec::new();
            for &threads in &threads {
                match runs.of(threads, changes) {
                    Ok(ran) => {
                        settings.get_or_insert((ran.schedule.clone(), ran.seed));
                        points.push(point(threads, ran, alone_ns));
                    }
                    Err(why) => {
                        refused.push(RefusedFacts { change: change.to_owned(), threads, why: why.clone() });
                    }
                }
            }
            points
        };
        let points = curve("", &plain);
        for (what_if, change) in what_ifs.iter().zip(&mut facts.what_if) {
            change.machine_points = curve(&what_if.words, &what_if.changes);
        }
        if let (Some(folder), Some(Err(why))) =
            (&self.record, recorded.map(|threads| runs.of(threads, &plain)))
        {
            facts.notes.push(format!("{} was not made: {why}.", folder.display()));
        }
        let name = self.is.machine.clone();
        let Some((schedule, seed)) = settings else {
            let why = refused.first().map_or("", |refused| &refused.why);
            facts.notes.push(format!("On {name} nothing can be predicted: {why}."));
            return Ok(());
        };
        facts.machine = Some(MachineFacts {
            name,
            cores: self.is.cores,
            clock_mhz: self.is.clock_mhz,
            work_clock_mhz: self.is.work_clock_mhz,
            schedule,
            seed,
            points,
            refused,
        });
        Ok(())
    }

    /// What came out, or why it cannot be predicted.
    fn run(
        &self,
        predictor: &Predictor,
        threads: u32,
        changes: &Changes,
        record: Option<&Path>,
    ) -> Result<Answer<Ran>> {
        let failed = |error| Failure::io("run", &self.program, error);
        let mut child = started(&self.program)
            .arg("--machine")
            .arg(&self.file)
            .args(&self.options)
            .args(record.iter().flat_map(|folder| [Path::new("--record"), folder]))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        // It answers when it has read all; if it ends before, its own words say why.
        if let Some(graph) = child.stdin.take() {
            let mut graph = BufWriter::with_capacity(1 << 16, graph);
            let _ = predictor.write_task_graph(threads, changes, &mut graph);
        }
        answer(&self.program, &child.wait_with_output().map_err(failed)?)
    }
}

/// A folder to record into, before anything takes long.
fn can_be_made(folder: &Path) -> Result<()> {
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let why = if fs::symlink_metadata(folder).is_ok() {
        "exists; name a new folder".to_owned()
    } else if !parent.is_dir() {
        format!("cannot be made: {} is no folder", parent.display())
    } else {
        return Ok(());
    };
    Err(Failure::Usage(format!("--record: {} {why}.", folder.display())))
}

/// Before what takes long.
fn warn(grains: usize, runs: usize) {
    let at_once = rayon::current_num_threads().min(runs);
    let expected_ns = NS_OF_GRAIN * runs.div_ceil(at_once) as f64 * grains as f64;
    if expected_ns > LONG_NS {
        say(format!(
            "the modelled machine runs {} {runs} times, which takes about {}; fewer --threads take less.",
            several(grains as u64, "grain"),
            time(expected_ns)
        ));
    }
}

/// A long run must not continue if its reader is gone.
fn started(program: &Path) -> Command {
    let mut command = Command::new(program);
    inherited::end_with_us(&mut command);
    command
}

fn point(threads: u32, ran: &Ran, alone_ns: Option<f64>) -> MachinePoint {
    let &Ran { time_ns, work_ns, creation_ns, moved, transfers, .. } = ran;
    let speedup = alone_ns.map(|alone_ns| if time_ns > 0.0 { alone_ns / time_ns } else { 1.0 });
    MachinePoint { threads, time_ns, speedup, work_ns, creation_ns, moved, transfers }
}

/// What `teff-machine` has answered, or the words in which it refuses.
type Answer<T> = std::result::Result<T, String>;

const REFUSES: i32 = 2;

fn answer<T: for<'a> Deserialize<'a>>(program: &Path, output: &Output) -> Result<Answer<T>> {
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        let words = words.trim().trim_start_matches("teff-machine: ");
        return match output.status.code() {
            Some(REFUSES) if !words.is_empty() => Ok(Err(words.to_owned())),
            _ => Err(Failure::Program(format!(
                "{} ended without an answer ({}). {words}",
                program.display(),
                output.status
            ))),
        };
    }
    serde_json::from_slice(&output.stdout).map(Ok).map_err(|error| {
        Failure::Program(format!(
            "{} gives an answer that this teff does not know: {error}.",
            program.display()
        ))
    })
}

/// The folder that has bin/ with this command.
fn installed() -> Result<PathBuf> {
    let own = env::current_exe().map_err(|error| Failure::io("find", Path::new("/proc/self/exe"), error))?;
    let own = fs::canonicalize(&own).unwrap_or(own);
    Ok(own.parent().and_then(Path::parent).unwrap_or(Path::new("/")).to_owned())
}

/// A plain word is an installed machine before it is a file.
fn find(name: &str, machines: &Path) -> Result<PathBuf> {
    let known = machines.join(name).with_extension(EXTENSION);
    if !name.contains(['/', '.']) && known.is_file() {
        return Ok(known);
    }
    let here = Path::new(name);
    if here.is_file() {
        return Ok(here.to_owned());
    }
    let what = match fs::metadata(here) {
        Ok(found) if found.is_dir() => "this is a folder",
        Ok(_) => "this is no regular file, which can be read again for each number of threads",
        Err(_) => "there is no such file",
    };
    Err(Failure::Usage(format!(
        "--machine {name}: {what}, and Teff has no machine of this name. The machines are: {}.",
        names(machines).join(", ")
    )))
}

fn names(machines: &Path) -> Vec<String> {
    let files = fs::read_dir(machines).into_iter().flatten().flatten().map(|entry| entry.path());
    let machines = files.filter(|file| file.extension().is_some_and(|extension| extension == EXTENSION));
    let mut names: Vec<String> =
        machines.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).collect();
    names.sort_unstable();
    if names.is_empty() {
        vec!["none".to_owned()]
    } else {
        names
    }
}
