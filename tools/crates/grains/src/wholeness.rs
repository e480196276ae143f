// SPDX-License-Identifier: Apache-2.0
//! Whether a recording has all that its program did, and what it lacks.
//!
//! A recording that lacks something can look like that of another program: a thread whose records
//! are gone seems to have waited. So [`Wholeness::allows`] decides, for the whole of Teff, which
//! findings may still be stated.

use trace::End;

use crate::load::StreamEvents;
use crate::tables::Strays;
use crate::ticks::Ticks;
use crate::units::{count, several, time};

/// In order of how little can be said about the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Kind {
    #[default]
    Whole,
    /// The runtime could not store all records, and says how many are lost.
    Lost,
    /// The program did not end in order, or still runs. Nothing says how long its streams were.
    Incomplete,
    /// Records that were stored are gone.
    Damaged,
}

/// What a finding rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RestsOn {
    /// What the records say that happened.
    Presence,
    /// That something did not happen, as no record says it.
    Absence,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wholeness {
    pub kind: Kind,
    /// What is missing, without a full stop.
    lacks: Vec<String>,
    /// The user wants the findings of an incomplete recording.
    is_accepted: bool,
}

/// More would not be read.
const MOST_NAMED: usize = 4;

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Lost => "lost",
            Self::Incomplete => "incomplete",
            Self::Damaged => "damaged",
        }
    }

    fn heading(self) -> &'static str {
        match self {
            Self::Whole => "Whole recording",
            Self::Lost => "Records are lost",
            Self::Incomplete => "Incomplete recording",
            Self::Damaged => "Damaged recording",
        }
    }
}

impl Wholeness {
    pub fn is_whole(&self) -> bool {
        self.kind == Kind::Whole
    }

    /// The user says that no part of an incomplete recording has been cut off: it has all that the
    /// program did until then.
    pub fn accept_incomplete(&mut self) {
        self.is_accepted = self.kind == Kind::Incomplete;
    }

    /// Whether a finding may be stated. In an incomplete recording none may, unless the user
    /// accepts it: if a stream of it is cut, nothing shows that.
    pub fn allows(&self, finding: RestsOn) -> bool {
        match self.kind {
            Kind::Whole => true,
            Kind::Lost => finding == RestsOn::Presence,
            Kind::Incomplete => self.is_accepted,
            Kind::Damaged => false,
        }
    }

    /// What the user must know before any figure, on one line. `None`: the recording is whole.
    pub fn line(&self) -> Option<String> {
        let advice = match self.kind {
            Kind::Whole => return None,
            Kind::Lost => "No finding rests on what the recording lacks.",
            Kind::Incomplete if self.is_accepted => "The findings are about the part that was recorded.",
            Kind::Incomplete => "Findings are withheld; `teff report --partial` states them.",
            Kind::Damaged => "Findings are withheld.",
        };
        Some(format!(
            "{}: {}. All figures are of the records that are there. {advice}",
            self.kind.heading(),
            self.what()
        ))
    }

    /// What of the records that were stored is gone; `None`: nothing.
    pub fn damage(&self) -> Option<String> {
        (self.kind == Kind::Damaged).then(|| self.what())
    }

    fn what(&self) -> String {
        let shown = self.lacks.len().min(MOST_NAMED);
        let mut what = self.lacks[..shown].join("; ");
        if shown < self.lacks.len() {
            what.push_str(&format!("; and {} more", self.lacks.len() - shown));
        }
        what
    }

    fn note(&mut self, kind: Kind, what: String) {
        if kind > self.kind {
            self.lacks.clear();
        }
        if kind >= self.kind {
            self.kind = kind;
            self.lacks.push(what);
        }
    }
}

/// What the streams themselves show, before their records are put together.
pub(crate) struct Gaps(Vec<String>);

