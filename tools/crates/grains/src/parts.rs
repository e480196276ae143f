// SPDX-License-Identifier: Apache-2.0
//! Reads a recording, or the part of it that is selected.

use trace::{Clock, Recording};

use crate::carriers::carriers;
use crate::complete::complete;
use crate::costs::Costs;
use crate::every::Every;
use crate::load::{clock_of, decode, end_recording, StreamEvents};
use crate::raw_spans::{raw_spans, RawSpan};
use crate::selection::Selection;
use crate::ticks::Ticks;
use crate::windows::{recorded, Windows};

/// A recording, decoded.
pub(crate) struct Loaded {
    pub streams: Vec<StreamEvents>,
    /// The numbers of the streams that are no workers'.
    pub carriers: Vec<u16>,
    /// That their records' times go by.
    pub clock: Clock,
    /// What was recorded; and what of it the records of `streams` are about.
    pub recorded: Windows,
    pub chosen: Windows,
    /// When the recording ends, whatever of it was chosen.
    pub end: Ticks,
    pub spans: Vec<RawSpan>,
}

/// All streams of a recording. `decoded` is told the bytes of each stream that is done.
///
/// Whether there are windows, and where, is only known when all streams are decoded. If there are,
/// they are decoded once more.
pub(crate) fn load(
    recording: &Recording,
    selection: &Selection,
    decoded: &(dyn Fn(u64) + Sync),
) -> Result<Loaded, trace::Error> {
    let costs = Costs::of(&recording.meta);
    let mut streams = decode(recording, &costs, &Windows::whole(), decoded)?;
    let clock = clock_of(recording, &streams);
    let last = streams.iter().map(|stream| stream.last).max().unwrap_or_default();
    let end = recording.end.as_ref().map_or(last, |end| clock.since_start(end.end()));
    let switches: Vec<_> = streams.iter().flat_map(|stream| stream.switches.iter().copied()).collect();
    let kept_from = streams.iter().filter_map(|stream| stream.kept_from).max();
    let never_began = begins_later(recording) && streams.iter().all(|stream| stream.creates.is_empty());
    let recorded = if never_began { Windows::of(Vec::new()) } else { recorded(&switches, end, kept_from) };
    let recorded = without_start_up(recorded, &streams);
    let spans = raw_spans(&streams, end);
    let carriers = carriers(&streams);
    let chosen = selection.of(&recorded, &spans, &clock);
    if chosen.is_whole() {
        if let Some(said) = &recording.end {
            end_recording(&mut streams, recording, said);
        }
    } else {
        streams = decode(recording, &costs, &chosen, &|_| {})?;
        complete(&mut streams, &chosen, end);
    }
    Ok(Loaded { streams, carriers, clock, recorded, chosen, end, spans })
}

/// A program that records only a part of itself switches recording off before all else. The time
/// until then is no part that it asked for.
fn without_start_up(recorded: Windows, streams: &[StreamEvents]) -> Windows {
    let mut parts: Vec<_> = recorded.parts().collect();
    let [first, _, ..] = parts[..] else { return recorded };
    let is_before = |at: Ticks| at <= first.to;
    let is_region = streams.iter().flat_map(|stream| &stream.regions).any(|region| is_before(region.at));
    let creates = || streams.iter().flat_map(|stream| &stream.creates);
    let is_task = creates().any(|create| is_before(create.at) && !create.record.parent.is_none());
    if first.from > Ticks::ZERO || is_region || is_task {
        return recorded;
    }
    parts.remove(0);
    Windows::of(parts)
}

/// The recording was to begin some time after the program, or with a later region.
fn begins_later(recording: &Recording) -> bool {
    let delay = recording.meta.environment.get("TEFF_TRACE_DELAY");
    let every = Every::of(&recording.meta, recording.end.as_ref());
    delay.is_some_and(|delay| delay != "0") || every.is_some()
}
