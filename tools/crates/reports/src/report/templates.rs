// SPDX-License-Identifier: Apache-2.0
//! Names of instances of C++ templates in sentences. Their arguments may have hundreds of
//! characters, which nobody reads. The JSON form has the whole names.

/// Arguments of more characters than this are left out.
const LONGEST: usize = 40;

/// `ParallelFor<unsigned long, ...>` becomes `ParallelFor<…>`.
pub fn without_long_arguments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        rest = from;
        let end = match end_of_arguments(from) {
            _ if is_operator(&out) => 1,
            Some(end) => end,
            None => break,
        };
        let is_long = from[..end].chars().count() > LONGEST;
        // The arguments of short arguments are short.
        out.push_str(if is_long { "<…>" } else { &from[..end] });
        rest = &from[end..];
    }
    out + rest
}

/// Behind this, < is a part of an operator's name.
fn is_operator(before: &str) -> bool {
    before.trim_end_matches('<').ends_with("operator")
}

/// Behind the > that belongs to the < at the beginning.
fn end_of_arguments(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
        before = letter;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_arguments_are_left_out() {
        let long = "x".repeat(LONGEST);
        let short = |text: &str| without_long_arguments(text);
        assert_eq!(
            short(&format!("before the first region, the one at f<A<int>, {long}>::g<int> at a.so+0x1")),
            "before the first region, the one at f<…>::g<int> at a.so+0x1"
        );
        assert_eq!(short(&format!("f<{long}> and g<{long}, ns::h<int>(int)->{long}>")), "f<…> and g<…>");
        assert_eq!(short("Vector<double, int, int>"), "Vector<double, int, int>");
    }

    #[test]
    fn what_is_no_argument_stays() {
        for text in ["operator<", "a::operator<<", "f<", "x -> y", "<>", "é<ü>"] {
            assert_eq!(without_long_arguments(text), text);
        }
        let open = format!("f<{}", "x".repeat(2 * LONGEST));
        assert_eq!(without_long_arguments(&open), open);
    }
}
