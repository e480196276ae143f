// SPDX-License-Identifier: Apache-2.0
//! The findings as text.

use grains::units;
use terminal::printable;

use crate::about::About;
use crate::finding::{Finding, State};

const WIDTH: usize = 100;
/// The width of the first column.
const NAMES: usize = 18;
const STATES: usize = 9;

pub fn render(about: &About, findings: &[Finding]) -> String {
    let mut out = String::new();
    for (name, value) in rows(about) {
        out += &format!("{name:NAMES$}{}\n", printable(&value));
    }
    out.push('\n');
    for finding in findings {
        let state = match finding.state {
            State::Ok => "ok",
            State::Note => "note",
            State::Problem => "problem",
        };
        let begin = format!("{state:STATES$}{:NAMES$}", finding.name);
        out += &wrapped(&begin, &printable(&finding.says));
        if let Some(remedy) = &finding.remedy {
            out += &wrapped(&" ".repeat(STATES + NAMES), &printable(remedy));
        }
    }
    out.push('\n');
    out += &sum(findings);
    out
}

fn rows(about: &About) -> Vec<(&'static str, String)> {
    let library = about.library.as_ref().map_or("missing".to_owned(), |file| file.display().to_string());
    let mut rows = vec![("teff", about.teff.to_owned()), ("runtime", library)];
    rows.extend(compilers("runtime made by", &about.library_compilers));
    rows.extend(compilers("program made by", &about.program_compilers));
    rows.push(("system", format!("{}, Linux {}", about.distribution, about.kernel)));
    rows.push(("C library", about.c_library.clone()));
    let quota = about.quota.map_or_else(String::new, |quota| format!(", a quota of {quota:.2}"));
    rows.push(("processor", format!("{}, {}", about.processor, about.architecture)));
    let (online, allowed) = (about.processors_online, about.processors_allowed);
    let known = format!("{online} online, {allowed} for this process{quota}");
    rows.push(("processors", if online == 0 { "unknown".to_owned() } else { known }));
    if let Some(kib) = about.memory_kib {
        rows.push(("memory", units::bytes(kib.saturating_mul(1024))));
    }
    rows.extend(about.variables.iter().map(|(name, value)| ("environment", format!("{name}={value}"))));
    rows
}

fn compilers<'a>(
    title: &'static str,
    names: &'a [String],
) -> impl Iterator<Item = (&'static str, String)> + 'a {
    let all = names.join("; ");
    (!all.is_empty()).then_some((title, all)).into_iter()
}

fn sum(findings: &[Finding]) -> String {
    let count = |state: State| findings.iter().filter(|finding| finding.state == state).count() as u64;
    let (problems, notes) = (count(State::Problem), count(State::Note));
    format!("{}, {}.\n", units::several(problems, "problem"), units::several(notes, "note"))
}

/// Breaks the text into lines that begin below each other; in the first line the text follows
/// `begin`.
fn wrapped(begin: &str, text: &str) -> String {
    let indent = begin.len();
    let mut out = begin.to_owned();
    let mut column = indent;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > indent && column + 1 + length > WIDTH {
            out += &format!("\n{}", " ".repeat(indent));
            column = indent;
        } else if column > indent {
            out.push(' ');
            column += 1;
        }
        out += word;
        column += length;
    }
    out + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sentences_are_wrapped_below_their_begin() {
        let text = wrapped("note  x  ", &"word ".repeat(40));
        assert!(text.lines().count() > 1);
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(
            text.lines().skip(1).all(|line| line.starts_with("         w") || line.trim().is_empty()),
            "{text}"
        );
    }

    #[test]
    fn problems_are_counted() {
        let findings =
            [Finding::ok("a", "fine."), Finding::note("b", "so so.", "c"), Finding::problem("d", "no.", "e")];
        assert_eq!(sum(&findings), "1 problem, 1 note.\n");
    }
}
