// SPDX-License-Identifier: Apache-2.0
//
// libteff-start.so, which `teff run --devices` preloads into every process of the run. It is no
// part of libgomp.so.1.
//
// The function that starts a program, __libc_start_main, is this library's. In a process that is a
// device it replaces the program's `main`: the constructors of static objects run, then the process
// serves the host (device/service.h). In every other process the program's `main` runs, after the
// host has connected itself with its devices. The library is also preloaded into the host because
// the loader then gives all modules the same addresses in the host and in the devices.
//
// A device keeps its own memory away from the addresses of the host's: apart.h.
//
// The library works before any constructor has run.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

#include "start/apart.h"

namespace {

using Main = int (*)(int, char**, char**);
using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

// device/role.cpp reads this variable, and removes it when the device begins to serve.
constexpr const char* kDeviceVariable = "_TEFF_DEVICE";
constexpr int kFailedStatus = 70;

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "teff: %s\n", what);
    _exit(kFailedStatus);
}

// Replaces the program's main in a device.
int serve(int, char**, char**) {
    void* const found = dlsym(RTLD_DEFAULT, "teff_serve_as_device");
    if (found == nullptr)
        fail(
            "a device cannot start, because the program does not load the OpenMP runtime when it starts: give teff run "
            "--devices the program itself, not a script that starts it. If it loads libraries with target regions, "
            "add --preload");
    return teff::start::call_below_free_stack(reinterpret_cast<int (*)()>(found));
}

Main programs_main = nullptr;

// Comes before the program's main in all other processes. A program without the runtime has no
// devices.
int begin(int argc, char** argv, char** variables) {
    if (void* const found = dlsym(RTLD_DEFAULT, "teff_begin_devices")) reinterpret_cast<void (*)()>(found)();
    return programs_main(argc, argv, variables);
}

// The library's destructor. It comes before those of all libraries: this one was loaded first, and
// none uses it. The runtime's own would come after those of an MPI library as soon as the program
// has loaded a library that uses the runtime.
[[gnu::destructor]] void end() {
    if (void* const found = dlsym(RTLD_DEFAULT, "teff_end_devices")) reinterpret_cast<void (*)()>(found)();
}

bool is_device() { return std::getenv(kDeviceVariable) != nullptr; }

// The library's constructor. It is the first in the process (start.cmake), and runs even before the
// C library knows the environment.
[[gnu::constructor]] void prepare(int, char**, char** variables) {
    const std::size_t length = std::strlen(kDeviceVariable);
    for (; *variables != nullptr; ++variables)
        if (std::strncmp(*variables, kDeviceVariable, length) == 0 && (*variables)[length] == '=')
            return teff::start::leave_memory_free();
}

} // namespace

// For the runtime, which looks whether this library is there.
extern "C" [[gnu::visibility("default")]] void teff_start_is_loaded() {}

extern "C" [[gnu::visibility("default")]] int __libc_start_main(Main main, int argc, char** argv, void (*init)(),
                                                                void (*fini)(), void (*rtld_fini)(), void* stack_end) {
    const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
    if (start == nullptr) fail("the C library has no __libc_start_main");
    programs_main = main;
    return start(is_device() ? serve : begin, argc, argv, init, fini, rtld_fini, stack_end);
}
