// SPDX-License-Identifier: Apache-2.0
//! A drawing of lines, circles and words that is legible on light and on dark backgrounds.

use std::fmt::Write;

/// The colours of clusters, which colour-blind people can distinguish, too (Okabe and Ito), on
/// white and on black.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7a5ccc"];

pub fn colour(cluster: usize) -> &'static str {
    COLOURS[cluster % COLOURS.len()]
}

const STYLE: &str = "text{font:12px sans-serif;fill:#222}.faint{stroke:#999;stroke-width:1;fill:none}\
.lead{stroke:#999;stroke-width:.6}.line{stroke:#444;stroke-width:1.4;fill:none}.ground{fill:#fff}\
@media(prefers-color-scheme:dark){text{fill:#ddd}.faint{stroke:#666}.lead{stroke:#777}.line{stroke:#bbb}.ground{fill:#161616}}";

/// What a word of the font takes, about.
const LETTER: f64 = 7.0;
pub const LINE: f64 = 14.0;

pub fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

pub struct Drawing {
    body: String,
    width: f64,
    height: f64,
}

impl Drawing {
    pub fn new(width: f64, height: f64) -> Self {
        Self { body: String::new(), width, height }
    }

    pub fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(self.body, "<polyline class=\"{class}\" points=\"{}\"/>", points.join(" "));
    }

    pub fn dot(&mut self, at: (f64, f64), cluster: usize) {
        let (x, y, colour) = (at.0, at.1, colour(cluster));
        let _ = writeln!(self.body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{colour}\"/>");
    }

    pub fn bar(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), colour: &str) {
        let _ = writeln!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
        );
    }

    /// `anchor`: start, middle or end.
    pub fn text(&mut self, at: (f64, f64), anchor: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let (x, y) = at;
        let _ = writeln!(self.body, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
    }

    pub fn finish(self) -> String {
        let Self { body, width, height } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\">\n<style>{STYLE}</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n\
             {body}</svg>\n"
        )
    }
}

/// A rectangle that a word takes: left, top, width, height.
type Place = (f64, f64, f64, f64);

/// Puts words beside points so that none lies on another, or on a point, where there is room; they
/// go
/// further away the more there are.
pub fn place_words(points: &[(f64, f64)], words: &[&str], (width, height): (f64, f64)) -> Vec<(f64, f64)> {
    let mut taken: Vec<Place> = points.iter().map(|(x, y)| (x - 6.0, y - 6.0, 12.0, 12.0)).collect();
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| points[a].1.total_cmp(&points[b].1));
    let mut found = vec![(0.0, 0.0); points.len()];
    for at in order {
        let room = width_of(words[at]);
        let fits = |place: &Place| {
            let inside =
                place.0 >= 2.0 && place.1 >= 2.0 && place.0 + place.2 <= width && place.1 + place.3 <= height;
            inside && !taken.iter().any(|other| overlap(place, other))
        };
        let place = around(points[at], room).find(fits).unwrap_or((
            points[at].0 + 8.0,
            points[at].1 - 7.0,
            room,
            LINE,
        ));
        found[at] = (place.0, place.1 + LINE - 3.0);
        taken.push(place);
    }
    found
}

fn overlap(one: &Place, other: &Place) -> bool {
    one.0 < other.0 + other.2
        && other.0 < one.0 + one.2
        && one.1 < other.1 + other.3
        && other.1 < one.1 + one.3
}

/// To the right, to the left, above, below; then further away.
fn around((x, y): (f64, f64), width: f64) -> impl Iterator<Item = Place> {
    (0..60).flat_map(move |ring| {
        let away = 8.0 + f64::from(ring) * 5.0;
        let turns = if ring == 0 { 4 } else { 16 };
        (0..turns).map(move |turn| {
            let angle = f64::from(turn) * std::f64::consts::TAU / f64::from(turns);
            let (dx, dy) = (angle.cos() * away, angle.sin() * away);
            let left = x + dx - width * (1.0 - angle.cos()) / 2.0;
            (left, y + dy - LINE / 2.0 + angle.sin() * LINE / 2.0, width, LINE)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_points_that_lie_together_do_not_lie_on_each_other() {
        let points: Vec<(f64, f64)> =
            (0..20).map(|at| (300.0 + f64::from(at % 3), 200.0 + f64::from(at % 2))).collect();
        let words = vec!["sparselu --size medium"; 20];
        let found = place_words(&points, &words, (800.0, 600.0));
        let places: Vec<Place> =
            found.iter().map(|(x, y)| (*x, y - LINE + 3.0, width_of(words[0]), LINE)).collect();
        for (at, place) in places.iter().enumerate() {
            assert!(places[at + 1..].iter().all(|other| !overlap(place, other)), "{place:?}");
        }
    }
}
