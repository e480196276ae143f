// SPDX-License-Identifier: Apache-2.0
//! The functions that ran inside a site, by samples, as the report has them.

use serde::Serialize;
use symbols::functions::{FunctionFacts, InsideFacts};
use terminal::printable;

/// The largest number of functions of a site; nobody reads more.
const FUNCTIONS: usize = 8;

#[derive(Serialize)]
pub struct Inside {
    samples: u64,
    /// Those of the kernel of which it is not known which function entered it.
    kernel_unplaced: u64,
    functions: Vec<Function>,
    /// Functions that are left out because they have fewer samples.
    more: usize,
}

#[derive(Serialize)]
struct Function {
    /// Empty: it is not known.
    function: String,
    object: String,
    /// The line in it that had most samples.
    file: String,
    line: u32,
    samples: u64,
    /// Those in which the function had entered the kernel.
    kernel: u64,
}

impl Inside {
    pub fn of(facts: &InsideFacts) -> Self {
        Self {
            samples: facts.samples,
            kernel_unplaced: facts.kernel_unplaced,
            functions: facts.functions.iter().take(FUNCTIONS).map(function).collect(),
            more: facts.functions.len().saturating_sub(FUNCTIONS),
        }
    }
}

fn function(facts: &FunctionFacts) -> Function {
    Function {
        function: printable(&facts.function),
        object: printable(&facts.object),
        file: printable(&facts.file),
        line: facts.line,
        samples: facts.samples,
        kernel: facts.kernel,
    }
}
