// SPDX-License-Identifier: Apache-2.0
//! The rank of this process in its job, as the launcher of the job (mpirun, srun) says in the
//! environment.

use std::env;

/// The variables of a launcher.
struct Launcher {
    rank: &'static str,
    /// Variables with the number of ranks, and with the job. Of each list, the
    /// first variable that is set counts.
    size: &'static [&'static str],
    job: &'static [&'static str],
    /// The launcher is recognised only if this variable is set, too.
    only_with: Option<&'static str>,
    /// The name by which the runtime chooses an MPI library (runtime/src/device/transport.h);
    /// `None`: the launcher's processes have no MPI.
    mpi: Option<&'static str>,
}

/// If one launcher can start another, the started launcher comes first in this list.
const LAUNCHERS: [Launcher; 5] = [
    // Open MPI.
    Launcher {
        rank: "OMPI_COMM_WORLD_RANK",
        size: &["OMPI_COMM_WORLD_SIZE"],
        job: &["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"],
        only_with: None,
        mpi: Some("openmpi"),
    },
    // MVAPICH.
    Launcher {
        rank: "MV2_COMM_WORLD_RANK",
        size: &["MV2_COMM_WORLD_SIZE"],
        job: &[],
        only_with: None,
        mpi: Some("mpich"),
    },
    // MPICH, Intel MPI, and Slurm's srun --mpi=pmi2.
    Launcher {
        rank: "PMI_RANK",
        size: &["PMI_SIZE"],
        job: &["PMI_JOBID"],
        only_with: None,
        mpi: Some("mpich"),
    },
    // srun --mpi=pmix, PRRTE.
    Launcher {
        rank: "PMIX_RANK",
        size: &["SLURM_STEP_NUM_TASKS"],
        job: &["PMIX_NAMESPACE"],
        only_with: None,
        mpi: Some("mpi"),
    },
    // srun. A batch script also has the rank 0, but is no step of a job.
    Launcher {
        rank: "SLURM_PROCID",
        size: &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"],
        job: &[],
        only_with: Some("SLURM_STEP_ID"),
        mpi: None,
    },
];

/// The job numbers of batch systems, which users know, come before those of launchers: Slurm, PBS,
/// LSF.
const JOBS: [&str; 3] = ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rank {
    pub rank: u64,
    /// `None`: it is not known.
    pub size: Option<u64>,
    pub mpi: Option<&'static str>,
}

impl Rank {
    /// `None`: no launcher has started this process, or the launcher has started only this process.
    pub fn here() -> Option<Self> {
        Self::of(&variable).filter(|rank| rank.size != Some(1))
    }

    fn of(variable: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &&str| variable(name)?.parse().ok();
        let of = |launcher: &Launcher| {
            let rank = number(&launcher.rank)?;
            let size = launcher.size.iter().find_map(number).filter(|&size| size > rank);
            launcher.only_with.is_none_or(|name| variable(name).is_some()).then_some(Self {
                rank,
                size,
                mpi: launcher.mpi,
            })
        };
        LAUNCHERS.iter().find_map(of)
    }
}

/// The job that this process belongs to.
pub fn job() -> Option<String> {
    job_of(&variable)
}

fn job_of(variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let of_launchers = LAUNCHERS.iter().filter(|launcher| variable(launcher.rank).is_some());
    let names = JOBS.iter().chain(of_launchers.flat_map(|launcher| launcher.job));
    names.copied().find_map(variable)
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(variables: &[(&str, &str)]) -> (Option<Rank>, Option<String>) {
        let variable = |name: &str| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        (Rank::of(&variable), job_of(&variable))
    }

    fn rank(rank: u64, size: Option<u64>, mpi: Option<&'static str>) -> Rank {
        Rank { rank, size, mpi }
    }

    #[test]
    fn each_launcher_has_its_own_variables() {
        let open_mpi = [
            ("PMIX_RANK", "1"),
            ("PMIX_NAMESPACE", "17"),
            ("OMPI_COMM_WORLD_RANK", "1"),
            ("OMPI_COMM_WORLD_SIZE", "4"),
        ];
        assert_eq!(found(&open_mpi), (Some(rank(1, Some(4), Some("openmpi"))), Some("17".to_owned())));
        assert_eq!(
            found(&[("PMI_RANK", "3"), ("PMI_SIZE", "8")]),
            (Some(rank(3, Some(8), Some("mpich"))), None)
        );
        assert_eq!(found(&[("PMIX_RANK", "2")]), (Some(rank(2, None, Some("mpi"))), None));
        let slurm =
            [("SLURM_PROCID", "5"), ("SLURM_NTASKS", "6"), ("SLURM_STEP_ID", "0"), ("SLURM_JOB_ID", "99")];
        assert_eq!(found(&slurm), (Some(rank(5, Some(6), None)), Some("99".to_owned())));
    }

    #[test]
    fn a_batch_script_is_no_rank() {
        assert_eq!(found(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "6")]).0, None);
        assert_eq!(found(&[]), (None, None));
    }

    #[test]
    fn what_is_no_number_counts_as_not_set() {
        assert_eq!(found(&[("PMI_RANK", "x"), ("PMIX_RANK", "2")]).0, Some(rank(2, None, Some("mpi"))));
        assert_eq!(
            found(&[("PMI_RANK", "2"), ("PMI_SIZE", "2")]).0,
            Some(rank(2, None, Some("mpich"))),
            "no such size"
        );
        assert_eq!(found(&[("PMI_RANK", "-1")]).0, None);
    }
}
