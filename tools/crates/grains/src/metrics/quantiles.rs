// SPDX-License-Identifier: Apache-2.0
//! Medians and other quantiles.

/// The median, as R and the thesis take it: of an even number the mean of the middle two.
pub fn median(values: &mut [f64]) -> f64 {
    quantile_of_sorted(values, 0.5)
}

/// Sorts the values; linear between the two that are next to it (R's type 7). NaN of none.
pub fn quantile_of_sorted(values: &mut [f64], share: f64) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    values.sort_unstable_by(f64::total_cmp);
    let at = share.clamp(0.0, 1.0) * (values.len() - 1) as f64;
    let (below, above) = (values[at.floor() as usize], values[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_their_neighbours() {
        assert_eq!(median(&mut [9.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(quantile_of_sorted(&mut [0.0, 10.0], 0.9), 9.0);
        assert!(median(&mut []).is_nan());
    }
}
