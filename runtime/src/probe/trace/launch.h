// SPDX-License-Identifier: Apache-2.0
//
// Launch: how the program was started, for meta.json: its command line, and the environment
// variables that OpenMP runtimes read, and whether it has devices or is one.
//
// Both can have megabytes. Strings beyond kMostBytes are left out and counted, so that meta.json
// stays short enough for people to read. The environment is copied when the library is loaded,
// since the program may change it later. The command line is read from the system's own copy when
// the recording begins.
#pragma once

#include <cstddef>
#include <cstdint>

#include "probe/trace/json.h"

namespace teff::probe::trace {

class Launch {
  public:
    static constexpr std::size_t kMostBytes = 64 << 10; // of the command line, and of the environment

    // Of `teff run --devices`. `transport` lives as long as the process.
    static constexpr int kHost = -1;
    struct Devices {
        unsigned count = 0; // of the run
        int number = kHost; // of the device that this process is
        const char* transport = nullptr;
    };

    void note_environment(const char* const* environment);
    void note_devices(const Devices& devices) { devices_ = devices; }
    // Called in a forked child.
    void forget_devices() { devices_ = {}; }

    // These two are called apart (apart.h). `file` has the command line.
    void read_command(const char* file = "/proc/self/cmdline");
    void write(JsonFile& json) const;

  private:
    // Strings one after the other, each with its final zero; `left_out` counts those left out.
    struct Strings {
        std::size_t bytes = 0;
        std::uint64_t left_out = 0;
        char text[kMostBytes];

        void add(std::string_view string);
    };
    void add_remainder(long file);

    Strings command_, environment_;
    Devices devices_;
};

} // namespace teff::probe::trace
