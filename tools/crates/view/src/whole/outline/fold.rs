// SPDX-License-Identifier: Apache-2.0
//! Folds the repetitions of a sequence of regions and serial parts.
//!
//! A step, or several in a row, that is repeated is one step with a number of times, as often as it
//! occurs in a row. Two rounds are alike if they have the same steps, however often each of these
//! is repeated in itself.

use grains::PlaceRow;

/// The longest round that is recognised, in steps.
const LONGEST: usize = 256;

/// A step of the program's sequence, in all rounds in which it is.
pub struct Step {
    pub what: What,
    pub count: u64,
    /// The numbers of its instances, among all regions or all serial parts; of a repetition, none.
    pub of: Vec<u32>,
}

pub enum What {
    /// Before the first region, and after the last one: no parts of a round.
    Start,
    End,
    Serial,
    Region(Option<PlaceRow>),
    Repeat(Vec<Step>),
}

impl Step {
    fn is_like(&self, other: &Self) -> bool {
        match (&self.what, &other.what) {
            (What::Serial, What::Serial) => true, // the start and the end are like nothing
            (What::Region(one), What::Region(other)) => one == other,
            (What::Repeat(one), What::Repeat(other)) => alike(one, other),
            _ => false,
        }
    }

    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.of.extend(other.of);
        if let (What::Repeat(own), What::Repeat(more)) = (&mut self.what, other.what) {
            add_all(own, more);
        }
    }
}

fn alike(one: &[Step], other: &[Step]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_like(other))
}

fn add_all(own: &mut [Step], more: Vec<Step>) {
    for (own, more) in own.iter_mut().zip(more) {
        own.add(more);
    }
}

/// Adds a step to a sequence, and folds what the sequence's end repeats.
pub fn push(steps: &mut Vec<Step>, step: Step) {
    steps.push(step);
    while fold(steps) {}
}

fn fold(steps: &mut Vec<Step>) -> bool {
    let end = steps.len();
    for length in 1..=LONGEST.min(end) {
        let (before, round) = steps.split_at(end - length);
        // A round ends with a serial part. If it could begin with one, the part between two loops
        // of the program could be the begin of a round of the second.
        if length > 1 && matches!(round.first(), Some(Step { what: What::Serial, .. })) {
            continue;
        }
        // One more round of a repetition.
        if let Some(Step { what: What::Repeat(body), .. }) = before.last() {
            if alike(body, round) {
                let round = steps.split_off(end - length);
                if let Some(Step { what: What::Repeat(body), count, .. }) = steps.last_mut() {
                    *count += 1;
                    add_all(body, round);
                }
                return true;
            }
        }
        // A round of one step is that step, more often.
        if before.len() >= length && alike(&before[before.len() - length..], round) {
            let round = steps.split_off(end - length);
            if length == 1 {
                add_all(&mut steps[end - 2..], round);
                return true;
            }
            let mut body = steps.split_off(end - 2 * length);
            add_all(&mut body, round);
            steps.push(Step { what: What::Repeat(body), count: 2, of: Vec::new() });
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use grains::Row as GrainsRow;

    use super::*;

    /// Letters are regions, a dot is a serial part.
    fn folded(text: &str) -> String {
        let mut steps = Vec::new();
        for letter in text.bytes() {
            let what = match letter {
                b'.' => What::Serial,
                b'-' => What::Start,
                b'+' => What::End,
                letter => What::Region(Some(GrainsRow::new(usize::from(letter)))),
            };
            push(&mut steps, Step { what, count: 1, of: vec![0] });
        }
        shown(&steps)
    }

    fn shown(steps: &[Step]) -> String {
        let one = |step: &Step| match &step.what {
            What::Start => format!("-{}", step.count),
            What::End => format!("+{}", step.count),
            What::Serial => format!(".{}", step.count),
            What::Region(place) => format!("{}{}", place.unwrap().at() as u8 as char, step.count),
            What::Repeat(body) => format!("{}({}){}", step.count, shown(body), instances(step)),
        };
        steps.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    fn instances(step: &Step) -> usize {
        match &step.what {
            What::Repeat(body) => body.iter().map(instances).sum(),
            _ => step.of.len(),
        }
    }

    #[test]
    fn repetitions_are_folded() {
        assert_eq!(folded("ab"), "a1 b1");
        assert_eq!(folded("aaaa"), "a4");
        assert_eq!(folded(".a.a.a."), ".1 3(a3 .3)6");
        assert_eq!(folded("-a.a.a.+"), "-1 3(a3 .3)6 +1");
        assert_eq!(folded("xabcabcabcy"), "x1 3(a3 b3 c3)9 y1");
    }

    #[test]
    fn a_loop_in_a_loop_is_folded_twice() {
        assert_eq!(folded(&format!("-{}", "u.r.u.r.s.".repeat(3))), "-1 3(6(u6 .6 r6 .6)24 s3 .3)30");
    }

    #[test]
    fn rounds_differ_in_how_often_their_steps_are_repeated() {
        assert_eq!(folded("aabaaabaab"), "3(a7 b3)10");
        assert_eq!(folded("abababcababc"), "2(5(a5 b5)10 c2)12");
    }
}
