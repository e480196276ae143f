// SPDX-License-Identifier: Apache-2.0
//
// DoacrossNest: the cross-iteration dependences of a loop nest, ordered(n), whose iterations the
// program divides itself (LLVM's compilers), so that the runtime does not know who runs which. One
// bit for each iteration of the nest says that the iteration has reached its source. (Doacross,
// which knows the chunks, needs one number for each chunk.)
//
// The first member that meets the nest makes the object, and the last one that leaves frees it. A
// member keeps it at LoopPlace::nest. The members get it through a construct of its own
// (work_share.h), whose opening orders what the first one did before what the others do.
//
// [nest-1] Posting sets the bit (release), then notifies. A waiter reads the bit (acquire).
// [nest-2] Leaving subtracts a user (acq_rel): the last one sees that no other uses the object.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "base/call_site.h"
#include "loop/iterations.h"
#include "sync/wait_word.h"
#include "team/worker.h"

namespace teff::loop {

// A loop of a nest, with inclusive bounds.
struct NestLoop {
    std::int64_t low, up, step;

    std::uint64_t count() const;
    Iterations iterations() const;
    // Returns the number of the iteration with this value of the loop variable; nothing if there is
    // no such iteration.
    std::optional<std::uint64_t> number_of(std::int64_t value) const;
};

class DoacrossNest {
  public:
    // Called when the calling member meets a nest, the outermost loop first, and when it has left
    // the nest.
    static void enter(team::Worker& worker, std::span<const NestLoop> loops, base::CallSite site);
    static void leave(team::Worker& worker);

    // The iteration at `position` has reached its source. `position` has a value for each loop.
    void post(team::Worker& worker, const std::int64_t* position);
    // Waits until the iteration has reached its source, or the region is cancelled. Returns at once
    // if the nest has no such iteration.
    void wait(team::Worker& worker, const std::int64_t* position, base::CallSite site);

  private:
    static constexpr std::size_t kMostLoops = 16;

    static DoacrossNest* make(std::span<const NestLoop> loops, unsigned users);
    std::optional<std::uint64_t> number_of(const std::int64_t* position) const;
    bool is_posted(std::uint64_t iteration) const;
    void wait_for(team::Worker& worker, std::uint64_t iteration, base::CallSite site);
    std::atomic<std::uint64_t>* words() { return reinterpret_cast<std::atomic<std::uint64_t>*>(this + 1); }
    const std::atomic<std::uint64_t>* words() const { return const_cast<DoacrossNest*>(this)->words(); }

    explicit DoacrossNest(unsigned users) : users_(users) {}

    std::atomic<unsigned> users_; // [nest-2]
    std::uint64_t id_ = 0;        // in the recording; 0 if the nest is not recorded
    sync::WaitWord posted_;
    std::size_t count_ = 0;
    NestLoop loops_[kMostLoops];
};

} // namespace teff::loop
