// SPDX-License-Identifier: Apache-2.0
//! The shapes, sizes and lines of nodes and edges, as the grains thesis's tool has them.
//!
//! yEd reads them from special elements. For other programs, the same values are also attributes.

use std::borrow::Cow;
use std::io::{Result, Write};

use quick_xml::escape::escape;

use crate::colors::{CRITICAL, PLAIN};

/// The keys of what yEd draws.
pub const NODE_GRAPHICS: &str = "g";
pub const EDGE_GRAPHICS: &str = "u";

pub const GRAIN_WIDTH: f64 = 30.0;
const STEPS: f64 = 10.0;

pub struct Look<'a> {
    pub shape: &'static str,
    pub width: f64,
    pub height: f64,
    pub color: Cow<'a, str>,
    pub label: String,
    pub critical: bool,
}

impl Look<'_> {
    pub fn border(&self) -> &'static str {
        if self.critical {
            CRITICAL
        } else {
            PLAIN
        }
    }

    /// Leaves out what yEd draws without being told: a black border, and a rectangle.
    pub fn draw(&self, out: &mut dyn Write) -> Result<()> {
        let (height, width, color) = (self.height, self.width, &self.color);
        write!(out, "<data key=\"{NODE_GRAPHICS}\"><y:ShapeNode>")?;
        write!(out, "<y:Geometry height=\"{height}\" width=\"{width}\"/><y:Fill color=\"{color}\"/>")?;
        if self.critical {
            write!(out, "<y:BorderStyle color=\"{CRITICAL}\" width=\"3\"/>")?;
        }
        if !self.label.is_empty() {
            write!(out, "<y:NodeLabel>{}</y:NodeLabel>", escape(&self.label))?;
        }
        if self.shape == "circle" {
            write!(out, "<y:Shape type=\"ellipse\"/>")?;
        }
        write!(out, "</y:ShapeNode></data>")
    }
}

pub fn draw_edge(out: &mut dyn Write, color: &str, critical: bool) -> Result<()> {
    write!(out, "<data key=\"{EDGE_GRAPHICS}\"><y:PolyLineEdge>")?;
    if critical {
        write!(out, "<y:LineStyle color=\"{CRITICAL}\" width=\"3\"/>")?;
    } else if color != PLAIN {
        write!(out, "<y:LineStyle color=\"{color}\"/>")?;
    }
    write!(out, "<y:Arrows target=\"standard\"/></y:PolyLineEdge></data>")
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

#[cfg(test)]
mod tests {
    use super::*;

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
