// SPDX-License-Identifier: Apache-2.0
//! Hydra, the launcher of MPICH. If a rank fails, Hydra waits for the ranks on other machines, and
//! for all ranks if the failed one has not begun to use MPI. So it has to be told to end the job:
//! over the descriptor by which it talks to its ranks, in their protocol (PMI 1).

use std::env;
use std::os::fd::RawFd;

use nix::libc;

/// Hydra sets both. Slurm sets the first, too, but may expect another version of the protocol.
const DESCRIPTOR: &str = "PMI_FD";
const ONLY_WITH: &str = "MPI_LOCALNRANKS";

/// The connection of this rank.
pub struct Hydra(RawFd);

impl Hydra {
    /// `None`: there is another launcher, or the process of this rank has taken leave of Hydra, as
    /// `MPI_Finalize` does.
    pub fn of_rank() -> Option<Self> {
        env::var_os(ONLY_WITH)?;
        let descriptor = env::var(DESCRIPTOR).ok()?.parse().ok()?;
        is_open(descriptor).then_some(Self(descriptor))
    }

    /// Asks Hydra to end all ranks of the job, which then has this status.
    pub fn end_job(self, status: u8) {
        let message = format!("cmd=abort exitcode={status}\n");
        // SAFETY: the call reads memory that we own. If it fails, there is nobody to be told.
        unsafe { libc::write(self.0, message.as_ptr().cast(), message.len()) };
    }
}

/// Whether neither side has closed it.
fn is_open(descriptor: RawFd) -> bool {
    let mut one = libc::pollfd { fd: descriptor, events: libc::POLLRDHUP, revents: 0 };
    // SAFETY: the call writes to memory that we own.
    unsafe { libc::poll(&raw mut one, 1, 0) == 0 }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_job_is_ended_by_a_message_while_the_rank_is_connected() {
        let (rank, mut launcher) = UnixStream::pair().unwrap();
        assert!(is_open(rank.as_raw_fd()));
        Hydra(rank.as_raw_fd()).end_job(7);
        let mut message = [0; 21];
        launcher.read_exact(&mut message).unwrap();
        assert_eq!(&message, b"cmd=abort exitcode=7\n");
        drop(launcher);
        assert!(!is_open(rank.as_raw_fd()));
    }
}
