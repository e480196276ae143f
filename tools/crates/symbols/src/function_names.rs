// SPDX-License-Identifier: Apache-2.0
//! Names of functions as their authors wrote them.

use std::fmt;

use crate::cython_names::of_cython;

/// Judged by their names, if both are known.
pub fn are_two_functions(one: &str, other: &str) -> bool {
    let name = |function: &'_ str| match function.split_once(" at ") {
        Some((name, _)) => Some(name.to_owned()),
        None => (!function.contains("+0x") && !function.starts_with("0x")).then(|| function.to_owned()),
    };
    // Debug information gives functions that are local to a file no namespace.
    let is_end_of = |one: &str, other: &str| {
        other.strip_suffix(one).is_some_and(|before| before.is_empty() || before.ends_with("::"))
    };
    name(one)
        .zip(name(other))
        .is_some_and(|(one, other)| !is_end_of(&one, &other) && !is_end_of(&other, &one))
}

/// The name that the user wrote.
pub fn readable(name: &str) -> String {
    let base = base_name(name);
    if let Some(name) = of_fortran(base).or_else(|| of_cython(base)) {
        return cut(&name);
    }
    match demangled(base).or_else(|| without_arguments(base)) {
        Some(name) => cut(&name),
        None => cut(base),
    }
}

/// The names that GNU Fortran and Flang give the main program and procedures of modules.
fn of_fortran(name: &str) -> Option<String> {
    if matches!(name, "MAIN__" | "_QQmain") {
        return Some("main program".to_owned());
    }
    if let Some(parts) = name.strip_prefix("_Q") {
        return of_flang(parts);
    }
    let (module, procedure) = name.strip_prefix("__")?.split_once("_MOD_")?;
    Some(format!("{procedure} (module {module})"))
}

/// Flang writes names in lower case, and an upper-case letter before each: M a module, S a
/// submodule, F a procedure that contains the next one (the main program has no name), P a
/// procedure.
fn of_flang(parts: &str) -> Option<String> {
    let mut module = None;
    let mut rest = parts;
    loop {
        let kind = rest.chars().next().filter(char::is_ascii_uppercase)?;
        let behind = &rest[1..];
        let end = behind.find(|letter: char| letter.is_ascii_uppercase()).unwrap_or(behind.len());
        let name = &behind[..end];
        match kind {
            'P' if end == behind.len() && !name.is_empty() => {
                let within = module.map_or_else(String::new, |module| format!(" (module {module})"));
                return Some(format!("{name}{within}"));
            }
            'M' => module = Some(name),
            'F' | 'S' => {}
            _ => return None,
        }
        rest = &behind[end..];
    }
}

/// The name without what compilers add to the functions that they make from constructs
/// (`work._omp_fn.0` of GCC, `work.omp_outlined` of Clang, `work..omp_par` of Flang), and to copies
/// and parts of functions (`work.constprop.0`, `work.part.0.cold`).
fn base_name(name: &str) -> &str {
    const MADE: [&str; 8] =
        ["._omp_", ".omp_outlined", "..omp_par", ".constprop.", ".isra.", ".part.", ".lto_priv.", ".cold"];
    let name = of_target_region(name).unwrap_or(name);
    let cuts = MADE.iter().filter_map(|made| name.find(made)).filter(|&at| at > 0);
    cuts.min().map_or(name, |at| &name[..at])
}

/// Clang's code of a target region is `__omp_offloading_DEVICE_FILE_work_l17`, with two numbers of
/// the file and the line.
fn of_target_region(name: &str) -> Option<&str> {
    let numbered = name.strip_prefix("__omp_offloading_")?;
    let (_, of_device) = numbered.split_once('_')?;
    let (_, work_and_line) = of_device.split_once('_')?;
    let (work, line) = work_and_line.rsplit_once("_l")?;
    line.starts_with(|digit: char| digit.is_ascii_digit()).then_some(work)
}

/// Longer names are useless, and a hostile object can have names of any length.
const MAX_NAME_BYTES: usize = 4096;

pub fn cut(name: &str) -> String {
    let end = (0..=MAX_NAME_BYTES.min(name.len())).rev().find(|&at| name.is_char_boundary(at));
    name[..end.unwrap_or(0)].to_owned()
}

