// SPDX-License-Identifier: Apache-2.0
//
// BoardFile: the file of this process's board (teff_stat.h), mapped into memory.
//
// The file's space on the disk is reserved before any thread stores there. So a full disk causes an
// error, and not a SIGBUS. The file grows with the number of workers; the mapping has the greatest
// length that the file can reach. The program is not affected: the limit on the size of files is
// read and never exceeded (SIGXFSZ), no descriptor stays open, and a file at this path that is not
// a board is not changed.
//
// All methods require the lock of counters.cpp.
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
    teff_stat_priorities priorities[TEFF_STAT_WORKERS]; // mapped only if the board has such blocks
};

class BoardFile {
  public:
    // Makes or finds the calling process's file in `folder`. Returns false, after a warning, if
    // neither is possible. A new file is all zero; an existing file is a board of this version.
    // `with_priorities`: a new board gets blocks of priorities, if there is space for them.
    [[nodiscard]] bool open(std::string_view folder, bool with_priorities);
    // Returns true if the file has space for this worker; extends the file if necessary. Warns once
    // if the file cannot be extended.
    [[nodiscard]] bool has_room(std::uint32_t worker);

    // Returns true if this worker has a block of priorities.
    bool has_priorities(std::uint32_t worker) const { return worker < priorities_room_; }

    // Returns the board, or null if there is none.
    Board* board() const { return board_; }
    // Identify the process: the inode of its namespace of process numbers (0: not known), and the
    // time when it started, as in /proc/self/stat.
    std::uint32_t name_space() const { return name_space_; }
    std::uint64_t started() const { return started_; }

  private:
    long find(long& file);
    long check(long file);
    long reserve(long file, std::uint32_t workers);
    void reserve_priorities(long file);
    long map(long file);
    long grow(std::uint32_t workers);
    bool fail(const char* what, long error);
    void read_process();

    Board* board_ = nullptr;
    std::uint32_t room_ = 0;            // number of workers for which the file has space
    std::uint32_t priorities_room_ = 0; // number of workers that have a block of priorities
    bool has_priorities_ = false;
    base::Identity identity_;
    std::uint32_t name_space_ = 0;
    std::uint64_t started_ = 0;
    bool warned_ = false;
    char path_[PATH_MAX] = {};
    char text_[1024] = {}; // a thread's stack may be small
};

} // namespace teff::probe::stat