impl Gaps {
    /// `ns` converts ticks since the start of the recording.
    pub fn of(streams: &[StreamEvents], end: Option<&End>, ns: impl Fn(Ticks) -> f64) -> Self {
        let Some(end) = end else { return Self(Vec::new()) };
        let mut gaps: Vec<String> = (0..end.stream_bytes.len())
            .filter_map(|number| {
                let stream = streams.iter().find(|stream| usize::from(stream.stream) == number);
                gap_of(number, end.stream_bytes[number], stream, &ns)
            })
            .collect();
        let is_known = !end.stream_bytes.is_empty();
        let surplus = streams.iter().filter(|stream| usize::from(stream.stream) >= end.stream_bytes.len());
        if is_known {
            gaps.extend(surplus.map(|stream| {
                let number = stream.stream;
                format!("stream-{number:04}.bin is not of this recording, which has {} threads", end.streams)
            }));
        }
        let missing = u64::from(end.streams).saturating_sub(streams.len() as u64);
        if !is_known && missing > 0 {
            gaps.push(format!("the files of {missing} of its {} threads are missing", end.streams));
        }
        if !is_known && streams.iter().all(|stream| stream.records == 0) {
            gaps.push("no stream has a record".to_owned());
        }
        Self(gaps)
    }

    pub fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// `last` is the latest instant that is recorded, in nanoseconds.
    pub fn wholeness(self, end: Option<&End>, lost_records: u64, strays: &Strays, last_ns: f64) -> Wholeness {
        let mut whole = Wholeness::default();
        if lost_records > 0 {
            let what = several(lost_records, "record");
            let why = end.map(|end| end.lost_because.as_str()).filter(|why| !why.is_empty());
            let why = why.unwrap_or("disk full, or a limit reached");
            whole.note(Kind::Lost, format!("the runtime could not store {what} ({why})"));
        }
        let Some(end) = end else {
            let until = time(last_ns);
            let what =
                format!("the program did not end normally, or still runs; the last record is of {until}");
            whole.note(Kind::Incomplete, what);
            return whole;
        };
        for gap in self.0 {
            whole.note(Kind::Damaged, gap);
        }
        let astray = strays.unknown + strays.repeated + strays.rootless;
        if lost_records == 0 && end.stream_bytes.is_empty() && astray > 0 {
            let what = format!("{} name what is missing, or is there twice", several(astray, "record"));
            whole.note(Kind::Damaged, what);
        }
        whole
    }
}

