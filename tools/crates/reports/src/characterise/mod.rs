// SPDX-License-Identifier: Apache-2.0
//! `teff characterise`: how similar recorded programs are. `grains::characterise` does the
//! arithmetic; the modules here read the recordings (`programs`, `counters`) and write the results
//! (`text`, `json`, `tables`, `plots`).

mod counters;
mod json;
mod plots;
mod programs;
mod svg;
mod tables;
mod text;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use grains::characterise::{Study, LEAST_PROGRAMS};
use terminal::{output, print, printable_json, say, Failure, Result};

use crate::args::CharacteriseArgs;
use programs::Programs;

pub fn characterise(args: &CharacteriseArgs) -> Result<ExitCode> {
    if let Some(folder) = &args.output {
        output::refuse_inside_recordings(folder)?; // before the long part
    }
    let programs = programs::read(args)?;
    for message in &programs.messages {
        say(message);
    }
    let number = programs.table.programs.len();
    if number < LEAST_PROGRAMS {
        return Err(Failure::Recording(format!(
            "there are recordings of {number} programs and inputs, but components need at least {LEAST_PROGRAMS}. \
             Record more programs, or the same programs with other inputs."
        )));
    }
    if let Some(groups) = args.clusters.filter(|&groups| groups as usize >= number) {
        return Err(Failure::Usage(format!(
            "--clusters {groups} is too many for {number} programs and inputs: give at most {}.",
            number - 1
        )));
    }
    let Some(study) = Study::of(&programs.table, args.clusters.map(|groups| groups as usize)) else {
        return Err(Failure::Recording(
            "fewer than two properties differ between these programs: there is nothing to compare."
                .to_owned(),
        ));
    };
    if let Some(folder) = &args.output {
        write_all(folder, &programs, &study)?;
    }
    if args.json {
        print(&(printable_json(&json::of(&programs, &study)) + "\n"))?;
    } else {
        print(&text::of(&programs, &study))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write_all(folder: &Path, programs: &Programs, study: &Study) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| Failure::io("make the directory", folder, error))?;
    let all = tables::all(programs, study).into_iter().chain(plots::all(programs, study));
    for (name, content) in all {
        output::write(&folder.join(name), |out| out.write_all(content.as_bytes()))?;
    }
    Ok(())
}
