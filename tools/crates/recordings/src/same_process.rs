// SPDX-License-Identifier: Apache-2.0
//! Finds the corresponding process in several recordings that have several processes each. The runs
//! are compared by this process.
//!
//! The first recording that is read decides: its process with most work is chosen. With more
//! threads another process may have most work. In the other recordings, the corresponding process
//! has the same command or, if there is no such process, the same program. If there are several
//! such processes, the corresponding process is the one that has the same number in their order of
//! creation. If there is none, the order in which all processes were created decides, provided that
//! the recordings have the same number of processes. The system numbers processes in this order.
//! The order in which they began to record is not reliable, because processes that one launcher
//! starts overtake each other.

use std::path::{Path, PathBuf};

use terminal::Result;
use trace::Process;

use crate::args::RecordingArgs;
use crate::memory::Purpose;
use crate::open::{is_host, open_with_processes, Opened};

/// The choice of a process, and the facts on which it is based.
pub struct SameProcess {
    of: PathBuf,
    row: usize,
    processes: Vec<Process>,
}

/// The process of one recording, and what its reader must know about the choice.
pub struct OpenedSame {
    pub opened: Opened,
    pub note: Option<String>,
}

/// The first call chooses.
pub fn open_same(
    directory: &Path,
    any_size: bool,
    purpose: Purpose,
    choice: &mut Option<SameProcess>,
) -> Result<OpenedSame> {
    let mut args = RecordingArgs::all_of(directory.to_owned(), None, any_size);
    let processes = readable(directory);
    let Some(chosen) = choice else {
        let opened = open_with_processes(&args, purpose)?;
        let label = opened.processes.iter().find(|process| process.shown).map(|process| &process.process);
        let row = processes.iter().position(|process| Some(&process.label) == label);
        let note = (processes.len() > 1).then(|| {
            format!(
                "{} has {} processes: {} is compared with the same process of each other run, which is found by its \
                 command and by the order in which the processes were created.",
                directory.display(),
                processes.len(),
                if is_host(&opened.profile) { "the host of the devices" } else { "the one with the most work" }
            )
        });
        *choice = row.map(|row| SameProcess { of: directory.to_owned(), row, processes });
        return Ok(OpenedSame { opened, note });
    };
    let found = chosen.find(&processes);
    if processes.len() > 1 {
        args.process = found.map(|row| processes[row].label.clone());
    }
    let note = found.is_none().then(|| {
        format!(
            "{} has no process that corresponds to the one compared in {}: its process with the most work is compared \
             instead.",
            directory.display(),
            chosen.of.display()
        )
    });
    Ok(OpenedSame { opened: open_with_processes(&args, purpose)?, note })
}

/// In the order in which they were created.
fn readable(directory: &Path) -> Vec<Process> {
    let processes = trace::processes(directory).map(|found| found.readable).unwrap_or_default();
    as_created(processes)
}

fn as_created(mut processes: Vec<Process>) -> Vec<Process> {
    processes.sort_by_key(|process| (process.meta.pid, process.meta.start_monotonic_ns));
    processes
}

impl SameProcess {
    /// The directory of the corresponding process, or that of the recording if there is none.
    pub fn directory(&self, recording: &Path) -> PathBuf {
        let mut processes = readable(recording);
        let found = self.find(&processes);
        found.map_or_else(|| recording.to_owned(), |row| processes.swap_remove(row).directory)
    }

    /// A device corresponds to the device with its number. Ranks are created in any order.
    fn find(&self, others: &[Process]) -> Option<usize> {
        let device = |process: &Process| process.meta.device;
        let command = |process: &Process| (device(process), process.meta.command.to_string());
        let program = |process: &Process| (device(process), process.meta.command.program_name().to_owned());
        let by_order = || self.same_of(others, device).filter(|_| others.len() == self.processes.len());
        self.same_of(others, command).or_else(|| self.same_of(others, program)).or_else(by_order)
    }

    /// Of the processes with this name, the process with the same number in the order of creation.
    fn same_of<Name: PartialEq>(&self, others: &[Process], name: impl Fn(&Process) -> Name) -> Option<usize> {
        let wanted = name(&self.processes[self.row]);
        let before = self.processes[..self.row].iter().filter(|process| name(process) == wanted).count();
        let mut alike = others.iter().enumerate().filter(|(_, process)| name(process) == wanted);
        alike.nth(before).map(|(row, _)| row)
    }
}

#[cfg(test)]
mod tests {
    use trace::writer::RecordingWriter;

    use super::*;

    /// (command, number, start) of each process; the labels distinguish the processes.
    fn processes(of: &[(&str, u64, u64)]) -> Vec<Process> {
        let process = |&(command, pid, start_monotonic_ns): &(&str, u64, u64)| {
            let mut meta = RecordingWriter::plain_meta(1);
            meta.command = command.split(' ').map(str::to_owned).collect::<Vec<_>>().into();
            (meta.pid, meta.start_monotonic_ns) = (pid, start_monotonic_ns);
            Process { label: pid.to_string(), directory: PathBuf::new(), meta }
        };
        as_created(of.iter().map(process).collect())
    }

    fn found(chosen: u64, of: &[(&str, u64, u64)], others: &[(&str, u64, u64)]) -> Option<String> {
        let processes_here = processes(of);
        let row = processes_here.iter().position(|process| process.meta.pid == chosen).unwrap();
        let same = SameProcess { of: PathBuf::new(), row, processes: processes_here };
        let others = processes(others);
        same.find(&others).map(|row| others[row].label.clone())
    }

    #[test]
    fn the_same_process_is_that_of_the_same_command_created_as_the_same_one() {
        let of = [("sh run", 10, 1), ("./p a", 11, 2), ("./p b", 12, 3), ("./p b", 13, 4)];
        let again = [("sh run", 20, 1), ("./p b", 22, 4), ("./p a", 23, 3), ("./p b", 24, 2)];
        assert_eq!(found(13, &of, &again).unwrap(), "24", "it was created last, and began before");
        assert_eq!(found(11, &of, &again).unwrap(), "23");
        let of_program = [("new/p c", 31, 1), ("new/p d", 32, 2)];
        assert_eq!(found(12, &of, &of_program).unwrap(), "32");
        assert_eq!(found(12, &of, &[("./q", 31, 1), ("./q", 32, 2)]), None);
        assert_eq!(found(32, &of_program, &[("./q", 41, 1), ("./q", 42, 2)]).unwrap(), "42");
    }

    #[test]
    fn a_host_of_devices_is_the_same_as_a_host_whenever_it_was_created() {
        let ranks = |program, pids: [u64; 3]| {
            let mut all = processes(&pids.map(|pid| (program, pid, pid)));
            for process in &mut all {
                let rank = pids.iter().position(|&pid| pid == process.meta.pid).unwrap() as u32;
                process.meta.device = rank.checked_sub(1);
            }
            all
        };
        for program in ["./p", "./q"] {
            let others = ranks(program, [13, 11, 12]);
            let label = |row| {
                let same = SameProcess { of: PathBuf::new(), row, processes: ranks("./p", [1, 2, 3]) };
                same.find(&others).map(|row| others[row].label.clone()).unwrap()
            };
            assert_eq!([0, 1, 2].map(label), ["13", "11", "12"]);
        }
    }
}
