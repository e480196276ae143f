// SPDX-License-Identifier: Apache-2.0
//! `teff run --devices`: starts further processes of the program as devices for its target regions.
//! Under a launcher of MPI, the other ranks are the devices of rank 0, and each `teff` starts the
//! process of its rank.
//!
//! Without MPI, each device has a pair of connected sockets with the first process, the host. Each
//! process learns its role and the numbers of its descriptors by a variable
//! (runtime/src/device/role.h). A library that is preloaded into all processes keeps the program's
//! `main` from running in the devices. The randomisation of addresses is switched off, so that
//! pointers to functions and virtual functions in mapped data mean the same in all processes.
//!
//! `teff` stays until all processes have ended. A device ends by itself when the host has ended;
//! one that does not is killed. If `teff` itself is killed, its processes are, too.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::libc;
use terminal::{say, Failure, Result};

use crate::args::RunArgs;
use crate::child::Caught;
use crate::elf::Elf;
use crate::hydra::Hydra;
use crate::ranks::Rank;
use crate::{child, launch, library_path, privileges};

const LIBRARY: &str = "libteff-start.so";
/// Set for the process of a rank and for all that it starts. These have the launcher's variables,
/// too, but a launcher takes one program of MPI in each rank.
const IN_RANK: &str = "_TEFF_IN_RANK";
/// How long a device may take for its destructors when the host has ended.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long the rank of a device stays when its process has failed, so that the host can say in
/// which construct it was: if the rank left, the launcher would end the host at once. The host
/// notices the end by the silence, after TEFF_DEVICE_PATIENCE.
const STAY: Duration = Duration::from_secs(8);
const STEP: Duration = Duration::from_millis(5);

/// The end of a device's connection that one process gets, under a number that is the same in all
/// processes: the program's own files keep their usual numbers.
struct End {
    socket: UnixStream,
    number: RawFd,
}

pub fn run(args: &RunArgs, count: u32) -> Result<ExitCode> {
    let program = &args.command[0];
    refuse_unsuitable(Path::new(program))?;
    let library = start_library()?;
    let first = first_number(count);
    let mut devices = Devices(Vec::new());
    let mut ends = Vec::new();
    for number in 0..count {
        let (host, device) = UnixStream::pair().map_err(|error| Failure::cannot("make sockets", error))?;
        let descriptor = first + number as RawFd;
        ends.push(End { socket: host, number: descriptor });
        let mut command = process(args, &library, vec![End { socket: device, number: descriptor }])?;
        command.env("_TEFF_DEVICE", format!("sockets:{descriptor},{number},{count}"));
        command.stdin(Stdio::null()).process_group(0); // signals of the terminal are for the host
        devices.0.push(command.spawn().map_err(|error| launch::cannot_start(program, error))?);
    }
    let names: Vec<String> = ends.iter().map(|end| end.number.to_string()).collect();
    let mut host = process(args, &library, ends)?;
    host.env("_TEFF_DEVICES", format!("sockets:{}", names.join(",")));
    let status = child::run_to_end(program, &mut host);
    drop(host); // and its ends of the sockets
    devices.end();
    Ok(child::exit_code(status?))
}

/// The rank of this process, whose job has a launcher of MPI.
pub fn rank_of_job() -> Result<Rank> {
    if env::var_os(IN_RANK).is_some() {
        return Err(Failure::Program(
            "--devices ranks: the program of this rank has started teff, and has the ranks already. Give a number of \
             devices, or leave out --devices."
                .to_owned(),
        ));
    }
    Rank::here().filter(|rank| rank.mpi.is_some() && rank.size.is_some()).ok_or_else(|| {
        Failure::Program(
            "--devices ranks needs at least two ranks, which a launcher of MPI starts: mpirun -n 3 teff run --devices \
             ranks -- PROGRAM. Without a launcher, give the number of devices."
                .to_owned(),
        )
    })
}

/// As `rank_of_job`; `None` if it is not plain that the program's ranks are to be devices: the
/// program itself must have target regions. (The runtime leaves programs alone that use MPI.)
pub fn rank_by_default(program: &OsStr) -> Option<Rank> {
    let rank = rank_of_job().ok()?;
    let path = library_path::found(program);
    let suits = Elf::read(&path)?.has_target_regions && refuse_unsuitable(Path::new(program)).is_ok();
    suits.then_some(rank)
}

/// Runs the process of a rank.
pub fn run_rank(args: &RunArgs, rank: &Rank) -> Result<ExitCode> {
    let program = &args.command[0];
    refuse_unsuitable(Path::new(program))?;
    let (Some(mpi), Some(size)) = (rank.mpi, rank.size) else { return Ok(ExitCode::FAILURE) };
    let mut command = process(args, &start_library()?, Vec::new())?;
    command.env(IN_RANK, "1");
    if rank.rank == 0 {
        let peers: Vec<String> = (1..size).map(|peer| peer.to_string()).collect();
        command.env("_TEFF_DEVICES", format!("{mpi}:{}", peers.join(",")));
    } else {
        command.env("_TEFF_DEVICE", format!("{mpi}:0,{},{}", rank.rank - 1, size - 1));
    }
    let mut caught = Caught::new()?;
    let status = caught.run_to_end(program, &mut command)?;
    if !status.success() && caught.asked_to_end().is_none() {
        end_with_rank(rank, status);
    }
    Ok(child::exit_code(status))
}

