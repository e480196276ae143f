// SPDX-License-Identifier: Apache-2.0
//
// ChunkFile: the file of one stream, and the chunk of it that is in memory.
//
// Owned and used by the stream's own thread. Each chunk is provided by one piece of work apart
// (apart.h): it opens the file, reserves the chunk on the disk, maps it and closes the file again.
// So a full disk shows as an error there, and not later as SIGBUS; a file that is no longer the
// stream's own (replaced, removed, in another root) is not touched.
//
// The next chunk can be made ready beforehand, by a thread that nobody waits for: `prepare`, when
// the present one is partly full. Then `next` only takes it, and waits no longer than that takes.
//
//     none ──prepare──> under way ──next──> none
//                           └────────trim──> dropped      (the program ends: nobody needs it)
//
// The stream's thread takes the edges of the first line. The thread that ends the recording takes
// `trim`, and only when the work is over. [ahead-1] whoever takes the state from `under way` has
// what the thread that made it so has stored before; what the work apart has stored, [apart-1]
// gives. Where it cannot be made ready, `next` makes it as if nobody had tried, and says what is
// wrong.
//
// [tail-1] Who sees that there is a chunk sees which file it is in.
//
// A fresh chunk takes the place of the last but one in memory. A forked child does not get it, if
// the stream says so.
#pragma once

#include <atomic>
#include <cstdint>
#include <sys/stat.h>

#include "probe/trace/apart.h"
#include "probe/trace/folder.h"

namespace teff::probe::trace {

class ChunkFile {
  public:
    // What could not be done, and why: minus an errno value, or one of these.
    struct Failure {
        const char* doing;
        long reason;
    };
    static constexpr long kNone = 0, kLimit = 1;

    ChunkFile(Folder& folder, std::uint32_t number);

    // The chunk that follows, zero from end to end; null: `failure` has why.
    [[nodiscard]] char* next(const Guest& guest, bool keep_from_children, Failure& failure);
    // The one after that, once for each.
    void prepare(const Guest& guest, bool keep_from_children);
    // Apart, by any thread, when the recording is over: a chunk that was prepared and not taken,
    // and what is empty of the last one, is given back to the disk; the file keeps its length.
    void trim();
    // For tests: nothing of it is left in memory.
    void unmap();

    // The chunk in memory; null: none.
    void* place() const { return place_; }
    // How many there are.
    std::uint64_t chunks() const { return chunks_.load(std::memory_order_relaxed); }
    Folder& folder() const { return folder_; }
    const char* name() const { return name_; }

  private:
    // These are done apart, and return minus an errno value where they fail.
    void open_and_map(char*& place, bool keep_from_children, Failure& failure);
    long open(Failure& failure);
    long make(long folder);
    long open_again(long folder) const;
    long note_identity(long file);
    long map(long file, char*& place, bool keep_from_children);

    enum class Ahead : std::uint8_t { kNone, kUnderWay, kDropped };
    bool try_ahead(Ahead from, Ahead to) {
        return ahead_.compare_exchange_strong(from, to, std::memory_order_acq_rel); // [ahead-1]
    }
    char* take_prepared();
    char* count(char* chunk) {
        chunks_.store(chunks() + 1, std::memory_order_release); // [tail-1]
        return chunk;
    }
    void trim_prepared(long file);
    static void trim_tail(long file, std::uint64_t chunks);

    Folder& folder_;
    char name_[24];
    bool made_ = false; // the file
    Identity identity_;
    std::atomic<std::uint64_t> chunks_{0}; // [tail-1]
    char* place_ = nullptr;                // of the chunk in memory
    char* other_ = nullptr;                // of the one before it, or, while the work is under way, after it
    std::atomic<Ahead> ahead_{Ahead::kNone};
    bool keeps_from_children_ = false;
    Failure ahead_failure_{};
    ApartThread thread_;
    ApartStack stack_;
};

} // namespace teff::probe::trace
