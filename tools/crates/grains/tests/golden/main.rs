// SPDX-License-Identifier: Apache-2.0
//! Recordings made record by record, whose work, span and shape are known exactly.

mod asleep;
mod budget;
mod build;
mod busy;
mod call_paths;
mod causes;
mod contexts;
mod crews;
mod deviation;
mod devices;
mod edges;
mod findings;
mod memory;
mod on_devices;
mod one_sided;
mod own_time;
mod parts;
mod predict;
mod priorities;
mod problems;
mod regions;
mod samples;
mod taskgroups;
mod tasks;
mod told;
mod versions;
mod wakes;
