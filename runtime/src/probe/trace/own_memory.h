// SPDX-License-Identifier: Apache-2.0
//
// OwnMemory: this process's memory, as the kernel reads it (process_vm_readv). A range that is not
// mapped, or that another thread unmaps meanwhile, cannot be read, and nothing else happens. Each
// read is a system call. Some filters of system calls refuse it: then nothing can be read.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <sys/uio.h>

#include "probe/trace/calls.h"

namespace teff::probe::trace {

class OwnMemory {
  public:
    // Returns false if not all of the range can be read.
    bool read(std::uintptr_t from, void* into, std::size_t bytes) const {
        return read_some(from, into, bytes) == bytes;
    }
    template <class Value> bool read(std::uintptr_t from, Value& value) const {
        return from != 0 && from % alignof(Value) == 0 && read(from, &value, sizeof value);
    }
    // Returns the number of bytes from the beginning of the range that could be read.
    std::size_t read_some(std::uintptr_t from, void* into, std::size_t bytes) const {
        const iovec to{into, bytes}, source{std::bit_cast<void*>(from), bytes};
        const long done = call(SYS_process_vm_readv, process_, &to, 1, &source, 1, 0);
        return done > 0 ? static_cast<std::size_t>(done) : 0;
    }

  private:
    const long process_ = call(SYS_getpid);
};

} // namespace teff::probe::trace
