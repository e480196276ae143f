// SPDX-License-Identifier: Apache-2.0
//! What a page calls its recording, and which of the recording's processes it shows.

use std::path::Path;

use recordings::{NamedProcess, Opened};
use serde::Serialize;
use terminal::{printable, shell_word};

/// What is at the top of a page.
#[derive(Default)]
pub struct Title {
    pub name: String,
    /// The process that is shown; empty: the recording has no other.
    pub process: String,
    pub others: Vec<Other>,
}

/// Another process of the recording.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Other {
    process: String,
    command: String,
    /// The command that shows it.
    show: String,
}

impl Title {
    /// `directory`: that of the recording, as the commands name it.
    pub fn of(name: String, directory: &Path, opened: &Opened) -> Self {
        Self { name, ..Self::of_process(directory, opened.shown(), &opened.named) }
    }

    fn of_process(directory: &Path, shown: &str, all: &[NamedProcess]) -> Self {
        if all.len() < 2 {
            return Self::default();
        }
        let directory = shell_word(directory);
        let other = |NamedProcess { process, command }: &NamedProcess| Other {
            process: printable(process),
            command: printable(command),
            show: format!("teff view --process {process} {directory}"),
        };
        let others = all.iter().filter(|process| process.process != shown).map(other).collect();
        Self { name: String::new(), process: printable(shown), others }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_beside_others_is_named_with_the_commands_that_show_them() {
        let named = |process: &str, command: &str| NamedProcess {
            process: process.to_owned(),
            command: command.to_owned(),
        };
        let of = |all: &[NamedProcess]| Title::of_process(Path::new("my run.teff"), "12", all);
        let all = [named("11", "./heat 3"), named("12", "./heat 4"), named("12-2", "./sort")];
        let title = of(&all);
        assert_eq!(title.process, "12");
        let other = |process: &str, command: &str| Other {
            process: process.to_owned(),
            command: command.to_owned(),
            show: format!("teff view --process {process} 'my run.teff'"),
        };
        assert_eq!(title.others, [other("11", "./heat 3"), other("12-2", "./sort")]);
        let alone = of(&all[1..2]);
        assert_eq!((alone.process.as_str(), alone.others.as_slice()), ("", &[][..]));
    }
}