/// Returns when the launcher may learn that the process of this rank has failed.
fn end_with_rank(rank: &Rank, status: ExitStatus) {
    let (hydra, signal) = (Hydra::of_rank(), status.signal());
    let is_device = rank.rank != 0;
    if let Some(signal) = signal.filter(|_| is_device) {
        say(format!("device {} was ended by signal {signal}.", rank.rank - 1));
    }
    if is_device && (hydra.is_some() || signal.is_some()) {
        thread::sleep(STAY);
    }
    if let Some(hydra) = hydra {
        hydra.end_job(child::status_of_shells(status));
    }
}

/// Programs in which the library would have no effect: each device would run their `main`.
fn refuse_unsuitable(program: &Path) -> Result<()> {
    let name = program.display();
    if let Some(how) = privileges::raised_by(program.as_os_str()) {
        return Err(Failure::Program(format!(
            "{name} runs with raised privileges, by {how}: the loader preloads nothing into it, so it cannot have \
             devices. Run a copy without them, or leave out --devices."
        )));
    }
    match library_path::loader(program.as_os_str()).as_deref() {
        Some("") => Err(Failure::Program(format!(
            "{name} is linked statically, so Teff cannot be loaded into it. Link it dynamically, or leave out --devices."
        ))),
        Some(loader) if loader.contains("/ld-musl-") => Err(Failure::Program(format!(
            "{name} is linked with musl, and --devices needs the GNU C library."
        ))),
        None if library_path::found(program.as_os_str()).is_file() => Err(Failure::Program(format!(
            "{name} is no program itself but a script that starts one, and --devices needs the program. For a script of \
             Python, this is the interpreter: /usr/bin/python3 {name}."
        ))),
        _ => Ok(()),
    }
}

fn start_library() -> Result<PathBuf> {
    let library = launch::library_directory()?.join(LIBRARY);
    if library.is_file() {
        return launch::check_path(&library).map(|()| library);
    }
    Err(Failure::Missing(format!(
        "{} is missing, which --devices needs. Build or install it there.",
        library.display()
    )))
}

/// High numbers, below the usual limit of 1024 and below the limit of this process.
fn first_number(count: u32) -> RawFd {
    const USUAL: u64 = 1024;
    let mut limit = libc::rlimit { rlim_cur: USUAL, rlim_max: USUAL };
    // SAFETY: the call writes to memory that we own.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    limit.rlim_cur.min(USUAL) as RawFd - count as RawFd
}

/// A process of the run. It gets these ends.
fn process(args: &RunArgs, library: &Path, ends: Vec<End>) -> Result<Command> {
    let mut command = launch::command(&args.command)?;
    let mut preload = |library: &Path| {
        let before = launch::variable(&command, "LD_PRELOAD");
        command.env("LD_PRELOAD", launch::put_first(library.as_os_str(), before));
    };
    if args.preload {
        preload(&launch::find_library()?);
    }
    preload(library);
    let prepare = move || {
        // SAFETY: no call allocates or takes a lock. Where a container forbids the
        // personality, the runtime finds that addresses differ, and says so.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::personality(
                libc::personality(0xffff_ffff) as libc::c_ulong | libc::ADDR_NO_RANDOMIZE as libc::c_ulong,
            );
            for end in &ends {
                if libc::dup2(end.socket.as_raw_fd(), end.number) < 0 {
                    return Err(io::Error::last_os_error());
                }
            }
        }
        Ok(())
    };
    // SAFETY: between fork and exec `prepare` calls only what a signal handler may call.
    unsafe { command.pre_exec(prepare) };
    Ok(command)
}

/// Ends with all of them.
struct Devices(Vec<Child>);

impl Devices {
    /// Waits for the devices, whose host has ended. Says which of them a signal has ended.
    fn end(&mut self) {
        let limit = Instant::now() + PATIENCE;
        for (number, device) in self.0.iter_mut().enumerate() {
            let mut status = device.try_wait();
            while matches!(status, Ok(None)) && Instant::now() < limit {
                thread::sleep(STEP);
                status = device.try_wait();
            }
            match status {
                Ok(Some(status)) => {
                    if let Some(signal) = status.signal() {
                        say(format!(
                            "device {number} (process {}) was ended by signal {signal}.",
                            device.id()
                        ));
                    }
                }
                _ => say(format!(
                    "device {number} (process {}) did not end with the host: it is killed.",
                    device.id()
                )),
            }
        }
    }
}

impl Drop for Devices {
    fn drop(&mut self) {
        for device in &mut self.0 {
            let _ = device.kill(); // fails if it has ended
            let _ = device.wait();
        }
    }
}
