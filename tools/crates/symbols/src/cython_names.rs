// SPDX-License-Identifier: Apache-2.0
//! The names that Cython gives the functions of extension modules, such as those of scikit-learn.
//!
//! `__pyx_pw_3pkg_3mod_5Class_3work` is the wrapper of `pkg.mod.Class.work`: each scope has its
//! length in front of it, and the function a number that has no meaning for the user (`3`).
//! Functions of C (`__pyx_f_`) have no such number. A function for one of several types has another
//! prefix in front of this one (`__pyx_fuse_0__pyx_pw_`).

/// Names are shown with this number of scopes, the innermost ones: the outer ones are the packages,
/// and long.
const SCOPES: usize = 2;

/// The name as it is in the source, without the outer scopes. `None`: it is not Cython's.
pub fn of_cython(name: &str) -> Option<String> {
    let rest = match name.strip_prefix("__pyx_fuse_") {
        Some(fused) => &fused[fused.find("__pyx_")?..],
        None => name,
    };
    let (has_number, mut rest) = kind(rest)?;
    let mut scopes = Vec::new();
    while let Some((scope, after)) = scope(rest) {
        // The length of the next scope or the function's number has to follow: `_5first_part` is
        // function number 5 and not the scope `first`.
        if has_number && !after.starts_with(|letter: char| letter.is_ascii_digit()) {
            break;
        }
        scopes.push(scope);
        rest = after;
    }
    let function =
        if has_number { rest.trim_start_matches(|letter: char| letter.is_ascii_digit()) } else { rest };
    if function.is_empty() || scopes.is_empty() {
        return None;
    }
    let shown = &scopes[scopes.len().saturating_sub(SCOPES)..];
    Some(format!("{}.{function}", shown.join(".")))
}

/// Whether functions of this prefix have a number, and what follows the prefix.
fn kind(name: &str) -> Option<(bool, &str)> {
    let numbered = ["__pyx_pw_", "__pyx_pf_"].iter().find_map(|prefix| name.strip_prefix(prefix));
    numbered.map(|rest| (true, rest)).or_else(|| Some((false, name.strip_prefix("__pyx_f_")?)))
}

/// `3mod_rest` is (`mod`, `rest`).
fn scope(text: &str) -> Option<(&str, &str)> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit())?;
    let length: usize = text[..digits].parse().ok()?;
    let scope = text[digits..].get(..length).filter(|scope| !scope.is_empty())?;
    Some((scope, text[digits + length..].strip_prefix('_')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_in_the_source() {
        let name = |name| of_cython(name).unwrap();
        assert_eq!(
            name("__pyx_pw_7sklearn_8ensemble_23_hist_gradient_boosting_9histogram_16HistogramBuilder_3compute_histograms_brute"),
            "histogram.HistogramBuilder.compute_histograms_brute"
        );
        assert_eq!(
            name("__pyx_fuse_0__pyx_pw_7sklearn_7cluster_14_k_means_lloyd_5lloyd_iter_chunked_dense"),
            "cluster._k_means_lloyd.lloyd_iter_chunked_dense"
        );
        assert_eq!(name("__pyx_f_3mod__helper"), "mod._helper");
        assert_eq!(name("__pyx_pf_3mod_10_2d"), "mod._2d");
    }

    #[test]
    fn other_names_are_left_alone() {
        for name in [
            "main",
            "__pyx_f_",
            "__pyx_pw_",
            "__pyx_pw_3mod_",
            "__pyx_f_work",
            "__pyx_fuse_0",
            "__pyx_pw_99mod_1f",
        ] {
            assert_eq!(of_cython(name), None, "{name}");
        }
        assert_eq!(of_cython("__pyx_pw_2é_1f").as_deref(), Some("é.f"));
        assert_eq!(of_cython("__pyx_pw_1é_1f"), None, "half a letter");
        assert_eq!(of_cython("__pyx_pw_99999999999999999999999_1f"), None);
    }
}
