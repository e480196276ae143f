// SPDX-License-Identifier: Apache-2.0
//! The command line of a recorded program. It may have millions of bytes: its beginning is kept,
//! and the rest is counted.

use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// What is kept of it, of all words together. No page or report shows more.
const MAX_BYTES: usize = 64 << 10;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Command {
    pub words: Vec<String>,
    /// Words that are left out or cut.
    #[serde(skip)]
    pub left_out: u64,
}

impl Command {
    pub fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Without its folders.
    pub fn program_name(&self) -> &str {
        self.program().rsplit('/').next().unwrap_or_default()
    }

    /// The words after the program.
    pub fn arguments(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Whether both ran the same program, in whichever folder, with the same arguments.
    pub fn is_like(&self, other: &Command) -> bool {
        self.program_name() == other.program_name()
            && self.arguments() == other.arguments()
            && self.left_out == other.left_out
    }

    fn take(&mut self, mut word: String, room: &mut usize) {
        let whole = word.len() <= *room;
        if !whole {
            let end = (0..=*room).rev().find(|&at| word.is_char_boundary(at));
            word.truncate(end.unwrap_or(0));
            self.left_out += 1;
        }
        // The byte more is the blank before the next word, and what bounds the number of empty
        // words.
        *room = if whole { room.saturating_sub(word.len() + 1) } else { 0 };
        self.words.push(word);
    }
}

impl From<Vec<String>> for Command {
    fn from(words: Vec<String>) -> Self {
        Self { words, left_out: 0 }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))?;
        if self.left_out > 0 {
            f.write_str(" …")?;
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Words)
    }
}

struct Words;

impl<'de> Visitor<'de> for Words {
    type Value = Command;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of words")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Command, A::Error> {
        let (mut command, mut room) = (Command::default(), MAX_BYTES);
        while let Some(word) = list.next_element::<String>()? {
            if room > 0 {
                command.take(word, &mut room);
            } else {
                command.left_out += 1;
            }
        }
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Command {
        serde_json::from_str(&serde_json::to_string(words).unwrap()).unwrap()
    }

    #[test]
    fn a_usual_command_is_kept_whole() {
        let command = read(&["./sort", "", "1000"]);
        assert_eq!((command.program(), command.left_out), ("./sort", 0));
        assert_eq!(command.to_string(), "./sort  1000");
        assert_eq!(read(&["/my programs/sort it", "/tmp/x"]).program_name(), "sort it");
    }

    #[test]
    fn of_many_words_the_first_are_kept_and_the_others_counted() {
        let words = vec!["12345678901234567890123"; 10_000]; // 24 bytes with the blank
        let command = read(&words);
        let kept = MAX_BYTES.div_ceil(24);
        assert_eq!(command.words.len(), kept);
        assert_eq!(command.left_out, 10_000 - kept as u64 + 1, "the last one kept is cut");
        assert!(command.to_string().len() <= MAX_BYTES + 4 && command.to_string().ends_with(" …"));
        assert_eq!(read(&vec![""; 1_000_000]).words.len(), MAX_BYTES);
    }

    #[test]
    fn a_long_word_is_cut_between_characters() {
        let command = read(&[&"é".repeat(MAX_BYTES), "more"]);
        assert_eq!((command.words.len(), command.left_out), (1, 2));
        assert_eq!(command.words[0].len(), MAX_BYTES);
        let odd = read(&["a", &"é".repeat(MAX_BYTES)]);
        assert_eq!(odd.words[1].len(), MAX_BYTES - 2);
    }
}
