// SPDX-License-Identifier: Apache-2.0
//
// Chip: the memory of the modelled SCC, which no hardware keeps coherent.
//
// Words lie in a core's message passing buffer (MPB), in its look-up table (LUT) or in memory;
// place() decides where. The true value of a word is there, on the other side of the mesh. In
// addition a core has:
//
//     L1 cache      lines of words that are placed as cached (pages of type MPBT). A copy stays
//                   as it is, whatever others write, until the core invalidates all of them
//     buffer        one line that the core has written, in parts. It goes out when the core
//                   writes to another line, or reads this one past its cache. A write to a line
//                   that the cache lacks does not fetch it
//     one write     that is on its way: the core continues, but its next access past the cache waits
//
// Accesses to words that are placed as uncached bypass cache and buffer, one word at a time.
// Accesses to LUT entries always do this.
//
// An access is sent over the mesh, first along the row, to the buffer, registers or memory
// controller that it addresses. Each of these serves accesses in the order of their arrival. Each
// link adds its latency. Polling a flag is an access like any other, so flags are slow.
//
// All times are virtual times of a Simulation, to which the cores belong. A run that reaches its
// time limit stops: its cores sleep for ever.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "machine/simulation.h"
#include "machines/scc/costs.h"

namespace teff::machine::scc {

enum class Store : std::uint8_t { mpb, lut, memory };

struct Place {
    Store store = Store::mpb;
    unsigned core = 0;  // whose buffer, or table, or part of memory
    bool cached = true; // MPBT; a LUT entry never is
};

// Receives the events of the chip, for each core in the order of time.
class Watcher {
  public:
    virtual ~Watcher() = default;
    virtual void carry(unsigned link, Time at, unsigned flits) = 0;
};

class Chip {
  public:
    explicit Chip(const Costs& costs);

    // The chip that runs; null outside of run().
    static Chip* active() { return active_; }

    // Called before the run: puts the words at these host addresses into `where`, with the value 0.
    // Returns false if there is not enough space.
    [[nodiscard]] bool place(const void* begin, std::size_t bytes, Place where);
    void watch(Watcher* watcher) { watcher_ = watcher; }

    // Called once: each core executes its part. Returns false if the run did not end before
    // `limit`.
    [[nodiscard]] bool run(const std::vector<std::function<void()>>& parts, Time limit);

    // ---- The running core.
    unsigned core() const { return simulation_.core(); }
    Time now() const { return simulation_.now(); }
    void pass(Time time) { simulation_.pass(time); }
    // `fresh`: ignores a copy that the cache has from earlier.
    std::uint32_t read(const void* word, bool fresh);
    void write(const void* word, std::uint32_t value);
    void invalidate();
    // Sends the contents of the buffer, by a write to a line that is reserved for this core.
    void push_out();
    // Returns when the write that is being sent has arrived.
    void await_write();
    // Reads a core's test-and-set register. Returns true if the register was free; it then belongs
    // to the caller.
    [[nodiscard]] bool take(unsigned of_core);
    void give_back(unsigned of_core);
    // The core whose register guards changes of the word.
    unsigned guard_of(const void* word) const { return find(word).where.core; }
    // Called between two polls of a word that another core will change.
    void relax();

    const Costs& costs() const { return costs_; }
    const Topology& topology() const { return topology_; }
    std::uint64_t accesses() const { return accesses_; } // past caches
    std::uint64_t flits() const { return flits_; }       // over links, each counted on each
    unsigned hops_to_memory(unsigned core, unsigned of_core) const;

    static constexpr unsigned kLineBytes = 32, kMpbBytes = 8192, kLutEntries = 256, kLutBits = 22;

  private:
    static constexpr unsigned kWords = kLineBytes / 4, kSets = 128, kWays = 4;
    static constexpr unsigned kMpbWords = kMpbBytes / 4, kMemoryWords = 4096;
    static constexpr std::uint32_t kNoLine = ~0u;

    struct Line {
        std::uint32_t number = kNoLine;
        std::array<std::uint32_t, kWords> words = {};
        unsigned written = 0;    // of the buffer: a bit for each word
        std::uint64_t epoch = 0; // of the cache: as many invalidations had been when it was fetched
    };
    struct Core {
        std::array<std::array<Line, kWays>, kSets> cache;
        std::array<std::uint8_t, kSets> next_way = {};
        std::uint64_t epoch = 0; // invalidations
        Line buffer;
        Time write_done = 0;
        unsigned used[3] = {}; // words that are placed, of each store
    };
    struct Mapped {
        std::uintptr_t begin, end;
        std::uint32_t address; // of the first word
        Place where;
    };
    struct Spot { // of an access
        unsigned tile;
        bool own;
        Latency latency, service;
        Time* busy;
    };
    enum class Kind : std::uint8_t { read, line_write, word_write };

    const Mapped& find(const void* word) const;
    std::uint32_t address_of(const Mapped& mapped, const void* word) const;
    Place place_of_line(std::uint32_t line) const;
    Spot spot_of(const Place& where, Kind kind);
    Spot spot_of_register(unsigned of_core);
    void cross(unsigned from, unsigned to, unsigned flits, Time& at);
    Time reach(const Spot& spot, unsigned flits_there, unsigned flits_back);
    void read_at(const Spot& spot, unsigned flits_back);
    void write_at(const Spot& spot, unsigned flits_there, const std::function<void()>& take_effect);
    void write_to_buffer(std::uint32_t address, std::uint32_t value);
    void empty_buffer();
    Line* find_copy(std::uint32_t line);
    std::uint32_t dummy_line(unsigned core) const { return (core * kMpbWords + kMpbWords - 1) / kWords; }

    static inline constinit Chip* active_ = nullptr;

    const Costs costs_;
    const Description description_;
    const Topology topology_;
    Simulation simulation_;
    std::vector<Core> cores_;
    std::vector<std::uint32_t> truth_; // all buffers, then all tables, then memory
    std::vector<bool> taken_;          // test-and-set registers
    std::vector<Time> buffers_busy_, registers_busy_, links_busy_;
    std::array<Time, 4> controllers_busy_ = {};
    std::vector<Mapped> mapped_; // by address
    Watcher* watcher_ = nullptr;
    Time limit_ = 0;
    std::uint64_t accesses_ = 0, flits_ = 0;
};

} // namespace teff::machine::scc
