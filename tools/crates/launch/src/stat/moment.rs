// SPDX-License-Identifier: Apache-2.0
//! The figures that are shown at one moment.

use super::board::Board;

pub struct Moment<'a> {
    pub boards: &'a [Board],
    pub events: &'a [String],
    pub last: bool,
}
