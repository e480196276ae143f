// SPDX-License-Identifier: Apache-2.0
//! XML text without blanks that only people read: they were a third of a file.

use std::fmt::Display;
use std::io::{Result, Write};

use quick_xml::escape::escape;
use terminal::printable;

pub const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                        <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
                        xmlns:y=\"http://www.yworks.com/xml/graphml\">";

/// The value of an attribute; it has no characters that XML would read as its own.
pub fn data(out: &mut dyn Write, key: &str, value: impl Display) -> Result<()> {
    write!(out, "<data key=\"{key}\">{value}</data>")
}

/// The value of an attribute. XML cannot contain control characters.
pub fn text(out: &mut dyn Write, key: &str, value: &str) -> Result<()> {
    data(out, key, escape(&*printable(value)))
}
