// SPDX-License-Identifier: Apache-2.0
//
// Folder: where a recording lies, and how much of the disk it may take.
//
// Its path is noted when the library is loaded. From `claim` on the folder is known by its
// identity, too: should its path lead elsewhere one day (renamed, removed, another root), nothing
// is written there. Whatever deals with files is called apart (apart.h), and returns minus an errno
// value where it fails.
//
// The room: chunks are counted over all streams. TEFF_TRACE_LIMIT says how many there may be.
// Unless it is set, a recording takes at most kDefaultMost_MiB, and never more than it leaves free
// on its disk; if that lies in memory, never more than it leaves to the process's control groups.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>
#include <optional>
#include <string_view>

#include "probe/trace/calls.h"
#include "probe/trace/memory_groups.h"

namespace teff::probe::trace {

class Folder {
  public:
    static constexpr std::uint64_t kDefaultMost_MiB = 32 << 10; // what `teff report` reads

    // A limit in MiB; 0: none. Not set: the default.
    explicit Folder(std::optional<std::uint64_t> limit_MiB);

    // Where `wanted` is, seen from where the process is now. 0 or an errno value.
    [[nodiscard]] int note_path(std::string_view wanted);
    const char* path() const { return path_; }

    // By the library's constructor.
    MemoryGroups& memory_groups() { return memory_groups_; }

    // Apart. Makes the folder, or takes it if it is there and empty: 0 or an errno value.
    [[nodiscard]] int claim();
    // Apart. Undoes that for a folder that it made and nothing lies in.
    void disclaim();
    // Apart. The claimed folder itself; at most one at a time.
    [[nodiscard]] long open() const;

    // Any thread: room for one chunk. False: the limit is reached.
    [[nodiscard]] bool take_chunk();
    void give_chunk_back() { chunks_.fetch_sub(1, std::memory_order_relaxed); }
    // Apart. Whether the file system of the open file still has the room that the default asks for.
    [[nodiscard]] bool leaves_enough_free(long file) const;
    bool has_default_limit() const { return default_limit_; }
    unsigned long long most_MiB() const { return most_chunks_; }
    unsigned long long taken_MiB() const { return chunks_.load(std::memory_order_relaxed); }

    // True for the first who asks, of all threads: one line is enough.
    [[nodiscard]] bool first_to_say_limit() { return first(said_limit_); }
    [[nodiscard]] bool first_to_say_failure() { return first(said_failure_); }
    [[nodiscard]] bool first_to_say_step_back() { return first(said_step_back_); }

  private:
    static bool first(std::atomic<bool>& said) { return !said.exchange(true, std::memory_order_relaxed); }

    std::uint64_t most_chunks_; // of TEFF_TRACE_CHUNK_BYTES, which are one MiB
    bool default_limit_;
    bool made_ = false;
    Identity identity_;
    std::atomic<std::uint64_t> chunks_{0};
    std::atomic<bool> said_limit_{false}, said_failure_{false}, said_step_back_{false};
    char path_[PATH_MAX] = "";
    MemoryGroups memory_groups_;
};

} // namespace teff::probe::trace
