// SPDX-License-Identifier: Apache-2.0
//! Recordings made record by record, whose work, span and shape are known exactly.

mod build;
mod contexts;
mod regions;
mod taskgroups;
mod tasks;
mod versions;
