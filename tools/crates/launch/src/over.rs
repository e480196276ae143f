// SPDX-License-Identifier: Apache-2.0
//! What a sweep varies: words of the command that hold `{NAME}`, or the environment variable NAME.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::str::FromStr;

/// `NAME=VALUE,VALUE...`, or with semicolons, if values have commas.
#[derive(Clone, Debug, PartialEq)]
pub struct Over {
    pub name: String,
    pub values: Vec<String>,
}

/// More runs than that take nobody any further.
const MOST_VALUES: usize = 1000;

impl FromStr for Over {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((name, values)) = text.split_once('=') else {
            return Err("a sweep is over a name, = and values, as in OMP_NUM_THREADS=1,2,4".to_owned());
        };
        let is_letter = |at: usize, byte: u8| {
            byte == b'_' || byte.is_ascii_alphabetic() || at > 0 && byte.is_ascii_digit()
        };
        if name.is_empty() || !name.bytes().enumerate().all(|(at, byte)| is_letter(at, byte)) {
            return Err(format!(
                "\"{name}\" is no name: it has letters, digits and _, and begins with no digit"
            ));
        }
        let separator = if values.contains(';') { ';' } else { ',' };
        let values: Vec<String> = values.split(separator).map(|value| value.trim().to_owned()).collect();
        if values.iter().any(String::is_empty) {
            return Err(format!("a value of {name} is empty"));
        }
        let mut known = HashSet::new();
        if let Some(twice) = values.iter().find(|value| !known.insert(value.as_str())) {
            return Err(format!("{twice} is there twice; --runs says how often each value runs"));
        }
        if values.len() > MOST_VALUES {
            return Err(format!("{} values are more than {MOST_VALUES}", values.len()));
        }
        Ok(Self { name: name.to_owned(), values })
    }
}

impl Over {
    /// Whether the command has a place for the value; otherwise the value goes into the
    /// environment.
    pub fn is_in(&self, command: &[OsString]) -> bool {
        let place = self.place();
        command.iter().any(|word| find(word.as_bytes(), place.as_bytes()).is_some())
    }

    /// The command with this value in each place for it.
    pub fn put_into(&self, command: &[OsString], value: &str) -> Vec<OsString> {
        let place = self.place();
        command.iter().map(|word| replaced(word, place.as_bytes(), value.as_bytes())).collect()
    }

    /// A place in the command for another name, which nothing would fill.
    pub fn other_place(&self, command: &[OsString]) -> Option<String> {
        let is_other = |name: &str| is_name_of_place(name) && name != self.name;
        command.iter().skip(1).find_map(|word| {
            let name = word.to_str()?.split_once('{')?.1.split_once('}')?.0;
            is_other(name).then(|| format!("{{{name}}}"))
        })
    }

    pub fn place(&self) -> String {
        format!("{{{}}}", self.name)
    }
}

/// Capital letters, digits and _: people name their places so, and few arguments look so.
fn is_name_of_place(name: &str) -> bool {
    let is_of_it = |byte: u8| byte == b'_' || byte.is_ascii_uppercase() || byte.is_ascii_digit();
    !name.is_empty() && name.bytes().all(is_of_it)
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

fn replaced(word: &OsStr, place: &[u8], value: &[u8]) -> OsString {
    let mut rest = word.as_bytes();
    let mut out = Vec::new();
    while let Some(at) = find(rest, place) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(value);
        rest = &rest[at + place.len()..];
    }
    out.extend_from_slice(rest);
    OsString::from_vec(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_separated_by_commas_or_semicolons() {
        let over: Over = "CUTOFF=1,2, 8".parse().unwrap();
        assert_eq!((over.name.as_str(), over.values), ("CUTOFF", vec!["1".into(), "2".into(), "8".into()]));
        let over: Over = "OMP_SCHEDULE=static;dynamic,1".parse().unwrap();
        assert_eq!(over.values, ["static", "dynamic,1"]);
        for (wrong, said) in [
            ("CUTOFF", "as in OMP_NUM_THREADS=1,2,4"),
            ("=1,2", "is no name"),
            ("2X=1", "is no name"),
            ("N=1,,2", "is empty"),
            ("N=", "is empty"),
            ("N=1,2,1", "1 is there twice"),
        ] {
            assert!(wrong.parse::<Over>().unwrap_err().contains(said), "{wrong}");
        }
    }

    #[test]
    fn a_value_goes_into_each_place() {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let over: Over = "N=7".parse().unwrap();
        let command = words(&["./prog", "--cut={N}", "{N}x{N}", "{M}", "{}"]);
        assert!(over.is_in(&command) && !over.is_in(&command[..1]));
        assert_eq!(over.put_into(&command, "7"), words(&["./prog", "--cut=7", "7x7", "{M}", "{}"]));
        assert_eq!(over.other_place(&command), Some("{M}".to_owned()));
        assert_eq!(over.other_place(&words(&["a", "{N}", "{print $1}", "{}"])), None);
    }
}
