// SPDX-License-Identifier: Apache-2.0
//! The study as drawings: the planes of scores, the loadings, and the tree of clusters.

use grains::characterise::Study;

use super::programs::Programs;
use super::svg::{colour, place_words, width_of, Drawing, LINE};

pub fn all(programs: &Programs, study: &Study) -> Vec<(String, String)> {
    let retained = study.components.retained;
    let mut files =
        vec![("loadings.svg".to_owned(), loadings(study)), ("tree.svg".to_owned(), tree(programs, study))];
    for first in (0..retained).step_by(2) {
        // A last one without a partner lies beside the first.
        let (x, y) = if first + 1 < retained { (first, first + 1) } else { (first.saturating_sub(1), first) };
        if x != y {
            files.push((format!("plane-{}-{}.svg", x + 1, y + 1), plane(programs, study, x, y)));
        }
    }
    files
}

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 640.0;
const EDGE: f64 = 60.0;

/// From values to places between two.
fn scale(values: &[f64], from: f64, to: f64) -> impl Fn(f64) -> f64 {
    let low = values.iter().copied().fold(0.0, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    let span = if high > low { high - low } else { 1.0 };
    move |value| from + (value - low) / span * (to - from)
}

fn plane(programs: &Programs, study: &Study, x: usize, y: usize) -> String {
    let column = |at: usize| study.components.scores.column(at).iter().copied().collect::<Vec<f64>>();
    let (xs, ys) = (column(x), column(y));
    let (to_x, to_y) = (scale(&xs, 2.0 * EDGE, WIDTH - 2.0 * EDGE), scale(&ys, HEIGHT - EDGE, EDGE));
    let mut drawing = Drawing::new(WIDTH, HEIGHT);
    drawing.line("faint", &[(EDGE, to_y(0.0)), (WIDTH - EDGE, to_y(0.0))]);
    drawing.line("faint", &[(to_x(0.0), EDGE / 2.0), (to_x(0.0), HEIGHT - EDGE / 2.0)]);
    let axis = |at: usize| format!("PC{} ({:.1} %)", at + 1, study.components.variance[at] * 100.0);
    drawing.text((WIDTH - 6.0, HEIGHT - 8.0), "end", &format!("to the right: {}", axis(x)));
    drawing.text((6.0, 16.0), "start", &format!("upwards: {}", axis(y)));
    let points: Vec<(f64, f64)> = xs.iter().zip(&ys).map(|(&x, &y)| (to_x(x), to_y(y))).collect();
    let words: Vec<&str> = programs.table.programs.iter().map(String::as_str).collect();
    let places = place_words(&points, &words, (WIDTH, HEIGHT));
    for (at, point) in points.iter().enumerate() {
        let (left, right) = (places[at].0, places[at].0 + width_of(words[at]));
        let near = (point.0.clamp(left, right), places[at].1 - LINE / 3.0);
        let (across, up) = (near.0 - point.0, near.1 - point.1);
        if across * across + up * up > 14.0 * 14.0 {
            drawing.line("lead", &[*point, near]);
        }
    }
    for (at, point) in points.iter().enumerate() {
        drawing.dot(*point, study.clusters.of[at]);
        drawing.text(places[at], "start", words[at]);
    }
    drawing.finish()
}

fn loadings(study: &Study) -> String {
    let (components, kept) = (&study.components, &study.scale.kept);
    let (column, row) = (150.0, 22.0);
    let left = 130.0;
    let width = left + column * components.retained as f64 + 20.0;
    let mut drawing = Drawing::new(width, 50.0 + row * kept.len() as f64);
    for component in 0..components.retained {
        let middle = left + column * (component as f64 + 0.5);
        let head = format!("PC{} ({:.1} %)", component + 1, components.variance[component] * 100.0);
        drawing.text((middle, 20.0), "middle", &head);
        drawing.line("faint", &[(middle, 28.0), (middle, 36.0 + row * kept.len() as f64)]);
        for at in 0..kept.len() {
            let value = components.loadings[(at, component)];
            let long = value.abs() * column * 0.42;
            let begin = if value < 0.0 { middle - long } else { middle };
            let top = 34.0 + row * at as f64;
            drawing.bar((begin, top), (long, row - 8.0), colour(usize::from(value < 0.0)));
        }
    }
    for (at, property) in kept.iter().enumerate() {
        drawing.text((left - 8.0, 45.0 + row * at as f64), "end", property.name());
    }
    drawing.finish()
}

/// From left to right by height, a program on each line.
fn tree(programs: &Programs, study: &Study) -> String {
    let (clusters, names) = (&study.clusters, &programs.table.programs);
    let row = 20.0;
    let words = names.iter().map(|name| width_of(name)).fold(0.0, f64::max) + 30.0;
    let deep = 520.0;
    let bottom = 24.0 + row * names.len() as f64;
    let mut drawing = Drawing::new(words + deep + 40.0, bottom + 34.0);
    let highest = clusters.merges.last().map_or(1.0, |merge| merge.height).max(1e-9);
    let to_x = |height: f64| words + height / highest * deep;
    let mut nodes: Vec<(f64, f64)> = vec![(0.0, 0.0); names.len()];
    for (line, program) in clusters.order().into_iter().enumerate() {
        let y = 20.0 + row * line as f64;
        nodes[program] = (to_x(0.0), y);
        drawing.text((words - 12.0, y + 4.0), "end", &names[program]);
        drawing.dot((words - 4.0, y), clusters.of[program]);
    }
    for merge in &clusters.merges {
        let (one, other, x) = (nodes[merge.left], nodes[merge.right], to_x(merge.height));
        drawing.line("line", &[one, (x, one.1), (x, other.1), other]);
        nodes.push((x, f64::midpoint(one.1, other.1)));
    }
    let done = names.len() - clusters.groups;
    if clusters.groups > 1 && done > 0 {
        let cut = to_x(f64::midpoint(clusters.merges[done].height, clusters.merges[done - 1].height));
        drawing.line("faint", &[(cut, 8.0), (cut, bottom)]);
        drawing.text((cut, bottom + 12.0), "middle", &format!("{} clusters", clusters.groups));
    }
    drawing.text((to_x(highest), bottom + 28.0), "end", &format!("height of a merge: 0 to {highest:.2}"));
    drawing.finish()
}
