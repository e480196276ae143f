// SPDX-License-Identifier: Apache-2.0
//! Functions that the parts of the report's text share: width, colours, cutting and wrapping.

use super::facts::Site;
use super::names;

/// For a terminal: the largest number of columns.
pub const WIDTH: usize = 96;
/// What the other columns of a table take beside the names of its sites.
const OTHER_COLUMNS: usize = 56;
/// What a site's name has at least.
const LEAST_NAME: usize = 40;
/// What a site's name has where the text goes into a file or a pipe.
const NAME_ELSEWHERE: usize = 72;
/// What each of two names in one row has on a terminal, and elsewhere.
const SHORT_NAME: usize = 28;
const SHORT_NAME_ELSEWHERE: usize = 44;

pub struct Style {
    pub colour: bool,
    /// Columns of the terminal; `None`: it is none.
    pub columns: Option<usize>,
}

impl Style {
    pub fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }

    pub fn warning(&self, text: &str) -> String {
        self.with("33", text)
    }

    pub fn names(&self, sites: &[&Site]) -> Vec<String> {
        let on_terminal = |columns: usize| columns.saturating_sub(OTHER_COLUMNS).max(LEAST_NAME);
        names::of(sites, self.columns.map_or(NAME_ELSEWHERE, on_terminal))
    }

    /// The name of a place in a table that has other names beside it.
    pub fn short_name(&self, file: &str, line: u32, function: &str) -> String {
        let room = self.columns.map_or(SHORT_NAME_ELSEWHERE, |_| SHORT_NAME);
        names::one(file, line, function, Some(room))
    }

    fn with(&self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("never empty");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Wrapped, with what stands before the first line; the others are as far in.
pub fn paragraph(out: &mut String, lead: &str, text: &str) {
    let indent = lead.chars().count();
    for (at, line) in wrap(text, WIDTH - indent).iter().enumerate() {
        match at {
            0 => out.push_str(lead),
            _ => out.extend(std::iter::repeat_n(' ', indent)),
        }
        out.push_str(line);
        out.push('\n');
    }
}

pub fn cut_end(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_commands_are_cut_at_their_end() {
        assert_eq!(cut_end("abcdef", 4), "abc…");
    }

    #[test]
    fn notes_are_wrapped_at_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    }

    #[test]
    fn paragraphs_stand_beside_their_lead() {
        let mut out = String::new();
        paragraph(&mut out, "  - ", "short");
        assert_eq!(out, "  - short\n");
    }
}
