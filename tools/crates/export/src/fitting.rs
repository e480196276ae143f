// SPDX-License-Identifier: Apache-2.0
//! Files that other programs can open: a large graph is written in a smaller form.
//!
//! A file has the first of several forms, from the whole graph on, in which it has at most
//! [`MOST_BYTES`]. A form that turns out to be too large is given up. If all are, the file has the
//! last form.

use std::io::{self, Write};

/// A graph of 100,000 grains fits in its smallest form.
pub const MOST_BYTES: usize = 30_000_000;

/// Returns the number of the form that was written.
pub fn write<F>(
    out: &mut dyn Write,
    forms: &[F],
    content: impl Fn(&F, &mut dyn Write) -> io::Result<()>,
) -> io::Result<usize> {
    write_at_most(out, MOST_BYTES, forms, content)
}

fn write_at_most<F>(
    out: &mut dyn Write,
    most: usize,
    forms: &[F],
    content: impl Fn(&F, &mut dyn Write) -> io::Result<()>,
) -> io::Result<usize> {
    let Some((last, others)) = forms.split_last() else { return Ok(0) };
    for (number, form) in others.iter().enumerate() {
        let mut file = Bounded { most, bytes: Vec::new(), is_full: false };
        match content(form, &mut file) {
            Ok(()) => return out.write_all(&file.bytes).map(|()| number),
            Err(_) if file.is_full => {}
            Err(error) => return Err(error),
        }
    }
    content(last, out).map(|()| others.len())
}

/// A file in memory that takes no more than so many bytes.
struct Bounded {
    most: usize,
    bytes: Vec<u8>,
    is_full: bool,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.most {
            self.is_full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_form_that_fits_is_written_or_the_last() {
        let of = |most: usize, sizes: &[usize]| {
            let mut out = Vec::new();
            let content = |&size: &usize, out: &mut dyn Write| (0..size).try_for_each(|_| write!(out, "x"));
            let form = write_at_most(&mut out, most, sizes, content).unwrap();
            (form, out.len())
        };
        assert_eq!(of(9, &[8, 4]), (0, 8));
        assert_eq!(of(9, &[10, 9, 4]), (1, 9));
        assert_eq!(of(9, &[12, 11, 10]), (2, 10));
        assert_eq!(of(9, &[10]), (0, 10));
    }

    #[test]
    fn other_errors_are_told() {
        let content = |_: &u8, _: &mut dyn Write| Err(io::ErrorKind::BrokenPipe.into());
        let result = write_at_most(&mut Vec::new(), 9, &[1, 2], content);
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
