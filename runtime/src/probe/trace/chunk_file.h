// SPDX-License-Identifier: Apache-2.0
//
// ChunkFile: the file of one stream, and its two buffers, which the stream fills in turn.
//
// A buffer is a chunk in memory: a shared mapping of one of the first places in the file, so what
// it holds survives the death of the process. A page of a fresh mapping of a file costs 3 to 4 us,
// so the buffers stay mapped. When a buffer is full, its chunk is copied to a further place in the
// file (pwrite, 0.6 us a page), and the buffer holds a later chunk. So chunks do not lie in the
// order of their sequence numbers. A reader takes them in this order (teff_trace.h).
//
//     the file:   buffer 0 | buffer 1 | chunk 0 | chunk 1 | chunk 2 | ...
//
// A buffer's states, and who makes the transitions:
//
//     none ──make──> empty ──begin──> current ──leave──> left ──seal──> sealed ──copy──> copied
//                      ^                                                                    │
//                      └─────────────────────────────clear──────────────────────────────────┘
//
//     begin, leave               the stream's thread (Stream::begin_chunk, `next`)
//     make, seal, copy, clear    a thread apart from the program (apart.h): it opens the file,
//                                reserves places on the disk, and closes the file again
//
// Killed. Every record lies in a buffer or in a whole copy at any instant. `copy` ends before
// `clear` begins, and `clear` first takes away the magic of the buffer. So a killed process leaves
// a chunk once, or in a buffer and in a further place, where the copy may have ended in the middle.
// The buffer's chunk then counts, as its place is the lower one.
//
// Full disks. A place is reserved before it is needed: a buffer's place before the buffer is
// mapped, a copy's place before the copy. So a full disk causes an error at this time, and not a
// SIGBUS later. If a chunk cannot be copied, it stays in its buffer, where a reader finds it. Then
// the stream has no next chunk. A file that is no longer the stream's own (replaced, removed, in
// another root) is not touched.
//
// The next chunk can be prepared while the present chunk is partly full: `prepare` starts a thread
// for this work and does not wait for it. Then `next` only takes the empty buffer, and waits only
// if the work is not over. `Ahead` says who may change the buffers in other ways than by storing
// records:
//
//     none ──prepare, next──> busy ──prepare──> under way ──next──> busy ──next──> none
//      └──────────────────────────────end──────────┴─────────> ended
//
// In `none` and `busy` this is the stream's thread, in `under way` the thread apart, in `ended` the
// thread that ends the recording. The stream's thread makes the transitions of the first line. The
// thread that ends the recording makes the transition `end`, and waits until a thread apart is
// over. An ended stream gets no further chunk. A thread that changes the state sees everything that
// was stored before the state became what it was [ahead-1]. It also sees everything that the
// separate thread has stored [apart-1]. If a chunk could not be prepared, `next` makes the chunk as
// if `prepare` had not been called, and reports any failure.
//
// [tail-1] If `chunks_` tells a thread that a chunk exists, the thread also sees the file's
// identity.
//
// A file may be a ring: it has a fixed number of places, and further copies take the places of the
// oldest ones. Such a chunk takes no more of the disk, and no more of the limit.
//
// A stream may have one buffer only, as mappings are limited (stream_memory.h), or as there is no
// memory for the second one. Then `next` waits until its chunk is copied. A forked child does not
// get the buffers if the caller asks for this (`keep_from_children`).
//
// Rejected (docs/decisions/0049): a file of its own for the buffers, as its chunks would have to be
// moved when the recording ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <sys/stat.h>

#include "base/clock.h"
#include "probe/trace/apart.h"
#include "probe/trace/folder.h"

namespace teff::probe::trace {

class ChunkFile {
  public:
    // What could not be done, and why. `reason` is minus an errno value, kNone or kLimit.
    struct Failure {
        const char* doing;
        long reason;
    };
    static constexpr long kNone = 0, kLimit = 1;

    // `has_two`: the stream has two buffers.
    ChunkFile(Folder& folder, std::uint32_t number, bool has_two);

    // Makes the file a ring of `chunks` places, at least kLeastRing. Called before the first chunk.
    static constexpr std::uint32_t kLeastRing = 4;
    void keep_last(std::uint32_t chunks) { ring_ = chunks > kLeastRing ? chunks : kLeastRing; }
    std::uint32_t ring() const { return ring_; } // its places; 0: no ring

