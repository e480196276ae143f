// SPDX-License-Identifier: Apache-2.0
//
// PythonLines: the lines of Python that a thread is in, innermost first, as the interpreter's own
// dump for crashes prints them (Python's faulthandler uses it).
//
// The interpreter is found when the library is loaded, by two symbols in a program or a library
// that is named after it. Versions that hide these symbols are not supported (of CPython 3.6 to
// 3.13: 3.9, 3.10 and 3.13). The two functions need no lock of the interpreter, no memory and no
// thread-local variable: the calling thread is below its Python frames, which do not change
// meanwhile. They write into a file without a name, in a separate table of descriptors (apart.h),
// which nobody else sees.
//
// By one thread, the stream's own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "probe/trace/apart.h"
#include "probe/trace/guest.h"

namespace teff::probe::trace {

// By the library's constructor.
void prepare_to_find_python();

class PythonLines {
  public:
    // Reads them, if the calling thread runs Python.
    void read();
    void clear() { bytes_ = 0, digest_ = 0, is_cut_ = false; }

    const char* text() const { return text_; }
    std::uint32_t bytes() const { return bytes_; }
    std::uint64_t digest() const { return digest_; } // 0: there are none
    bool is_cut() const { return is_cut_; }          // there are further ones, outside of these

  private:
    // What is longer is cut, at the outer end; so are lines that the interpreter leaves out.
    static constexpr std::size_t kMostBytes = 4096;

    void read_of(void* python_thread);

    std::uint32_t bytes_;
    std::uint64_t digest_;
    bool is_cut_;
    char text_[kMostBytes + 1]; // one more tells that there is more
    ApartStack stack_;
};

} // namespace teff::probe::trace
