// SPDX-License-Identifier: Apache-2.0
//! `teff predict`: what a recorded run would take on other numbers of threads, and with changes.

mod devices;
mod facts;
mod machine;
mod options;
mod priorities;
mod runs;
mod text;

use std::process::ExitCode;

use grains::predict::{Point, Predictor};
use recordings::{open, Purpose};
use symbols::Symbols;
use terminal::{print, printable_json, Failure, Result};

use crate::args::PredictArgs;

pub use facts::trust;

const USUAL_THREADS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// What a point is limited by, in the words of the curve.
pub fn limited_by(symbols: &Symbols, point: &Point) -> String {
    text::limited_by(&facts::limit_facts(symbols, point))
}

pub fn predict(args: &PredictArgs) -> Result<ExitCode> {
    let wishes = options::parse(args)?;
    let mut profile = open(&args.recording, Purpose::Prediction)?;
    if profile.meta.modelled.is_some() {
        return Err(Failure::Recording(format!(
            "{} is a modelled run: predict from the recording that it was made of.",
            args.recording.directory.display()
        )));
    }
    if profile.chosen.is_empty() {
        return Err(Failure::Recording(format!(
            "nothing of the run is in {}, so there is nothing to predict from: `teff report` says why.",
            args.recording.directory.display()
        )));
    }
    let is_on_machine = args.machine.is_some() || args.schedule.is_some();
    if is_on_machine && !profile.device_constructs.is_empty() {
        return Err(Failure::Usage(
            "--machine and --schedule: constructs of this program ran on devices, and modelled machines have none. \
             --devices predicts such programs."
                .to_owned(),
        ));
    }
    let symbols = Symbols::resolve_and_unite(&mut profile);
    let whats = options::find(&wishes, &profile, &symbols)?;
    let predictor = Predictor::of(&profile);
    let machine = machine::Machine::of(args)?;
    let by_priority = priorities::by_priority(args, &profile, &predictor)?;
    let devices = devices::on_devices(args, &profile, &predictor)?;
    let threads = match &machine {
        Some(machine) => machine.threads(&wishes.threads)?,
        None if wishes.threads.is_empty() && args.devices.is_empty() => USUAL_THREADS.to_vec(),
        None => wishes.threads,
    };
    let mut facts = facts::Facts::of(&profile, &predictor, &symbols, &threads, &whats)?;
    facts.by_priority = by_priority;
    facts.devices = devices;
    if let Some(machine) = machine {
        machine.predict(&predictor, &whats, &mut facts)?;
    }
    let text = if args.json {
        let json = serde_json::to_string_pretty(&facts);
        let json = json.map_err(|error| Failure::cannot("write JSON", error))?;
        printable_json(&json) + "\n"
    } else {
        text::render(&facts)
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