/// What is missing of a stream that had this many bytes. `stream` is what is there of it.
fn gap_of(
    number: usize,
    bytes: u64,
    stream: Option<&StreamEvents>,
    ns: impl Fn(Ticks) -> f64,
) -> Option<String> {
    let file = format!("stream-{number:04}.bin of thread {number}");
    let had = count(bytes);
    match stream {
        _ if bytes == 0 => None,
        None => Some(format!("{file}, which had {had} bytes, is missing")),
        Some(stream) if stream.reached == 0 => Some(format!("{file}, which had {had} bytes, has no record")),
        Some(stream) if stream.reached < bytes => {
            let (reached, since) = (count(stream.reached), time(ns(stream.last)));
            Some(format!("{file} has {reached} of {had} bytes, and nothing after {since}"))
        }
        Some(stream) if stream.gone > 0 => {
            let until = time(ns(stream.kept_from.unwrap_or_default()));
            let gone = several(stream.gone, "chunk");
            Some(format!("{file} lacks {gone} of its ring, and has nothing before {until}"))
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(number: u16, reached: u64) -> StreamEvents {
        let mut stream = StreamEvents::of_stream(number);
        (stream.reached, stream.records, stream.last) = (reached, u64::from(reached > 0), Ticks(5_000));
        stream
    }

    fn judge(streams: &[StreamEvents], end: Option<&End>, lost: u64) -> Wholeness {
        Gaps::of(streams, end, |ticks| ticks.0 as f64).wholeness(end, lost, &Strays::default(), 7_000.0)
    }

    #[test]
    fn each_stream_must_reach_its_length() {
        let end = End { streams: 4, stream_bytes: vec![400, 0, 500, 600, 700], ..End::default() };
        let all = [stream(0, 400), stream(2, 516), stream(3, 600), stream(4, 700)];
        assert!(judge(&all, Some(&end), 0).is_whole());
        let some = [stream(0, 400), stream(2, 496), stream(3, 0)];
        let judged = judge(&some, Some(&end), 3);
        assert_eq!(judged.kind, Kind::Damaged);
        let line = judged.line().unwrap();
        let cut = "stream-0002.bin of thread 2 has 496 of 500 bytes, and nothing after 5.00 us";
        assert!(line.starts_with(&format!("Damaged recording: {cut}")), "{line}");
        assert!(line.contains("stream-0003.bin of thread 3, which had 600 bytes, has no record"), "{line}");
        assert!(line.contains("stream-0004.bin of thread 4, which had 700 bytes, is missing"), "{line}");
        assert!(!judged.allows(RestsOn::Presence));
    }

    #[test]
    fn a_ring_must_have_its_chunks() {
        let end = End { streams: 1, stream_bytes: vec![400], ..End::default() };
        let mut ring = stream(0, 400);
        (ring.kept_from, ring.gone) = (Some(Ticks(3_000)), 2);
        let judged = judge(&[ring], Some(&end), 0);
        assert_eq!(judged.kind, Kind::Damaged);
        let line = judged.line().unwrap();
        let cut = "stream-0000.bin of thread 0 lacks 2 chunks of its ring, and has nothing before 3.00 us";
        assert!(line.starts_with(&format!("Damaged recording: {cut}")), "{line}");
    }

    #[test]
    fn a_further_stream_is_of_another_recording() {
        let end = End { streams: 1, stream_bytes: vec![400], ..End::default() };
        let judged = judge(&[stream(0, 400), stream(1, 16)], Some(&end), 0);
        assert_eq!(judged.kind, Kind::Damaged);
        assert!(judged.line().unwrap().contains("stream-0001.bin is not of this recording"));
        let older = End { streams: 1, ..End::default() };
        assert!(judge(&[stream(0, 400), stream(1, 16)], Some(&older), 0).is_whole());
    }

    #[test]
    fn older_recordings_show_what_is_missing_as_a_whole() {
        let end = End { streams: 2, ..End::default() };
        assert!(judge(&[stream(0, 400), stream(1, 0)], Some(&end), 0).is_whole());
        assert_eq!(judge(&[stream(0, 400)], Some(&end), 0).kind, Kind::Damaged);
        assert_eq!(judge(&[stream(0, 0), stream(1, 0)], Some(&end), 0).kind, Kind::Damaged);
    }

    #[test]
    fn what_is_lost_hides_what_did_not_happen_only() {
        let end = End { streams: 1, stream_bytes: vec![400], ..End::default() };
        let lost = judge(&[stream(0, 400)], Some(&end), 9);
        assert_eq!(lost.kind, Kind::Lost);
        assert_eq!([RestsOn::Presence, RestsOn::Absence].map(|finding| lost.allows(finding)), [true, false]);
        assert!(lost.line().unwrap().contains("store 9 records (disk full, or a limit reached)"));
        let because = End { lost_because: "a stream could not be mapped".to_owned(), ..end.clone() };
        let line = judge(&[stream(0, 400)], Some(&because), 9).line().unwrap();
        assert!(line.contains("store 9 records (a stream could not be mapped)"), "{line}");
        let incomplete = judge(&[stream(0, 400)], None, 9);
        assert_eq!(incomplete.kind, Kind::Incomplete);
        assert!(!incomplete.allows(RestsOn::Presence));
        let line = incomplete.line().unwrap();
        assert!(
            line.contains("the last record is of 7.00 us") && !line.contains("could not store"),
            "{line}"
        );
    }

    #[test]
    fn what_is_incomplete_can_be_accepted_and_what_is_damaged_cannot() {
        let mut incomplete = judge(&[stream(0, 400)], None, 0);
        incomplete.accept_incomplete();
        assert!(incomplete.allows(RestsOn::Absence));
        assert!(incomplete.line().unwrap().contains("The findings are about the part"));
        let end = End { streams: 1, stream_bytes: vec![400], ..End::default() };
        let mut damaged = judge(&[stream(0, 0)], Some(&end), 0);
        damaged.accept_incomplete();
        assert!(!damaged.allows(RestsOn::Presence));
    }
}
