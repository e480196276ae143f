// SPDX-License-Identifier: Apache-2.0
//
// PythonLines: which lines of Python a thread has come through, innermost first, as the
// interpreter's own dump for crashes tells them (what Python's faulthandler prints).
//
// The interpreter is found when the library is loaded, in a program or a library that is named
// after it, by two of its symbols; versions that hide them (of CPython 3.6 to 3.13: 3.9, 3.10 and
// 3.13) are not asked. What they do needs no lock of the interpreter, no memory and no thread-local
// variable: the calling thread has come here from its Python frames, which stand still meanwhile.
// It writes into a file; that is one without a name, in a table of descriptors apart (apart.h),
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
