// SPDX-License-Identifier: Apache-2.0
//
// Folder: where a process's recording lies, and how much of the disk the recording may take.
//
// The folder's path is noted when the library is loaded. `claim` also notes the folder's identity
// (device and inode). If the path later leads to another folder (after a rename, a removal or a
// change of root), the recorder writes nothing there. Methods marked "Apart" deal with files and
// are called apart (apart.h).
//
// Several processes may share a recording: the processes of one session, and a process with the
// processes that it forks. TEFF_TRACE_SESSION names the folder that `teff record` has made for the
// session. The first of these processes records into the folder itself; each further process makes
// `process-PID` in the folder, and records there. A process that does not share the folder refuses
// it unless the folder is empty.
//
// The limit counts the chunks of all streams. TEFF_TRACE_LIMIT sets it. If TEFF_TRACE_LIMIT is not
// set, a recording takes at most kDefaultMost_MiB, and never more space than remains free on its
// disk. If the file system lies in memory, the recording also never takes more memory than remains
// for the process in its control groups. Processes that share a recording count their chunks
// together: each process adds one byte to the recording's file `chunks` for each chunk. A thread
// reads the count before it adds to it, so each thread may exceed the limit by one chunk.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>
#include <optional>
#include <string_view>

#include "probe/trace/calls.h"
#include "probe/trace/counted_events.h"
#include "probe/trace/memory_groups.h"

namespace teff::probe::trace {

class Folder {
  public:
    static constexpr std::uint64_t kDefaultMost_MiB = 32 << 10; // the most that `teff report` reads

    // `limit_MiB` is the limit in MiB. 0 means no limit; nullopt means the default limit.
    explicit Folder(std::optional<std::uint64_t> limit_MiB);

    // Notes the absolute path of `wanted`, which is relative to the process's current directory.
    // Returns 0 or an errno value.
    [[nodiscard]] int note_path(std::string_view wanted);
    // Notes which folder the session has made. `session` is the folder's device and inode, written
    // as `DEVICE:INODE`. Returns false if `session` does not have this form.
    bool note_session(std::string_view session);
    const char* path() const { return path_; } // once claimed: of the process's own folder

    // Called by the library's constructor.
    MemoryGroups& memory_groups() { return memory_groups_; }

    // Apart. Makes the folder, or takes it if it exists and is empty. Returns 0 or an errno value.
    // ENOTEMPTY means that the folder is in use. If `is_shared()` is true then, the processes that
    // use it share it with this process, and the caller calls claim_further.
    [[nodiscard]] int claim();
    bool is_shared() const { return shared_; }
    // Apart. Makes and takes a folder for this process inside the shared folder. Returns 0, an
    // errno value, kFull or kFullUnsaid. The last two mean that no space is left: with kFull, a
    // process has already warned the user; with kFullUnsaid, no process has, and the caller warns.
    [[nodiscard]] int claim_further();
    static constexpr int kFull = -1, kFullUnsaid = -2;
    // Apart. Removes the claimed folder if this process made it and it is empty.
    void disclaim();
    // Apart. Opens the claimed folder. Returns its descriptor or minus an errno value.
    [[nodiscard]] long open() const;

    // Called in a forked child. Puts this object into its state before `claim`, except that the
    // child shares the folder with its parent.
    void begin_anew();

    // Takes space for one chunk. Returns false if the limit is reached. Any thread may call it.
    [[nodiscard]] bool take_chunk();
    // Does the same for a chunk that may stay unused: only if less than half of the limit is taken.
    [[nodiscard]] bool take_spare_chunk() { return taken_MiB() < most_chunks_ / 2 && take_chunk(); }
    void give_chunk_back() { chunks_.fetch_sub(1, std::memory_order_relaxed); }
    // Apart. Returns true if the processes that share the recording may take one more chunk. With
    // the default limit, the file system of the open `file` must also leave enough free.
    [[nodiscard]] bool leaves_enough_free(long file) const;
    // Apart. Adds a taken chunk to the count of all processes that share the recording.
    void count_chunk() const;
    bool has_default_limit() const { return default_limit_; }
    unsigned long long most_MiB() const { return most_chunks_; }
    unsigned long long taken_MiB() const { return chunks_.load(std::memory_order_relaxed); }

    // Returns true for the first caller of all threads, so that one thread writes the message.
    [[nodiscard]] bool first_to_say_limit() { return first(said_limit_); }
    [[nodiscard]] bool first_to_say_failure() { return first(said_failure_); }
    bool has_reached_limit() const { return said_limit_.load(std::memory_order_relaxed); }

    // note_failure: what the first to say a failure could not do, and minus an errno value. The
    // others return it, for end.json; failed_doing returns null if nothing has failed.
    void note_failure(const char* doing, long reason) {
        failure_.reason.store(reason, std::memory_order_relaxed);
        failure_.doing.store(doing, std::memory_order_release); // [failure-1]
    }
    const char* failed_doing() const { return failure_.doing.load(std::memory_order_acquire); } // [failure-1]
    long failure_reason() const { return failure_.reason.load(std::memory_order_relaxed); }
    [[nodiscard]] bool first_to_say_step_back() { return first(said_step_back_); }
    [[nodiscard]] bool first_to_say_refused(unsigned event) { return first(said_refused_[event]); }

  private:
    struct Failure {
        std::atomic<const char*> doing{nullptr};
        std::atomic<long> reason{0};
    };
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
    Identity identity_;            // of the process's own folder
    Identity shared_identity_;     // of the shared folder: the session's, the parent's, or none
    std::size_t shared_bytes_ = 0; // how much of path_ is the shared folder's path
    std::atomic<std::uint64_t> chunks_{0};
    std::atomic<bool> said_limit_{false}, said_failure_{false}, said_step_back_{false};
    Failure failure_; // [failure-1] who finds `doing` finds `reason`, too
    std::atomic<bool> said_refused_[CountedEvents::kMost] = {};
    char path_[PATH_MAX] = "";
    MemoryGroups memory_groups_;
};

} // namespace teff::probe::trace
