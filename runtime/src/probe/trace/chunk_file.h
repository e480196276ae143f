// SPDX-License-Identifier: Apache-2.0
//
// ChunkFile: the file of one stream, and its chunk that is mapped into memory.
//
// A ChunkFile is owned and used by the stream's own thread. Each chunk is made on a separate
// thread, apart from the program (apart.h): that thread opens the file, reserves the chunk on the
// disk, maps the chunk and closes the file again. So a full disk causes an error at this time, and
// not a SIGBUS later. A file that is no longer the stream's own (replaced, removed, in another
// root) is not touched.
//
// The next chunk can be prepared while the present chunk is partly full: `prepare` starts a thread
// for this work and does not wait for it. Then `next` only takes the prepared chunk, and waits only
// if the work is not over.
//
//     none ──prepare──> under way ──next──> none
//                           └────────trim──> dropped      (the program ends: no thread needs it)
//
// The stream's thread makes the transitions of the first line. The thread that ends the recording
// makes the transition `trim`, and only when the work is over. A thread that changes the state
// `under way` to another state sees everything that was stored before the state became `under way`
// [ahead-1]. It also sees everything that the separate thread has stored [apart-1]. If a chunk
// could not be prepared, `next` makes the chunk as if `prepare` had not been called, and reports
// any failure.
//
// [tail-1] If `chunks_` tells a thread that a chunk exists, the thread also sees the file's
// identity.
//
// A file may be a ring: it has places for a fixed number of chunks, and further chunks take the
// places of the oldest ones. Such a chunk takes no more of the disk, and no more of the limit.
//
// A fresh chunk is mapped in place of the last chunk but one, or of the last chunk if there was no
// time to prepare one. The separate thread seals (chunk_seal.h) the chunk that is in that place. So
// when the recording ends, the last two chunks have no seal. A forked child does not get the chunk
// if the caller asks for this (`keep_from_children`).
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

    ChunkFile(Folder& folder, std::uint32_t number);

    // Makes the file a ring of `chunks` places, at least kLeastRing. Called before the first chunk.
    static constexpr std::uint32_t kLeastRing = 4;
    void keep_last(std::uint32_t chunks) { ring_ = chunks > kLeastRing ? chunks : kLeastRing; }
    bool is_ring() const { return ring_ != 0; }

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
    // Seals the chunks that have no seal yet (chunk_seal.h). Returns the offset in the file at
    // which the last record ends; 0: there is no file, or it cannot be read. Runs apart, on any
    // thread, when the recording is over.
    [[nodiscard]] std::uint64_t seal();
    // Gives unused space back to the disk: a chunk that was prepared and not taken, and the empty
    // rest of the last chunk. The file keeps its length. Runs apart, on any thread, when the
    // recording is over.
    void trim();
    // For tests only: unmaps all chunks.
    void unmap();

    // Returns the chunk in memory, or null if there is none.
    void* place() const { return place_; }
    // Returns how many chunks the stream has taken so far.
    std::uint64_t chunks() const { return chunks_.load(std::memory_order_relaxed); }
    Folder& folder() const { return folder_; }
    const char* name() const { return name_; }

  private:
    // These run apart. Those with a result return minus an errno value if they fail.
    void open_and_map(char*& place, bool keep_from_children, Failure& failure);
    void prepare_next();
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
    static std::size_t seal_chunk(long file, std::uint64_t offset, bool is_last);
    void trim_prepared(long file);
    void trim_tail(long file, std::uint64_t chunks) const;
    bool overwrites() const { return ring_ != 0 && chunks() >= ring_; } // the next chunk
    // Where the chunk with this number lies in the file.
    std::uint64_t offset(std::uint64_t chunk) const;
    bool take_space() { return overwrites() || folder_.take_chunk(); }
    void give_space_back() {
        if (!overwrites()) folder_.give_chunk_back();
    }

    Folder& folder_;
    char name_[24];
    std::uint32_t ring_ = 0; // the number of places; 0: no ring
    bool made_ = false;      // whether the file has been made
    Identity identity_;
    std::atomic<std::uint64_t> chunks_{0}; // [tail-1]
    char* place_ = nullptr;                // the chunk in memory
    char* other_ = nullptr;                // the chunk before it; while work is under way, the chunk after it
    std::atomic<Ahead> ahead_{Ahead::kNone};
    bool keeps_from_children_ = false;
    Failure ahead_failure_{};
    Preparation preparation_{};
    bool was_prepared_ = false; // the present chunk
    ApartThread thread_;
    ApartStack stack_;
};

} // namespace teff::probe::trace
