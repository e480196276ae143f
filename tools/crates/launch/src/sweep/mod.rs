// SPDX-License-Identifier: Apache-2.0
//! `teff sweep`: runs a program with each value of an option or of an environment variable, records
//! each run, and says which value is the best.
//!
//! `folder` has the recordings, `facts` what they say, and `text` prints that. Runs are
//! interleaved: once with each value, then again, so that other activity on the machine affects all
//! values alike.

mod facts;
mod folder;
mod text;

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};

use grains::units::time;
use recordings::Destination;
use symbols::Kept;
use terminal::signals::end_by_signals_again;
use terminal::{print, printable, printable_json, say, Failure, Result};

use crate::args::SweepArgs;
use crate::child::{self, Caught};
use crate::record::{nothing_recorded, summary};
use crate::{launch, privileges};
use facts::{mark_best, Facts, Point};
use folder::Member;

pub fn sweep(args: &SweepArgs) -> Result<ExitCode> {
    let program = &args.command[0];
    privileges::refuse(program, "recorded")?;
    let environment = !args.over.is_in(&args.command);
    check(args, environment)?;
    let folder = args.output.clone().unwrap_or_else(|| default_folder(args));
    folder::make(&folder)?;
    let new =
        |(number, value): (usize, &String)| Member::new(&folder, number, &args.over.name, value, args.runs);
    let mut members: Vec<Member> = args.over.values.iter().enumerate().map(new).collect();
    let mut notes = Vec::new();
    let failed = run_all(args, environment, &mut members, &mut notes);
    end_by_signals_again();
    let _ = std::fs::remove_dir(&folder); // does nothing if any run has begun
    let failed = failed?;
    let facts = facts_of(args, environment, &folder, &members, notes);
    print(&if args.json { json(&facts)? } else { text::render(&facts) })?;
    Ok(failed.map_or(ExitCode::SUCCESS, child::exit_code))
}

fn check(args: &SweepArgs, environment: bool) -> Result<()> {
    let name = &args.over.name;
    if !environment {
        return Ok(());
    }
    if let Some(place) = args.over.other_place(&args.command) {
        return Err(Failure::Usage(format!(
            "the command has the place {place}, and the sweep is over {name}: name the place {}, or sweep over the \
             name in the braces.",
            args.over.place()
        )));
    }
    say(format!("{name} is set in the environment of each run: the command has no {}.", args.over.place()));
    Ok(())
}

fn default_folder(args: &SweepArgs) -> PathBuf {
    let program = std::path::Path::new(&args.command[0]);
    let mut name = program.file_name().unwrap_or(&args.command[0]).to_owned();
    name.push(".sweep");
    PathBuf::from(name)
}

/// Returns how the first run that failed ended.
fn run_all(
    args: &SweepArgs,
    environment: bool,
    members: &mut [Member],
    notes: &mut Vec<String>,
) -> Result<Option<ExitStatus>> {
    let mut caught = Caught::new()?;
    let mut failed = None;
    let mut kept = Kept::default();
    let all = members.len() * args.runs as usize;
    for number in 0..all {
        let (run, row) = (number / members.len() + 1, number % members.len());
        let member = &mut members[row];
        let what = format!("{}={}, run {run}", args.over.name, printable(&member.value));
        let status = match one(args, environment, member, &mut caught) {
            Ok(status) => status,
            // Earlier runs are not lost by one that cannot be started.
            Err(failure) if number > 0 => {
                notes.push(format!("{what}: {failure}"));
                return Ok(Some(ExitStatus::from_raw(1 << 8)));
            }
            Err(failure) => {
                let _ = std::fs::remove_file(member.directory.join(trace::SET_FILE));
                let _ = std::fs::remove_dir(&member.directory);
                return Err(failure);
            }
        };
        let ended = member.manifest.runs.last().map_or(0.0, |run| run.wall_ns as f64);
        let directory = last_directory(member);
        let is_recorded = trace::is_recording(&directory);
        if let Some(Err(failure)) = is_recorded.then(|| summary(&directory, &mut kept)) {
            notes.push(format!("{what}: {failure}"));
        }
        if !status.success() {
            let text = format!("{what}: {} {}", command_words(args, environment, &member.value), how(status));
            say(&text);
            notes.push(text);
            failed.get_or_insert(status);
        } else if is_recorded {
            say(format!(
                "run {} of {all}, {}={}: {}",
                number + 1,
                args.over.name,
                printable(&member.value),
                time(ended)
            ));
        } else {
            let text = format!("{what}: {}", nothing_recorded(&args.command[0], &directory, status));
            say(&text);
            notes.push(text);
            failed.get_or_insert(ExitStatus::from_raw(1 << 8));
        }
        let asked = caught.asked_to_end();
        if let Some(signal) = asked {
            failed.get_or_insert(ExitStatus::from_raw(signal));
        }
        if asked.is_some() || (failed.is_some() && !args.keep_going) {
            break;
        }
    }
    Ok(failed)
}

fn last_directory(member: &Member) -> PathBuf {
    let last = member.manifest.runs.last().map(|run| run.directory.as_str()).unwrap_or_default();
    member.directory.join(last)
}

fn one(args: &SweepArgs, environment: bool, member: &mut Member, caught: &mut Caught) -> Result<ExitStatus> {
    // Of a variable, the command has no place.
    let words: Vec<OsString> = args.over.put_into(&args.command, &member.value);
    let mut command = launch::command(&words)?;
    if environment {
        command.env(&args.over.name, &member.value);
    }
    let destination = Destination::make(&member.begin(&words)?)?;
    command.env("TEFF_TRACE", destination.directory());
    command.env("TEFF_TRACE_SESSION", destination.session()?);
    let status = caught.run_to_end(&words[0], &mut command)?;
    member.end(status)?;
    Ok(status)
}

/// As a shell would run it.
fn command_words(args: &SweepArgs, environment: bool, value: &str) -> String {
    let words = args.over.put_into(&args.command, value);
    let words: Vec<_> = words.iter().map(|word| printable(&word.to_string_lossy())).collect();
    let set = if environment { format!("{}={} ", args.over.name, printable(value)) } else { String::new() };
    format!("{set}{}", words.join(" "))
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (_, Some(signal)) => format!("was ended by signal {signal}"),
        (code, _) => format!("ended with exit status {}", code.unwrap_or(1)),
    }
}

fn facts_of(
    args: &SweepArgs,
    environment: bool,
    folder: &std::path::Path,
    members: &[Member],
    mut notes: Vec<String>,
) -> Facts {
    let of = |member: &Member| Point::of(&args.over.name, member, &mut notes);
    let mut points: Vec<Point> = members.iter().map(of).collect();
    let best = mark_best(&mut points).map(|row| points[row].value.clone());
    let words: Vec<_> = args.command.iter().map(|word| word.to_string_lossy()).collect();
    Facts {
        schema: "teff-sweep",
        version: 1,
        over: args.over.name.clone(),
        environment,
        command: words.join(" "),
        folder: folder.display().to_string(),
        complete: points.iter().all(|point| point.runs.len() == args.runs as usize),
        points,
        best,
        notes,
    }
}

fn json(facts: &Facts) -> Result<String> {
    let json = serde_json::to_string_pretty(facts).map_err(|error| Failure::cannot("write JSON", error))?;
    Ok(printable_json(&json) + "\n")
}
