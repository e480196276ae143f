// SPDX-License-Identifier: Apache-2.0
//! Tries the system calls that Teff needs, for this thread, and undoes their effects.

use nix::errno::Errno;
use nix::libc::{self, c_long};

use crate::kernel::{Trials, Tried};

impl Trials {
    pub fn made() -> Self {
        const HARDWARE: u32 = 0;
        const SOFTWARE: u32 = 1;
        /// Instructions, and nanoseconds of this thread.
        const INSTRUCTIONS: u64 = 1;
        const TASK_CLOCK: u64 = 1;
        Self {
            software_counter: counter(SOFTWARE, TASK_CLOCK),
            hardware_counter: counter(HARDWARE, INSTRUCTIONS),
            membarrier: membarrier(),
            memory_policy: memory_policy(),
        }
    }
}

fn tried(result: c_long) -> Tried {
    if result >= 0 {
        Ok(())
    } else {
        Err(Errno::last_raw())
    }
}

/// struct perf_event_attr in its first version. The kernel treats the missing fields of later
/// versions as 0.
#[repr(C)]
#[derive(Default)]
struct Wanted {
    kind: u32,
    size: u32,
    config: u64,
    sample: [u64; 3],
    flags: u64,
    more: [u64; 2],
}

const _: () = assert!(size_of::<Wanted>() == 64);

/// A bit of `flags`: only the program's own code is counted.
const EXCLUDE_KERNEL: u64 = 1 << 5;

fn counter(kind: u32, config: u64) -> Tried {
    let size = size_of::<Wanted>() as u32;
    let wanted = Wanted { kind, size, config, flags: EXCLUDE_KERNEL, ..Wanted::default() };
    const CLOSE_ON_EXEC: c_long = 8;
    // SAFETY: the kernel reads `size` bytes; we own the descriptor.
    unsafe {
        let file = libc::syscall(libc::SYS_perf_event_open, &raw const wanted, 0, -1, -1, CLOSE_ON_EXEC);
        tried(file)?;
        libc::close(file as i32);
    }
    Ok(())
}

/// Asks the call what it supports, and checks that this includes what the runtime needs.
fn membarrier() -> Tried {
    const QUERY: c_long = 0;
    const PRIVATE_EXPEDITED: c_long = 1 << 3;
    // SAFETY: all arguments of the call are numbers.
    let can = unsafe { libc::syscall(libc::SYS_membarrier, QUERY, 0, 0) };
    tried(can)?;
    if can & PRIVATE_EXPEDITED == 0 {
        return Err(libc::ENOSYS);
    }
    Ok(())
}

/// Asks for the policy of this thread.
fn memory_policy() -> Tried {
    let nothing = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: the call writes nothing, because it gets no address to write to.
    tried(unsafe { libc::syscall(libc::SYS_get_mempolicy, nothing, nothing, 0, nothing, 0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_an_errno_value() {
        assert!(counter(u32::MAX - 1, 0).is_err(), "there is no such kind of counter");
        let Trials { software_counter, hardware_counter, membarrier, memory_policy } = Trials::made();
        for tried in [software_counter, hardware_counter, membarrier, memory_policy] {
            assert!(tried.err().is_none_or(|error| error > 0), "{tried:?}");
        }
    }
}
