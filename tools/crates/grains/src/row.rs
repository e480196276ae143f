// SPDX-License-Identifier: Apache-2.0
//! Row numbers of tables.

/// Row number that stands for "none".
pub const NONE: u32 = u32::MAX;
