// SPDX-License-Identifier: Apache-2.0
//
// Role: whether this process has devices, or is one.
//
// `teff run --devices N` starts N further processes of the same program, which are the devices of
// the first. Under a launcher of MPI, the other ranks are the devices of rank 0. `teff run` tells
// each process its role by a variable, which the library's constructor reads and removes, so that
// the programs which the program starts have no role. Without the variable the process is an
// ordinary one: it has no devices. The role never changes, except that a forked child becomes an
// ordinary process.
#pragma once

#include <optional>

namespace teff::device {

struct Role {
    unsigned devices = 0; // of the run
    unsigned usable = 0;  // by constructs of this process: 0 on a device, and with target regions disabled
    bool is_device = false;
    unsigned number = 0;             // of the device that this process is
    const char* transport = nullptr; // its name; null: there are no devices
};

namespace detail {
extern constinit Role role;
}

inline const Role& role() { return detail::role; }

// The number of the device that take_role will make of this process, if it will make one.
std::optional<unsigned> future_device();
// Called by the library's constructor, after icv::initialise.
void take_role();
// Makes the connection to the other processes, if there are any. Called before the program's main,
// and before a construct that comes earlier.
void begin();
// Called by the destructor of libteff-start.so, and before it by an exit handler if the transport
// asks for one; does nothing at the second call. Exit handlers and destructors of objects come
// before that destructor, and may use devices; only destructor functions of libraries come after
// it.
void end();
// On a device, called before it serves: removes the variable.
void hide_role();
// Called in a forked child.
void lose_role();

} // namespace teff::device
