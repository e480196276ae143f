// SPDX-License-Identifier: Apache-2.0
//
// The modelled memory: x86-TSO store buffers for values, vector clocks for what happens before
// what.
//
// VALUES. Each thread has a first-in-first-out store buffer. Relaxed and release stores enter this
// buffer and reach memory later, in a separate step; the thread itself reads its youngest buffered
// store. Sequentially consistent stores, read-modify-writes, fences and futex calls empty the
// thread's buffer first.
//
// CLOCKS follow the C++ rules, which are weaker than TSO: a release store carries its thread's
// clock, an acquire load learns the clock of the value that it reads, a read-modify-write continues
// the release sequence, relaxed operations need fences around them. So a missing acquire or release
// is reported as a data race, although TSO never reorders the values.

#pragma once

#include "explore/clock.h"
#include "explore/trace.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>

namespace teff::explore {

// An object's construction and number. Each use must come after its construction and before its
// destruction.
struct Object {
    int number = -1;
    int creator = main_slot;
    std::uint32_t created_at = 0;
};

// An atomic object.
struct Location : Object {
    std::uint64_t value = 0;
    Clock released; // what an acquire load of the value learns
    Clock used;     // the last use by each thread
};

// The accesses to a plain, non-atomic object.
struct PlainAccesses : Object {
    Clock reads;
    Clock writes;
};

class Memory {
  public:
    explicit Memory(Trace& trace) : trace_(trace) {}

    void reset();
    void start_thread(int slot);
    void join_thread(int slot);

    void create(int slot, Object& object, const void* address, const char* kind);
    // Forgets the stores to a destroyed location that are still in a buffer.
    void forget(const Location& location);

    // The value read; sees the thread's own buffer.
    std::uint64_t load(int slot, Location& location, std::memory_order order);
    void store(int slot, Location& location, std::uint64_t value, std::memory_order order);
    // A read-modify-write: begin_update(), then acquire(), then update() if it writes.
    std::uint64_t begin_update(int slot, Location& location);
    void acquire(int slot, const Location& location, std::memory_order order);
    void update(int slot, Location& location, std::uint64_t value, std::memory_order order);
    void fence(int slot);

    bool has_buffered(int slot) const { return !view(slot).buffer.empty(); }
    const Location* oldest_buffered(int slot) const { return view(slot).buffer.front().location; }
    void flush_oldest(int slot);
    void drain(int slot);

    // Each returns a thread whose access is not ordered with this one, or -1.
    int unordered_birth(int slot, const Object& object) const;
    int unordered_end(int slot, const Location& location) const;
    int unordered_read(int slot, PlainAccesses& plain);
    int unordered_write(int slot, PlainAccesses& plain);

    // How often threads other than `slot` have changed memory.
    std::uint64_t writes_by_others(int slot) const { return writes_ - view(slot).writes; }
    std::uint64_t writes() const { return writes_; }

  private:
    struct BufferedStore {
        Location* location;
        std::uint64_t value;
        Clock released;
    };
    // What one thread knows, and which of its stores the others do not see yet.
    struct View {
        Clock clock;
        Clock fence_released;   // the clock at the last fence: relaxed stores publish it
        Clock fence_acquirable; // what relaxed loads saw: the next fence learns it
        std::deque<BufferedStore> buffer;
        std::uint64_t writes = 0;
    };

    View& view(int slot) { return views_[static_cast<std::size_t>(slot)]; }
    const View& view(int slot) const { return views_[static_cast<std::size_t>(slot)]; }
    void tick(int slot) { ++view(slot).clock.at[static_cast<std::size_t>(slot)]; }
    void use(int slot, Location& location);
    void write(int slot, Location& location, std::uint64_t value, const Clock& released);
    const Clock& published(int slot, std::memory_order order) const;

    Trace& trace_;
    std::array<View, max_slots> views_;
    std::uint64_t writes_ = 0;
};

} // namespace teff::explore
