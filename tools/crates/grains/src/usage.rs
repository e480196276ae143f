// SPDX-License-Identifier: Apache-2.0
//! What the process took of the kernel.

use trace::End;

/// All are 0 where the recording does not say.
#[derive(Clone, Copy, Default)]
pub struct Usage {
    /// While it was recorded: page faults without input or output.
    pub minor_faults: u64,
    /// While it was recorded: CPU time in the kernel.
    pub system_ns: u64,
    /// The most memory that it has had at a time.
    pub most_resident_bytes: u64,
}

impl Usage {
    pub(crate) fn of(end: &End) -> Self {
        Self {
            minor_faults: end.minor_faults,
            system_ns: end.system_ns,
            most_resident_bytes: end.most_resident_bytes,
        }
    }
}
