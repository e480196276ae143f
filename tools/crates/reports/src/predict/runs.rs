// SPDX-License-Identifier: Apache-2.0
//! Runs a model once for each number of threads with each change. As many runs are in progress at a
//! time as there are processors, so there must be memory for that number of runs.

use std::iter;

use grains::predict::Changes;
use rayon::prelude::*;

use super::options::WhatIf;

pub struct Asked<'a>(Vec<(u32, &'a Changes)>);

impl<'a> Asked<'a> {
    /// The program as it is on `first` and on `threads`; with each change on `threads`.
    pub fn of(first: &[u32], threads: &[u32], plain: &'a Changes, what_ifs: &'a [WhatIf]) -> Self {
        let mut asked: Vec<_> = first.iter().map(|&threads| (threads, plain)).collect();
        for changes in iter::once(plain).chain(what_ifs.iter().map(|what_if| &what_if.changes)) {
            asked.extend(threads.iter().map(|&threads| (threads, changes)));
        }
        let mut each = Vec::with_capacity(asked.len());
        for run in asked {
            if !each.contains(&run) {
                each.push(run);
            }
        }
        Self(each)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// If several runs fail, the error of the first in the order of `of` is returned.
    pub fn run<T: Send, E: Send>(
        self,
        run: impl Fn(u32, &Changes) -> Result<T, E> + Sync,
    ) -> Result<Done<'a, T>, E> {
        let done: Vec<_> =
            self.0.par_iter().with_max_len(1).map(|&(threads, changes)| run(threads, changes)).collect();
        Ok(Done { asked: self.0, done: done.into_iter().collect::<Result<_, E>>()? })
    }
}

pub struct Done<'a, T> {
    asked: Vec<(u32, &'a Changes)>,
    done: Vec<T>,
}

impl<T> Done<'_, T> {
    /// The result of a requested run.
    pub fn of(&self, threads: u32, changes: &Changes) -> &T {
        let at = self.asked.iter().position(|&asked| asked == (threads, changes));
        &self.done[at.expect("all runs that are used are asked for")]
    }
}
