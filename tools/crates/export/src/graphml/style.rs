// SPDX-License-Identifier: Apache-2.0
//! The style of nodes and edges: the colours, shapes and sizes of the grains thesis's tool.
//!
//! yEd reads the style from special elements. For other programs, the same values are also
//! attributes.

use std::io::{self, Write};

use quick_xml::events::BytesText;
use quick_xml::Writer;

pub const FORK: &str = "#2E8B57";
pub const JOIN: &str = "#FF7F50";
pub const ENDS: &str = "#DEB887";
pub const PLAIN: &str = "#000000";
pub const CRITICAL: &str = "#FF0000";
/// The colours of dependences and of locks, which the thesis's graphs do not have.
pub const DEPENDENCE: &str = "#4682B4";
pub const LOCK: &str = "#8B008B";

pub const GRAIN_WIDTH: f64 = 30.0;
const STEPS: f64 = 10.0;

pub fn edge_color(kind: &str) -> &'static str {
    match kind {
        "creation" => FORK,
        "join" => JOIN,
        "continuation" => PLAIN,
        "dependence" => DEPENDENCE,
        _ => LOCK,
    }
}

pub struct Look {
    pub shape: &'static str,
    pub width: f64,
    pub height: f64,
    pub color: String,
    pub label: String,
    pub critical: bool,
}

impl Look {
    /// The style of a fork, a join, and the other points between fragments.
    pub fn circle(color: &str, label: &str) -> Self {
        Self::small("circle", 10.0, color, label)
    }

    /// The style of the graph's start and end, through which every path goes.
    pub fn end(label: &str) -> Self {
        Self { critical: true, ..Self::small("rectangle", 15.0, ENDS, label) }
    }

    fn small(shape: &'static str, size: f64, color: &str, label: &str) -> Self {
        Self {
            shape,
            width: size,
            height: size,
            color: color.to_owned(),
            label: label.to_owned(),
            critical: false,
        }
    }

    pub fn border(&self) -> &'static str {
        if self.critical {
            CRITICAL
        } else {
            PLAIN
        }
    }

    pub fn draw<W: Write>(&self, xml: &mut Writer<W>) -> io::Result<()> {
        let shape = if self.shape == "circle" { "ellipse" } else { self.shape };
        let size = [("height", self.height.to_string()), ("width", self.width.to_string())];
        xml.create_element("y:ShapeNode")
            .write_inner_content(|xml| {
                empty(xml, "y:Geometry", &size.each_ref().map(|(name, value)| (*name, value.as_str())))?;
                empty(xml, "y:Fill", &[("color", &self.color), ("transparent", "false")])?;
                let width = if self.critical { "3.0" } else { "1.0" };
                empty(xml, "y:BorderStyle", &[("color", self.border()), ("type", "line"), ("width", width)])?;
                let text = BytesText::new(&self.label);
                xml.create_element("y:NodeLabel").write_text_content(text)?;
                empty(xml, "y:Shape", &[("type", shape)])
            })
            .map(drop)
    }
}

pub fn draw_edge<W: Write>(xml: &mut Writer<W>, color: &str, critical: bool) -> io::Result<()> {
    let (color, width) = if critical { (CRITICAL, "3.0") } else { (color, "1.0") };
    xml.create_element("y:PolyLineEdge")
        .write_inner_content(|xml| {
            empty(xml, "y:LineStyle", &[("color", color), ("type", "line"), ("width", width)])?;
            empty(xml, "y:Arrows", &[("source", "none"), ("target", "standard")])
        })
        .map(drop)
}

fn empty<W: Write>(xml: &mut Writer<W>, name: &str, attributes: &[(&str, &str)]) -> io::Result<()> {
    xml.create_element(name).with_attributes(attributes.iter().copied()).write_empty().map(drop)
}

/// Ten heights, by equal steps from the shortest to the longest.
pub struct Heights {
    shortest: f64,
    longest: f64,
}

impl Heights {
    pub fn of(lengths: impl Iterator<Item = u64>) -> Self {
        let start = Self { shortest: f64::INFINITY, longest: 0.0 };
        lengths.fold(start, |all, length| Self {
            shortest: all.shortest.min(length as f64),
            longest: all.longest.max(length as f64),
        })
    }

    pub fn height(&self, length: u64) -> f64 {
        let range = self.longest - self.shortest;
        let step = if range > 0.0 { ((length as f64 - self.shortest) / range * STEPS).ceil() } else { 1.0 };
        GRAIN_WIDTH * step.clamp(1.0, STEPS)
    }
}

/// Colours for this number of functions, as different as can be: R's `rev(topo.colors(n))`.
pub fn function_colors(number: usize) -> Vec<String> {
    let (greens, yellows) = (number / 3, number / 3);
    let blues = number - greens - yellows;
    let series = |from: f64, to: f64, count: usize| {
        (0..count).map(move |at| from + (to - from) * at as f64 / count.saturating_sub(1).max(1) as f64)
    };
    let blues = series(43.0 / 60.0, 31.0 / 60.0, blues).map(|hue| hsv(hue, 1.0));
    let greens = series(23.0 / 60.0, 11.0 / 60.0, greens).map(|hue| hsv(hue, 1.0));
    let yellows = series(10.0 / 60.0, 6.0 / 60.0, yellows).zip(series(1.0, 0.3, yellows));
    let mut colors: Vec<String> =
        blues.chain(greens).chain(yellows.map(|(hue, full)| hsv(hue, full))).collect();
    colors.reverse();
    colors
}

/// A colour of full brightness.
fn hsv(hue: f64, saturation: f64) -> String {
    let sector = hue.fract() * 6.0;
    let part = sector.fract();
    let low = 1.0 - saturation;
    let (falling, rising) = (1.0 - saturation * part, 1.0 - saturation * (1.0 - part));
    let (red, green, blue) = match sector as u32 {
        0 => (1.0, rising, low),
        1 => (falling, 1.0, low),
        2 => (low, 1.0, rising),
        3 => (low, falling, 1.0),
        4 => (rising, low, 1.0),
        _ => (1.0, low, falling),
    };
    let byte = |value: f64| (value * 255.0).round() as u8;
    format!("#{:02X}{:02X}{:02X}", byte(red), byte(green), byte(blue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_of_the_thesis() {
        // R: rev(topo.colors(3)), rev(topo.colors(6))
        assert_eq!(function_colors(3), ["#FFFF00", "#00FF4D", "#4C00FF"]);
        assert_eq!(function_colors(6), ["#FFE0B3", "#FFFF00", "#E6FF00", "#00FF4D", "#00E5FF", "#4C00FF"]);
        assert!(function_colors(0).is_empty() && function_colors(1).len() == 1);
    }

    #[test]
    fn heights_go_in_ten_steps() {
        let heights = Heights::of([100, 150, 200].into_iter());
        assert_eq!(
            [100, 110, 111, 150, 200].map(|length| heights.height(length)),
            [30.0, 30.0, 60.0, 150.0, 300.0]
        );
        assert_eq!(Heights::of([7, 7].into_iter()).height(7), 30.0);
        assert_eq!(Heights::of(std::iter::empty()).height(7), 30.0);
    }
}
