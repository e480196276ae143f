// SPDX-License-Identifier: Apache-2.0
//
// A barrier of all ranks that the launcher carries out, not the MPI library: over the descriptor by
// which the library talks to its launcher, in their protocol (PMI 1, which Hydra speaks, the
// launcher of MPICH). The library writes only in calls of MPI, so between them the descriptor is
// free.
//
// It is needed where a rank must not call MPI while another one is in MPI_Finalize. MPICH 4.0
// closes its connections of UCX there. Over TCP, the other side has to confirm this, and cannot do
// so once it has closed the connection itself. If all ranks come from this barrier, each begins to
// close all its connections before it confirms any, and all are confirmed.
#pragma once

namespace teff::device::mpi {

// Finds out whether there is such a launcher. Called before the program's main, which may change
// the environment.
bool find_launcher();

// Returns false if not all ranks come in time. MPI is not to be called after that.
bool wait_at_launcher();

} // namespace teff::device::mpi
