// SPDX-License-Identifier: Apache-2.0
//
// Memory: how long a core of a modelled machine takes to get data.
//
// Data are fetched in chunks, whose parts may lie on several nodes. The time for a chunk is (lines
// x latency / number of concurrent misses). Its parts queue at several servers at once: at the
// memory controller (or home tile) of their node, and at each link on their path. Each server
// serves its requests in the order of their arrival, and takes a fixed time for each line. The
// chunk begins when the last of its servers begins to serve it, and ends no sooner than the last of
// them has served it. Written data go back as well: no core waits for this, but it keeps the
// servers busy.
//
// Each node has a cache of chunks, which its cores share and which evicts the least recently used
// chunk. A chunk that another node has written since is not taken from the cache.
//
// Callers must call in the order of their times, which makes the queues first come, first served.
#pragma once

#include <list>
#include <unordered_map>
#include <vector>

#include "machine/topology.h"

namespace teff::machine {

// Lines of a chunk on one node.
struct Part {
    std::uint32_t node = 0, lines = 0;
};

struct Chunk {
    std::uint64_t id = 0;
    std::uint64_t bytes = 0;
    std::vector<Part> parts;
};

inline constexpr std::uint64_t kChunkBytes = 64 << 10; // at most

enum class Access : std::uint8_t { read, write };

class Memory {
  public:
    Memory(const Description& description, const Topology& topology);

    // A core of `node` requests the chunk at `now`. Returns when the core has the chunk.
    [[nodiscard]] Time fetch(unsigned node, const Chunk& chunk, Access access, Time now);

    // For how long a node's controller has been busy.
    Time busy(unsigned node) const { return controllers_[node].busy; }
    std::uint64_t hits() const { return hits_; }
    std::uint64_t misses() const { return misses_; }

  private:
    struct Server {
        Time free = 0; // from then on
        Time busy = 0;
        // Returns when the server begins a request that arrives at `at`.
        Time serve(Time at, Time work) {
            const Time begin = at > free ? at : free;
            free = begin + work;
            busy += work;
            return begin;
        }
    };
    struct Copy {
        std::list<std::uint64_t>::iterator place;
        std::uint64_t version, bytes;
    };
    struct Cache {
        std::list<std::uint64_t> order; // the one used last comes first
        std::unordered_map<std::uint64_t, Copy> copies;
        std::uint64_t bytes = 0;
    };

    bool find_copy(unsigned node, const Chunk& chunk);
    void keep_copy(unsigned node, const Chunk& chunk);
    void note_write(unsigned node, const Chunk& chunk);
    Time transfer(unsigned node, const Chunk& chunk, Time now);
    void write_back(unsigned node, const Chunk& chunk, Time now);

    const Description& description_;
    const Topology& topology_;
    std::vector<Server> controllers_, links_;
    std::vector<Cache> caches_;
    std::unordered_map<std::uint64_t, std::uint64_t> versions_; // of chunks that were written
    std::uint64_t hits_ = 0, misses_ = 0;
};

} // namespace teff::machine
