// SPDX-License-Identifier: Apache-2.0
//! The colours and labels of the drawn graphs: those of the grains thesis's tool.

pub const FORK: &str = "#2E8B57";
pub const JOIN: &str = "#FF7F50";
pub const ENDS: &str = "#DEB887";
pub const BOOKKEEPING: &str = "#40E0D0";
pub const PLAIN: &str = "#000000";
pub const CRITICAL: &str = "#FF0000";
/// The colours of dependences and of locks, which the thesis's graphs do not have.
pub const DEPENDENCE: &str = "#4682B4";
pub const LOCK: &str = "#8B008B";
/// Behind a colour: one fifth of it, as in the thesis's tool.
pub const DIMMED: &str = "33";

pub fn edge_color(kind: &str) -> &'static str {
    match kind {
        "creation" => FORK,
        "join" => JOIN,
        "continuation" => PLAIN,
        "dependence" => DEPENDENCE,
        _ => LOCK,
    }
}

/// The colour of a node that is no grain.
pub fn node_color(kind: &str) -> &'static str {
    match kind {
        "start" | "end" => ENDS,
        "fork" => FORK,
        "join" => JOIN,
        "bookkeeping" => BOOKKEEPING,
        _ => LOCK,
    }
}

/// The label of a node that is no grain.
pub fn node_label(kind: &str) -> &'static str {
    match kind {
        "start" => "S",
        "end" => "E",
        "fork" => "^",
        "join" => "*",
        _ => "",
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
}
