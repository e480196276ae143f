// SPDX-License-Identifier: Apache-2.0
//! Output: results go to standard output, messages to standard error.
//!
//! Both may be closed, full, or a pipe whose reader has gone; none of this causes a panic. Names in
//! recordings and names of files may contain anything, so control sequences of terminals are
//! escaped.

use std::env;
use std::fmt::Display;
use std::io::{self, stderr, stdout, ErrorKind, IsTerminal, StdoutLock, Write};
use std::path::Path;

use nix::errno::Errno;

use crate::failure::{Failure, Result};
use crate::inherited;

/// Prints a message for the user, in one piece: the ranks of an MPI job share standard error. If it
/// cannot be written, this failure cannot be reported either.
pub fn say(message: impl Display) {
    let line = format!("teff: {}\n", printable(&message.to_string()));
    let _ = stderr().write_all(line.as_bytes());
}

/// Prints a result. It is no error if the reader stops early (`teff report a.teff | head`).
pub fn print(text: &str) -> Result<()> {
    let written =
        standard_output().and_then(|mut out| out.write_all(text.as_bytes()).and_then(|()| out.flush()));
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::io("write", "standard output".as_ref(), error))
        }
        _ => Ok(()),
    }
}

/// The stream for results. It is an error if we were started without standard output.
pub fn standard_output() -> io::Result<StdoutLock<'static>> {
    if inherited::has_no_output() {
        Err(Errno::EBADF.into())
    } else {
        Ok(stdout().lock())
    }
}

/// Whether the stream is a terminal that can move its cursor and show colours.
pub fn is_capable(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && env::var_os("TERM").is_some_and(|name| !name.is_empty() && name != "dumb")
}

/// Whether colours can be shown and are wanted (<https://no-color.org>).
pub fn shows_colours() -> bool {
    is_capable(&stdout()) && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The text on one line, without anything that a terminal obeys: control characters, and characters
/// that change the direction of writing. XML can contain the result.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_obeyed(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// The same JSON, without anything that a terminal obeys, except line breaks. Outside of strings
/// JSON has no such characters, and inside of strings it can escape all of them.
pub fn printable_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if is_obeyed(character) && character != '\n' {
            out.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            out.push(character);
        }
    }
    out
}

/// A path as a word for a shell that no command mistakes for an option. The word is on one line,
/// and has nothing that a terminal obeys.
pub fn shell_word(path: &Path) -> String {
    let Some(text) = path.to_str().filter(|text| !text.contains(is_obeyed)) else {
        return escaped_word(path);
    };
    let path = if text.starts_with('-') { format!("./{text}") } else { text.to_owned() };
    let is_plain = |character: char| character.is_alphanumeric() || "_./+:,@%=-".contains(character);
    if !path.is_empty() && path.chars().all(is_plain) {
        path
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

/// With escapes that bash, zsh and ksh understand, and dash does not.
fn escaped_word(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut word = if bytes.starts_with(b"-") { "$'./".to_owned() } else { "$'".to_owned() };
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\n' => word.push_str(r"\n"),
                '\'' | '\\' => word.extend(['\\', character]),
                _ if is_obeyed(character) => {
                    push_octal(&mut word, character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => word.push(character),
            }
        }
        push_octal(&mut word, chunk.invalid());
    }
    word + "'"
}

fn push_octal(word: &mut String, bytes: &[u8]) {
    for byte in bytes {
        word.push_str(&format!("\\{byte:03o}"));
    }
}

/// All of these have at most 16 bits.
fn is_obeyed(character: char) -> bool {
    let turns_or_breaks = matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let no_character = matches!(character, '\u{fffe}' | '\u{ffff}');
    character.is_control() || turns_or_breaks || no_character
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_takes_a_path_as_one_word() {
        let words = ["a.teff", "/tmp/α/b.teff", "-o", "my run.teff", "it's $HOME", ""];
        let quoted = ["a.teff", "/tmp/α/b.teff", "./-o", "'my run.teff'", r"'it'\''s $HOME'", "''"];
        assert_eq!(words.map(|word| shell_word(word.as_ref())), quoted);
        let words = ["two\nlines", "-\x1b[31m", "it's\t\\", "\u{202e}a b"];
        let quoted = [r"$'two\nlines'", r"$'./-\033[31m'", r"$'it\'s\011\\'", r"$'\342\200\256a b'"];
        assert_eq!(words.map(|word| shell_word(word.as_ref())), quoted);
        let no_text = std::ffi::OsStr::from_bytes(b"a\xff b");
        assert_eq!(shell_word(no_text.as_ref()), r"$'a\377 b'");
    }

    #[test]
    fn bash_reads_the_same_path() {
        for bytes in [&b"two\nlines"[..], b"-\x1b[31m", b"it's\t\\1", b"a\xff2 b", b"\xe2\x80\xae7"] {
            let word = shell_word(std::ffi::OsStr::from_bytes(bytes).as_ref());
            let Ok(said) = Command::new("bash").args(["-c", &format!("printf %s {word}")]).output() else {
                return; // there is no bash
            };
            let read = said.stdout.strip_prefix(b"./").unwrap_or(&said.stdout);
            assert_eq!(read, bytes, "{word}");
        }
    }

    #[test]
    fn what_a_terminal_obeys_is_shown_instead() {
        assert_eq!(printable("a b/é…\u{1f600}"), "a b/é…\u{1f600}");
        assert_eq!(printable("\x1b[31m\n\r\t\u{9b}2J\u{7f}"), "\\u{1b}[31m\\n\\r\\t\\u{9b}2J\\u{7f}");
        assert_eq!(printable("\u{fffe}\u{ffff}\u{fffd}"), "\\u{fffe}\\u{ffff}\u{fffd}");
        assert_eq!(printable("\u{202e}txt.exe\u{2066}"), "\\u{202e}txt.exe\\u{2066}");
    }

    #[test]
    fn json_says_the_same_when_it_is_printable() {
        let words = ["\u{9b}2J", "\u{7f}\u{202e}", "plain é", "\u{ffff}\\\n"];
        let json = serde_json::to_string_pretty(&words).unwrap();
        let printable = printable_json(&json);
        assert!(printable.chars().all(|character| character == '\n' || !is_obeyed(character)), "{printable}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&printable).unwrap(), words);
    }
}
