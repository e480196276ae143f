// SPDX-License-Identifier: Apache-2.0
//
// A file that one thread opens after the first region is not open in the other processes: there its
// descriptor is closed, or belongs to another file. These functions detect a closed descriptor,
// whichever code calls them. Without this, C++'s streams would treat the error as the end of the
// file.
//
// The functions here that close descriptors do not close the runtime's own.
#include <cerrno>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "abi/export.h"
#include "processes/descriptors.h"
#include "processes/interpose.h"
#include "processes/missing.h"
#include "processes/modules.h"
#include "processes/team.h"

using namespace teff::processes;

namespace {

// Standard error has to be usable for the message itself. For a FILE of another process, a library
// passes an invalid descriptor.
bool is_missing(int file, const void* caller) {
    return (file > STDERR_FILENO || (file < 0 && modules::is_private_code(caller))) && region::has_others() &&
           fcntl(file, F_GETFD) < 0;
}

constexpr unsigned kBeyondOwn = 1280; // none of the runtime's lies there

ssize_t checked(int file, const void* caller, ssize_t result) {
    if (result < 0 && errno == EBADF && is_missing(file, caller))
        missing("a file that another thread has opened after the first parallel region");
    return result;
}

} // namespace

TEFF_EXPORT ssize_t read(int file, void* to, std::size_t bytes) {
    static ssize_t (*real)(int, void*, std::size_t) = nullptr;
    return checked(file, TEFF_CALLER, next(real, "read")(file, to, bytes));
}
TEFF_EXPORT ssize_t write(int file, const void* from, std::size_t bytes) {
    static ssize_t (*real)(int, const void*, std::size_t) = nullptr;
    return checked(file, TEFF_CALLER, next(real, "write")(file, from, bytes));
}
TEFF_EXPORT ssize_t readv(int file, const iovec* parts, int count) {
    static ssize_t (*real)(int, const iovec*, int) = nullptr;
    return checked(file, TEFF_CALLER, next(real, "readv")(file, parts, count));
}
TEFF_EXPORT ssize_t writev(int file, const iovec* parts, int count) {
    static ssize_t (*real)(int, const iovec*, int) = nullptr;
    return checked(file, TEFF_CALLER, next(real, "writev")(file, parts, count));
}
TEFF_EXPORT ssize_t pread(int file, void* to, std::size_t bytes, off_t offset) {
    static ssize_t (*real)(int, void*, std::size_t, off_t) = nullptr;
    return checked(file, TEFF_CALLER, next(real, "pread")(file, to, bytes, offset));
}
TEFF_EXPORT ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t offset) {
    static ssize_t (*real)(int, const void*, std::size_t, off_t) = nullptr;
    return checked(file, TEFF_CALLER, next(real, "pwrite")(file, from, bytes, offset));
}
TEFF_EXPORT off_t lseek(int file, off_t offset, int from) {
    static off_t (*real)(int, off_t, int) = nullptr;
    return checked(file, TEFF_CALLER, next(real, "lseek")(file, offset, from));
}
TEFF_EXPORT off64_t lseek64(int file, off64_t offset, int from) {
    static off64_t (*real)(int, off64_t, int) = nullptr;
    return checked(file, TEFF_CALLER, next(real, "lseek64")(file, offset, from));
}

TEFF_EXPORT int close(int file) {
    if (descriptors::is_kept(file)) return errno = EBADF, -1;
    static int (*real)(int) = nullptr;
    return next(real, "close")(file);
}
TEFF_EXPORT int dup2(int file, int other) {
    if (file != other && descriptors::is_kept(other)) missing("dup2 to a descriptor that Teff uses");
    static int (*real)(int, int) = nullptr;
    return next(real, "dup2")(file, other);
}
TEFF_EXPORT int dup3(int file, int other, int flags) {
    if (file != other && descriptors::is_kept(other)) missing("dup3 to a descriptor that Teff uses");
    static int (*real)(int, int, int) = nullptr;
    return next(real, "dup3")(file, other, flags);
}

// Closes the descriptors between those that are left open.
TEFF_EXPORT int close_range(unsigned first, unsigned last, int flags) {
    for (unsigned own = first; own <= last && own < kBeyondOwn; ++own) {
        if (!descriptors::is_kept(static_cast<int>(own))) continue;
        if (own > first && syscall(SYS_close_range, first, own - 1, flags) != 0) return -1;
        first = own + 1;
    }
    return first > last ? 0 : static_cast<int>(syscall(SYS_close_range, first, last, flags));
}
TEFF_EXPORT void closefrom(int first) { close_range(first < 0 ? 0 : static_cast<unsigned>(first), ~0u, 0); }
