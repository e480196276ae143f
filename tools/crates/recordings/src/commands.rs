// SPDX-License-Identifier: Apache-2.0
//! What a reader must know of recordings that are compared, if their commands differ.

use trace::Command;

/// A whole sentence; `None`: they are alike.
pub fn unlike_commands(one: &Command, other: &Command) -> Option<String> {
    let names = (one.program_name(), other.program_name());
    if names.0 != names.1 {
        return Some(format!("These are different programs: {} and {}.", names.0, names.1));
    }
    (!one.is_like(other)).then(|| {
        format!(
            "These are runs with different arguments: {one} and {other}. More or less work may come from the arguments."
        )
    })
}
