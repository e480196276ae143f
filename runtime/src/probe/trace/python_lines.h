// SPDX-License-Identifier: Apache-2.0
//
// PythonLines: the lines of Python code that a thread is executing, innermost first, as the
// interpreter's own crash dump prints them (the dump of Python's faulthandler).
//
// The interpreter is looked for when the library is loaded: if the program or a library is named
// after Python, two functions of the interpreter are looked up as symbols. Versions that hide these
// symbols are not supported (of CPython 3.6 to 3.13: 3.9, 3.10 and 3.13). The two functions need no
// lock of the interpreter, no memory and no thread-local variable: the calling thread is in a call
// that its Python code has made, so its Python frames do not change meanwhile. The functions write
// into a file without a name, in a separate table of descriptors (apart.h), which no other thread
// sees.
//
// Used by one thread only, the stream's own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "probe/trace/apart.h"
#include "probe/trace/guest.h"

namespace teff::probe::trace {

// Returns true if the program or a loaded library is named after Python.
bool has_python();

// Looks for the interpreter. Called by the library's constructor.
void prepare_to_find_python();

class PythonLines {
  public:
    // Reads the lines, if the calling thread runs Python code.
    void read();
    void clear() { bytes_ = 0, digest_ = 0, is_cut_ = false; }

    const char* text() const { return text_; }
    std::uint32_t bytes() const { return bytes_; }
    std::uint64_t digest() const { return digest_; } // 0: there are no lines
    bool is_cut() const { return is_cut_; }          // further, outer lines are missing

  private:
    // A longer text is cut at its outer end. `is_cut_` is also set if the interpreter leaves out
    // lines.
    static constexpr std::size_t kMostBytes = 4096;

    void read_of(void* python_thread);

    std::uint32_t bytes_;
    std::uint64_t digest_;
    bool is_cut_;
    char text_[kMostBytes + 1]; // one byte more, to see that the text is longer
    ApartStack stack_;
};

} // namespace teff::probe::trace
