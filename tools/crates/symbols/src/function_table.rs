// SPDX-License-Identifier: Apache-2.0
//! The functions that the symbol tables of an object name, by address.
//!
//! A symbol names only the addresses within its size: in a stripped program, the nearest symbol
//! before an address usually belongs to another function. A symbol without a size (of assembler
//! code) extends to the next symbol or the end of its section, but at most over one page.

use std::cmp::Reverse;
use std::collections::HashMap;

use object::{elf, Object, ObjectSection, ObjectSymbol, SectionFlags, SectionIndex, SymbolKind, SymbolScope};

/// The number of bytes that a symbol without a size may name at most.
const MOST_WITHOUT_SIZE: u64 = 4096;
/// Functions are rarely nested, and never deeply. So only this number of functions before the
/// nearest function is examined.
const MOST_NESTED: usize = 64;

pub struct FunctionTable<'a>(Vec<Function<'a>>);

struct Function<'a> {
    start: u64,
    end: u64,
    has_size: bool,
    /// Of several symbols with the same start, the lowest is kept.
    rank: u8,
    name: &'a str,
}

impl<'a> FunctionTable<'a> {
    /// Reads all symbol tables of these files, which are parts of one object (a program and its
    /// debug file).
    pub fn of<'o>(objects: impl Iterator<Item = &'o object::File<'a>>) -> Self
    where
        'a: 'o,
    {
        let mut functions = Vec::new();
        for object in objects {
            let code = code_sections(object);
            let symbols = object.symbols().chain(object.dynamic_symbols());
            functions.extend(symbols.filter_map(|symbol| function(&symbol, &code)));
        }
        functions.sort_by_key(|function| (function.start, Reverse(function.has_size), function.rank));
        functions.dedup_by_key(|function| function.start);
        for at in 1..functions.len() {
            let next = functions[at].start;
            let function = &mut functions[at - 1];
            if !function.has_size {
                function.end = function.end.min(next);
            }
        }
        Self(functions)
    }

    /// The name of the function that contains `address`.
    pub fn name(&self, address: u64) -> Option<&'a str> {
        let after = self.0.partition_point(|function| function.start <= address);
        let before = self.0[..after].iter().rev().take(MOST_NESTED);
        let mut around = before.filter(|function| address < function.end);
        let nearest = around.next()?;
        // A label may lie within a function.
        let sized = std::iter::once(nearest).chain(around).find(|function| function.has_size);
        Some(sized.unwrap_or(nearest).name)
    }
}

/// The begin and the end of the sections with code. In a debug file these sections have addresses,
/// but no bytes.
fn code_sections(object: &object::File) -> HashMap<SectionIndex, (u64, u64)> {
    let is_code = |flags| match flags {
        SectionFlags::Elf { sh_flags } => sh_flags & u64::from(elf::SHF_EXECINSTR) != 0,
        _ => false,
    };
    let code = object.sections().filter(|section| is_code(section.flags()));
    code.map(|section| {
        let start = section.address();
        (section.index(), (start, start.saturating_add(section.size())))
    })
    .collect()
}

fn function<'a>(
    symbol: &object::Symbol<'a, '_>,
    code: &HashMap<SectionIndex, (u64, u64)>,
) -> Option<Function<'a>> {
    let kind_rank = match symbol.kind() {
        SymbolKind::Text => 0,
        SymbolKind::Unknown => 1,
        _ => return None,
    };
    let scope_rank = match symbol.scope() {
        SymbolScope::Dynamic => 0,
        SymbolScope::Linkage => 1,
        SymbolScope::Compilation | SymbolScope::Unknown => 2,
    };
    let &(begin, end_of_section) = code.get(&symbol.section_index()?)?;
    let name = symbol.name().ok().filter(|name| is_of_people(name))?;
    let (start, size) = (symbol.address(), symbol.size());
    let length = if size > 0 { size } else { MOST_WITHOUT_SIZE };
    let end = start.saturating_add(length).min(end_of_section);
    let rank = 4 * kind_rank + scope_rank;
    (begin <= start && start < end).then_some(Function { start, end, has_size: size > 0, rank, name })
}

/// Whether the name is not an internal label of the assembler.
fn is_of_people(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('$') && !name.starts_with(".L")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(functions: &[(u64, u64, bool, &'static str)]) -> FunctionTable<'static> {
        let function = |&(start, end, has_size, name)| Function { start, end, has_size, rank: 0, name };
        FunctionTable(functions.iter().map(function).collect())
    }

    #[test]
    fn a_symbol_names_what_lies_within_it() {
        let table = table(&[(100, 120, true, "a"), (120, 200, true, "b"), (4000, 4100, false, "label")]);
        let names = [99, 100, 119, 120, 199, 200, 3999, 4099, 4100].map(|address| table.name(address));
        let none = None;
        let expected = [none, Some("a"), Some("a"), Some("b"), Some("b"), none, none, Some("label"), none];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_label_within_a_function_does_not_hide_it() {
        let table =
            table(&[(100, 200, true, "function"), (150, 200, false, "label"), (160, 170, true, "part")]);
        let names = [149, 155, 165, 175].map(|address| table.name(address).unwrap());
        assert_eq!(names, ["function", "function", "part", "function"]);
    }
}
