// SPDX-License-Identifier: Apache-2.0
//
// Runtimes: the OpenMP runtimes whose files are in the process, for meta.json and end.json: this
// one, and others, which are not recorded. They are found by the names of their files, in the
// system's list of mappings: the dynamic linker's list would need its lock.
#pragma once

#include <cstddef>
#include <string_view>

#include "probe/trace/json.h"

namespace teff::probe::trace {

// Whether a file of this name is an OpenMP runtime: GCC's, LLVM's, Intel's or NVIDIA's.
bool is_runtime(std::string_view file_name);

class Runtimes {
  public:
    static constexpr std::size_t kMostBytes = 4096; // of all paths of others; those beyond are left out

    // These two are called apart (apart.h). `file` has the mappings.
    void read(const char* file = "/proc/self/maps");
    void write(JsonFile& json) const;

  private:
    void note(std::string_view line);

    std::size_t own_bytes_ = 0, bytes_ = 0;
    char own_[kMostBytes];
    char line_[kMostBytes];   // being read; a longer one is cut
    char others_[kMostBytes]; // paths one after the other, each with a final zero
};

} // namespace teff::probe::trace
