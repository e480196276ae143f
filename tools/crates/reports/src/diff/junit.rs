// SPDX-License-Identifier: Apache-2.0
//! The outcome of each limit as a test case, in the XML of JUnit that servers for continuous
//! integration read.

use std::io::{self, Write};

use quick_xml::events::{BytesDecl, BytesText, Event};
use quick_xml::Writer;
use terminal::printable;

use super::limits::{LimitFacts, Outcome};
use super::Facts;

pub fn write(facts: &Facts, out: &mut dyn Write) -> io::Result<()> {
    let mut xml = Writer::new_with_indent(out, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let number = |outcome| facts.limits.iter().filter(|limit| limit.outcome == outcome).count().to_string();
    let name = printable(&format!("teff diff {} {}", facts.before.name, facts.after.name));
    let attributes = [
        ("name", name.as_str()),
        ("tests", &facts.limits.len().to_string()),
        ("failures", &number(Outcome::Exceeded)),
        ("errors", &number(Outcome::NotJudged)),
        ("skipped", &number(Outcome::Undecided)),
    ];
    xml.create_element("testsuite")
        .with_attributes(attributes)
        .write_inner_content(|xml| facts.limits.iter().try_for_each(|limit| case(xml, limit)))?;
    xml.into_inner().write_all(b"\n")
}

fn case(xml: &mut Writer<&mut dyn Write>, limit: &LimitFacts) -> io::Result<()> {
    let case = xml
        .create_element("testcase")
        .with_attributes([("classname", "teff.diff"), ("name", limit.limit.as_str())]);
    let element = match limit.outcome {
        Outcome::Held => None,
        Outcome::Exceeded => Some("failure"),
        Outcome::NotJudged => Some("error"),
        Outcome::Undecided => Some("skipped"),
    };
    case.write_inner_content(|xml| match element {
        Some(element) => xml
            .create_element(element)
            .with_attribute(("message", limit.text.as_str()))
            .write_text_content(BytesText::new(&limit.text))
            .map(drop),
        None => xml.create_element("system-out").write_text_content(BytesText::new(&limit.text)).map(drop),
    })
    .map(drop)
}
