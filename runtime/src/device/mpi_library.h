// SPDX-License-Identifier: Apache-2.0
//
// The MPI library of this machine, loaded at run time. Teff links with none, because each MPI
// implementation has its own binary interface. mpi_library.cpp has the facts of those interfaces
// that Teff knows; nothing else does.
//
// All functions return MPI's error code, 0 for success. The caller lets one thread at a time call
// them (MPI_THREAD_SERIALIZED). They use a communicator of their own.
#pragma once

#include <string_view>

namespace teff::device::mpi {

struct Request {
    alignas(8) unsigned char handle[8];
};

struct Library {
    // Waits until all ranks have called it. Stores this process's rank, and the number of ranks.
    int (*begin)(int& rank, int& size);
    int (*start_send)(const void* from, int bytes, int rank, int tag, Request&);
    int (*start_receive)(void* to, int bytes, int rank, int tag, Request&);
    int (*test)(Request&, bool& is_done);
    // Whether a message has come that nobody has received yet, and its length.
    int (*probe)(int rank, int tag, bool& has_come, int& bytes);
    // Waits until all ranks have called it.
    int (*finish)();
    // Whether `finish` has to be called before the exit handlers that `begin` has registered are
    // run. If it is not, the launcher takes the process for one that has failed.
    bool has_exit_handlers;
};

// Whether the program, or a library that it was linked with, uses MPI by itself.
bool program_uses_mpi();

// Loads the library at `path`; if that is empty, the first that the loader finds among those that
// belong to the launcher (openmpi, mpich, or mpi for an unknown one). Returns null if that fails,
// and stores why. Never unloaded.
const Library* load(const char* launcher, std::string_view path, const char*& why_not);

} // namespace teff::device::mpi
