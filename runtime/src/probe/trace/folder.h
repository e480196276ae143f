// SPDX-License-Identifier: Apache-2.0
//
// Folder: where a process's recording lies, and how much of the disk it may take.
//
// Its path is noted when the library is loaded. From `claim` on the folder is known by its
// identity, too: should its path lead elsewhere one day (renamed, removed, another root), nothing
// is written there. Whatever deals with files is called apart (apart.h), and returns minus an errno
// value where it fails.
//
// Several processes share a recording: those of one session (TEFF_TRACE_SESSION, by which
// `teff record` names the folder that it has made), and a process with those that it forks. The
// first of them has the folder itself; each further one makes `process-PID` in it, and records
// there. A process that does not share a folder refuses it unless it is empty.
//
// The space: chunks are counted over all streams. TEFF_TRACE_LIMIT says how many there may be.
// Unless it is set, a recording takes at most kDefaultMost_MiB, and never more than it leaves free
// on its disk; if that lies in memory, never more than it leaves to the process's control groups.
// Processes that share a recording count together: each adds a byte to its file `chunks` for each
// chunk. They look before they take, so at the limit each thread of theirs may be one chunk beyond.
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
    // Which folder the session has made: its device and inode, as `DEVICE:INODE`. False: it does
    // not say so.
    bool note_session(std::string_view session);
    const char* path() const { return path_; } // the process's own, once it is claimed

    // By the library's constructor.
    MemoryGroups& memory_groups() { return memory_groups_; }

    // Apart. Makes the folder, or takes it if it is there and empty: 0 or an errno value.
    // ENOTEMPTY: others have it; if that are those with whom it is shared, claim_further is next.
    [[nodiscard]] int claim();
    bool is_shared() const { return shared_; }
    // Apart. Makes and takes a folder for this process inside of it. 0 or an errno value. kFull:
    // there is no space, and someone has been told; kFullUnsaid: nobody has been, so far.
    [[nodiscard]] int claim_further();
    static constexpr int kFull = -1, kFullUnsaid = -2;
    // Apart. Undoes that for a folder that it made and nothing lies in.
    void disclaim();
    // Apart. The claimed folder itself; at most one at a time.
    [[nodiscard]] long open() const;

    // In a forked child: from here on it is as it was before `claim`, but shared with the parent.
    void begin_anew();

    // Any thread: takes space for one chunk. False: the limit is reached.
    [[nodiscard]] bool take_chunk();
    // The same for one that may not be wanted: only where there is plenty.
    [[nodiscard]] bool take_spare_chunk() { return taken_MiB() < most_chunks_ / 2 && take_chunk(); }
    void give_chunk_back() { chunks_.fetch_sub(1, std::memory_order_relaxed); }
    // Apart. Whether the processes that share the recording have space for one chunk more, and the
    // file system of the open file still has what the default asks for.
    [[nodiscard]] bool leaves_enough_free(long file) const;
    // Apart. Tells the others that a chunk has been taken.
    void count_chunk() const;
    bool has_default_limit() const { return default_limit_; }
    unsigned long long most_MiB() const { return most_chunks_; }
    unsigned long long taken_MiB() const { return chunks_.load(std::memory_order_relaxed); }

    // True for the first who asks, of all threads: one line is enough.
    [[nodiscard]] bool first_to_say_limit() { return first(said_limit_); }
    [[nodiscard]] bool first_to_say_failure() { return first(said_failure_); }
    [[nodiscard]] bool first_to_say_step_back() { return first(said_step_back_); }

  private:
    static bool first(std::atomic<bool>& said) { return !said.exchange(true, std::memory_order_relaxed); }
    int make(const char* path);
    long open_shared() const;
    long open_count(int flags) const;
    std::uint64_t taken_by_all() const;
    int check_room() const;

    std::uint64_t most_chunks_; // of TEFF_TRACE_CHUNK_BYTES, which are one MiB
    bool default_limit_;
    bool made_ = false;
    bool shared_ = false;
    Identity identity_;            // of the process's own
    Identity shared_identity_;     // of what is shared; the session's, the parent's, or none
    std::size_t shared_bytes_ = 0; // of path_: what is shared, without what is the process's own
    std::atomic<std::uint64_t> chunks_{0};
    std::atomic<bool> said_limit_{false}, said_failure_{false}, said_step_back_{false};
    char path_[PATH_MAX] = "";
    MemoryGroups memory_groups_;
};

} // namespace teff::probe::trace
