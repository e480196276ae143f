// SPDX-License-Identifier: Apache-2.0
//! Functions that both graphs share: strings of DOT, and the message about a graph that is too
//! large.

use terminal::{printable, say};

/// For more nodes, Graphviz's dot takes minutes.
const MOST_NODES: u64 = 5_000;

/// Returns a string of DOT that shows the text; the lines of the text become lines of a label.
pub fn quoted(text: &str) -> String {
    let lines: Vec<String> =
        text.split('\n').map(|line| printable(line).replace('\\', "\\\\").replace('"', "\\\"")).collect();
    format!("\"{}\"", lines.join("\\n"))
}

pub fn say_too_large(nodes: u64, edges: u64) {
    if nodes > MOST_NODES {
        say(format!(
            "the graph has {nodes} nodes and {edges} edges: Graphviz's dot takes very long for more than about \
             {MOST_NODES} nodes. sfdp lays out larger graphs; for the whole graph use --format graphml with Gephi, or \
             teff view. With --format dependences, --around draws a part of the graph."
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_show_what_they_are() {
        assert_eq!(quoted("f a.c:1\n3 ns"), r#""f a.c:1\n3 ns""#);
        assert_eq!(quoted("a\"b\\;\u{1b}"), r#""a\"b\\;\\u{1b}""#);
    }
}
