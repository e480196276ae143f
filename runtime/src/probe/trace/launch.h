// SPDX-License-Identifier: Apache-2.0
//
// Launch: how the program was started, for meta.json: its command line, and the variables that
// OpenMP runtimes read.
//
// Both can be megabytes. What goes beyond kMostBytes is left out and counted, so that meta.json
// stays a file that anyone reads. The environment is copied when the library is loaded, since the
// program may change it later; the command line is the system's own copy, read when the recording
// begins.
#pragma once

#include <cstddef>
#include <cstdint>

#include "probe/trace/json.h"

namespace teff::probe::trace {

class Launch {
  public:
    static constexpr std::size_t kMostBytes = 64 << 10; // of each

    void note_environment(const char* const* environment);

    // Apart.
    void read_command(const char* file = "/proc/self/cmdline");
    void write(JsonFile& json) const;

  private:
    // Strings, each with its final zero.
    struct Strings {
        std::size_t bytes = 0;
        std::uint64_t left_out = 0;
        char text[kMostBytes];

        void add(std::string_view string);
    };
    void add_remainder(long file);

    Strings command_, environment_;
};

} // namespace teff::probe::trace