    // Returns the next chunk, all zero; returns null if there is none, and `failure` says why.
    [[nodiscard]] char* next(const Guest& guest, bool keep_from_children, Failure& failure);
    // Returns the work of the thread that prepared the present chunk; null if none did. Valid until
    // the next call of `prepare`.
    struct Preparation {
        base::Ticks began, ticks;
        std::uint32_t processor; // where it began
    };
    const Preparation* preparation() const { return was_prepared_ ? &preparation_ : nullptr; }
    // Starts to prepare the chunk after the present one. Called once for each chunk.
    void prepare(const Guest& guest, bool keep_from_children);
    // Seals the chunks in the buffers (chunk_seal.h). Returns where in the stream the last record
    // ends, in bytes; 0: there is no file, or it cannot be read. From now on there is no next
    // chunk. Runs apart, on any thread, when the recording is over.
    [[nodiscard]] std::uint64_t seal();
    // Gives unused space back to the disk: an empty buffer, and the empty rest of the last chunk.
    // The file keeps its length. The rest is as for `seal`.
    void trim();
    // For tests only: waits until the work that `prepare` has begun is over; unmaps the buffers.
    void settle();
    void unmap();

    // Returns the chunk in memory, or null if there is none.
    void* place() const { return buffers_[current_]; }
    // Returns how many chunks the stream has taken so far.
    std::uint64_t chunks() const { return chunks_.load(std::memory_order_relaxed); }
    Folder& folder() const { return folder_; }
    const char* name() const { return name_; }

  private:
    // These run apart. Those with a result return minus an errno value if they fail.
    void make_ready(unsigned buffer, bool keep_from_children, Failure& failure);
    void prepare_next();
    long open(Failure& failure);
    long make(long folder);
    long open_again(long folder) const;
    long note_identity(long file);
    long make_buffer(long file, unsigned buffer, bool keep_from_children);
    long empty_buffer(long file, char* chunk);

    enum class Ahead : std::uint8_t { kNone, kBusy, kUnderWay, kEnded };
    bool try_ahead(Ahead from, Ahead to) {
        return ahead_.compare_exchange_strong(from, to, std::memory_order_acq_rel); // [ahead-1]
    }
    void leave_busy(Ahead to) { ahead_.store(to, std::memory_order_release); } // [ahead-1]
    bool end();
    bool try_end();
    char* take_prepared();
    char* take(unsigned buffer) {
        current_ = buffer;
        chunks_.store(chunks() + 1, std::memory_order_release); // [tail-1]
        return buffers_[buffer];
    }
    // The buffer that the next chunk gets.
    unsigned next_buffer() const { return has_two_ && chunks() != 0 ? 1 - current_ : current_; }
    unsigned buffers() const { return has_two_ ? 2 : 1; }
    // Calls `work(file, last, other)` with the open file of an ended stream: the buffer with the
    // last chunk that has begun, and the other one.
    template <class Work> void with_ended_file(Work&& work);
    static void trim_empty(long file, unsigned buffer);
    static void trim_tail(long file, unsigned buffer);
    bool overwrites() const { return ring_ != 0 && chunks() >= ring_; } // the next chunk
    bool take_space() { return overwrites() || folder_.take_chunk(); }
    void give_space_back() {
        if (!overwrites()) folder_.give_chunk_back();
    }

    Folder& folder_;
    char name_[24];
    std::uint32_t ring_ = 0; // the number of places; 0: no ring
    bool has_two_;
    bool made_ = false; // whether the file has been made
    Identity identity_;
    std::atomic<std::uint64_t> chunks_{0}; // [tail-1]
    char* buffers_[2] = {};                // null: not made
    unsigned current_ = 0;                 // the buffer that the stream fills
    std::uint64_t copied_ = 0;             // chunks
    std::atomic<Ahead> ahead_{Ahead::kNone};
    bool keeps_from_children_ = false;
    Failure ahead_failure_{};
    Preparation preparation_{};
    bool was_prepared_ = false; // the present chunk
    ApartThread thread_;
    ApartStack stack_;
};

} // namespace teff::probe::trace
