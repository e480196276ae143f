// SPDX-License-Identifier: Apache-2.0
//
// BoardFile: the file of this process's board (teff_stat.h), mapped into memory.
//
// The file is reserved on the disk before anyone stores there: a full disk shows as an error, and
// not as SIGBUS. It grows by the workers that come, and the mapping is as long as it can become.
// Nothing of the program is touched: limits on files are read, so that they are not exceeded
// (SIGXFSZ), no descriptor stays open, and a file in this place that is no board stays as it is.
//
// Used under the lock of counters.cpp.
#pragma once

#include <cstdint>
#include <limits.h>
#include <string_view>

#include "base/system_call.h"
#include "teff_stat.h"

namespace teff::probe::stat {

struct Board {
    union {
        teff_stat_header header;
        char whole[TEFF_STAT_HEADER_BYTES];
    };
    teff_stat_worker workers[TEFF_STAT_WORKERS];
};

class BoardFile {
  public:
    // Makes or finds the calling process's file in this folder. False: neither can be done, and a
    // warning has said so. A new one is all zero; one that is there is a board of this version.
    [[nodiscard]] bool open(std::string_view folder);
    // Whether the file has space for this worker, now. Warns once if not.
    [[nodiscard]] bool has_room(std::uint32_t worker);

    // Null: there is none.
    Board* board() const { return board_; }
    // Who that is.
    std::uint32_t name_space() const { return name_space_; }
    std::uint64_t started() const { return started_; }

  private:
    long find(long& file);
    long check(long file);
    long reserve(long file, std::uint32_t workers);
    long map(long file);
    long grow(std::uint32_t workers);
    bool fail(const char* what, long error);
    void read_process();

    Board* board_ = nullptr;
    std::uint32_t room_ = 0; // workers
    base::Identity identity_;
    std::uint32_t name_space_ = 0;
    std::uint64_t started_ = 0;
    bool warned_ = false;
    char path_[PATH_MAX] = {};
    char text_[1024] = {}; // a thread's stack may be small
};

} // namespace teff::probe::stat
