// SPDX-License-Identifier: Apache-2.0
//! The names of global variables, by their address in the program's memory.

use std::fs;

use grains::Profile;
use object::{Object, ObjectSymbol, SymbolKind};

use crate::builds::{Builds, State};
use crate::store::Store;
use crate::symbol::{object_path, Program};

/// Longer names are cut.
const MAX_NAME: usize = 200;

/// `name`, or `name + 0x10`: the variable that contains this address, by the symbol table of its
/// object.
pub fn name(profile: &Profile, address: u64) -> Option<String> {
    let program = Program::of(profile);
    let builds = Builds::of(program);
    let mut modules = profile.places.modules.iter().zip(&profile.places.biases);
    modules.find_map(|(module, &bias)| {
        let path = object_path(program, &module.path);
        let file = fs::metadata(&path).ok()?;
        if builds.state(&file, &path, module) != State::AsRecorded {
            return None;
        }
        let store = Store::default();
        let object = store.object(&path)?;
        around(&object, address.checked_sub(bias)?)
    })
}

fn around(object: &object::File, address: u64) -> Option<String> {
    let symbols = object.symbols().chain(object.dynamic_symbols());
    let is_around = |symbol: &object::Symbol| {
        symbol.kind() == SymbolKind::Data
            && symbol.address() <= address
            && address - symbol.address() < symbol.size()
    };
    let symbol = symbols.filter(is_around).min_by_key(ObjectSymbol::size)?;
    let name = plain(symbol.name().ok().filter(|name| !name.is_empty())?);
    Some(match address - symbol.address() {
        0 => name,
        offset => format!("{name} + {offset:#x}"),
    })
}

/// The name without the number that GCC gives static variables of functions.
fn plain(name: &str) -> String {
    let numbered =
        name.rsplit_once('.').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    numbered.map_or(name, |(name, _)| name).chars().take(MAX_NAME).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_of_static_variables_go() {
        assert_eq!(["all.3", "all", "u.x", ".9"].map(super::plain), ["all", "all", "u.x", ""]);
    }

    #[test]
    fn a_variable_is_named_with_where_in_it() {
        static TABLE: [u64; 4] = [1, 2, 3, 4];
        let this = std::fs::read("/proc/self/exe").unwrap();
        let object = object::File::parse(&*this).unwrap();
        let base = std::fs::read_to_string("/proc/self/maps").unwrap();
        let base = u64::from_str_radix(base.split('-').next().unwrap(), 16).unwrap();
        let address = std::ptr::from_ref(std::hint::black_box(&TABLE[1])) as u64 - base;
        let name = super::around(&object, address).unwrap();
        assert!(name.contains("TABLE") && name.ends_with(" + 0x8"), "{name}");
    }
}