/// A C++ name as it is written in the source, without result and parameters, which would not make a
/// report clearer. `None`: this is no C++ name, or the result would be too long. (A few bytes of a
/// mangled name can stand for gigabytes.)
fn demangled(name: &str) -> Option<String> {
    // The demangler also accepts names of types: C's `f` would become `float`.
    let name = name.starts_with("_Z").then_some(name)?;
    let parse = cpp_demangle::ParseOptions::default().recursion_limit(DEEPEST);
    let symbol = cpp_demangle::Symbol::new_with_options(name, &parse).ok()?;
    let mut bounded = Bounded(String::new());
    let print = cpp_demangle::DemangleOptions::new().no_params().no_return_type().recursion_limit(DEEPEST);
    symbol.structured_demangle(&mut bounded, &print).ok()?;
    Some(with_literal_operator(&bounded.0))
}

/// How often the demangler may call itself; it does so some times for each level of nested template
/// arguments. With this number, it needs less than a megabyte of the stack, and thirty levels fit.
const DEEPEST: u32 = 200;

/// The demangler writes the operator `""_km` as `operator_km::operator ""`.
fn with_literal_operator(name: &str) -> String {
    const WRITTEN: &str = "::operator \"\"";
    let Some((before, after)) = name.split_once(WRITTEN) else { return name.to_owned() };
    match before.rsplit_once("operator") {
        Some((scope, suffix)) if !suffix.contains(':') => format!("{scope}operator\"\" {suffix}{after}"),
        _ => name.to_owned(),
    }
}

/// The name of a template whose arguments are nested too deeply, or are too long when they are
/// written out: `ns::sort<…>`. `None` if the name does not begin with plain names.
fn without_arguments(name: &str) -> Option<String> {
    let mut rest = name.strip_prefix("_Z")?;
    rest = rest.strip_prefix('N').map_or(rest, |nested| nested.trim_start_matches(['r', 'V', 'K']));
    let mut names = Vec::new();
    if let Some(behind) = rest.strip_prefix("St") {
        names.push("std");
        rest = behind;
    }
    while rest.starts_with(|digit: char| digit.is_ascii_digit()) {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit())?;
        let length: usize = rest[..digits].parse().ok()?;
        let end = digits.checked_add(length)?;
        names.push(rest.get(digits..end)?);
        rest = &rest[end..];
    }
    let is_template = rest.starts_with('I') && names.last().is_some_and(|&last| last != "std");
    is_template.then(|| format!("{}<…>", names.join("::")))
}

struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > 4 * MAX_NAME_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_made_names_are_cut_to_what_the_user_wrote() {
        assert_eq!(base_name("_Z4sortPii._omp_fn.1"), "_Z4sortPii");
        assert_eq!(base_name("main"), "main");
        assert_eq!(readable("_Z4sortPii._omp_fn.1"), "sort");
        assert_eq!(readable("_Z4sortPii.part.0.constprop.2._omp_fn.1"), "sort");
        assert_eq!(readable("work.isra.0.cold"), "work");
        assert_eq!(readable("MAIN__._omp_fn.0"), "main program");
        assert_eq!(readable("__fields_MOD_advance._omp_fn.2"), "advance (module fields)");
        assert_eq!(readable("__libc_start_main"), "__libc_start_main");
    }

    #[test]
    fn names_of_llvms_compilers_are_cut_too() {
        assert_eq!(readable("_Z1fIdEvT_.omp_outlined_debug__.5"), "f<double>");
        assert_eq!(readable("_ZN1S3runEv.omp_outlined"), "S::run");
        assert_eq!(readable("__omp_offloading_fe00_984242_main_l17"), "main");
        let inner = "__omp_offloading_fe00_984242__ZN1S3runEv_l17_debug__.omp_outlined_debug__.omp_outlined";
        assert_eq!(readable(inner), "S::run");
        assert_eq!(readable("_QQmain..omp_par"), "main program");
        assert_eq!(readable("_QFPsub..omp_par.1"), "sub");
        assert_eq!(readable("_QMfieldsPadvance"), "advance (module fields)");
        assert_eq!(readable("_QMfieldsFadvancePinner..omp_par"), "inner (module fields)");
        assert_eq!(readable("_Quick"), "_Quick");
        assert_eq!(readable("__omp_offloading_"), "__omp_offloading_");
    }

    #[test]
    fn two_functions_are_told_by_names_that_are_known() {
        assert!(are_two_functions("first", "wrapper at prog+0x12"));
        assert!(!are_two_functions("wrapper at prog+0x40", "wrapper at prog+0x12"));
        assert!(!are_two_functions("prog+0x40", "prog+0x12"));
        assert!(!are_two_functions("wrapper", "(anonymous namespace)::wrapper"));
        assert!(are_two_functions("per", "wrapper"));
    }

    #[test]
    fn names_of_c_functions_are_left_alone() {
        for name in ["f", "d", "i", "v", "Pi", "PKc", "St", "sort"] {
            assert_eq!(readable(name), name);
        }
    }

    #[test]
    fn parameters_go_and_nothing_else() {
        assert_eq!(readable("_ZN2ns4sortEPii"), "ns::sort");
        assert_eq!(readable("_ZN12_GLOBAL__N_14workEi"), "(anonymous namespace)::work");
        assert_eq!(readable("_ZN12_GLOBAL__N_13MatlsEi"), "(anonymous namespace)::Mat::operator<<");
        assert_eq!(readable("_ZN2ns1SclEi"), "ns::S::operator()");
        assert_eq!(readable("_ZZ4mainENKUlvE_clEv"), "main::{lambda()#1}::operator() const");
        assert_eq!(
            readable("_ZZN12_GLOBAL__N_11S3runEvENKUlT_E_clIiEEDaS1_._omp_fn.0"),
            "(anonymous namespace)::S::run()::{lambda(auto:1)#1}::operator()<int> const"
        );
        assert_eq!(
            readable("_ZN12_GLOBAL__N_13BoxIiEpLERKS1_"),
            "(anonymous namespace)::Box<int>::operator+="
        );
        assert_eq!(readable("_ZZ4mainENKUlvE0_clEv"), "main::{lambda()#2}::operator() const");
        assert_eq!(readable("_Z5applyIXadL_Z2sqiEEEii"), "apply<&sq(int)>");
    }

    #[test]
    fn operators_of_literals_are_written_as_in_the_source() {
        assert_eq!(readable("_Zli3_kmy"), "operator\"\" _km");
        assert_eq!(readable("_ZN1uli4_degEe"), "u::operator\"\" _deg");
        assert_eq!(readable("_ZN1uli4_binIJLc49ELc48EEEEiv"), "u::operator\"\" _bin<(char)49, (char)48>");
    }

    #[test]
    fn arguments_of_templates_may_be_deep() {
        let deep = |levels: usize| {
            format!("_Z4workI1WI{}iE{}EvPT_", "S0_I".repeat(levels - 1), "E".repeat(levels - 1))
        };
        assert_eq!(readable(&deep(2)), "work<W<W<int> > >");
        assert_eq!(readable(&deep(30)), format!("work<{}int{}>", "W<".repeat(30), "> ".repeat(30)));
        assert_eq!(readable(&deep(60)), "work<…>");
        assert_eq!(readable(&deep(5000)), "work<…>");
        assert_eq!(without_arguments(&deep(5000).replace("_Z4work", "_ZN2ns4work")).unwrap(), "ns::work<…>");
        for name in
            ["_Z4work", "_Z4workv", "_Z9workI", "_ZStI", "work", "_Z99999999999999999999999I", "_Z1éI"]
        {
            assert_eq!(without_arguments(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_cannot_grow_without_end() {
        // f<A<int, int>, B<S1_, S1_>, B<S3_, S3_>, ...>: each argument names the one before it
        // twice.
        let digit = |number| char::from_digit(number, 36).unwrap().to_ascii_uppercase();
        let arguments = (0..17).map(|level| format!("1BIS{0}_S{0}_E", digit(2 * level + 1)));
        let name = format!("_Z1fI1AIiiE{}Evv", arguments.collect::<String>());
        assert_eq!(
            demangled("_Z1fI1AIiiE1BIS1_S1_EEvv").unwrap(),
            "f<A<int, int>, B<A<int, int>, A<int, int> > >"
        );
        assert_eq!(demangled(&name), None);
        assert_eq!(readable(&name), "f<…>");
        assert_eq!(cut(&"é".repeat(MAX_NAME_BYTES)).len(), MAX_NAME_BYTES);
    }
}
