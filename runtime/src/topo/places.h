// SPDX-License-Identifier: Apache-2.0
//
// Places, each a set of processors: a growing list of them, and those that the shape of the machine
// gives, as the kernel describes it below /sys/devices/system.
//
// A list's owner: one thread. It owns its memory until `release` hands that over for good, and ends
// the program, with a message, if there is none.
#pragma once

#include <span>
#include <utility>

#include "topo/processor_set.h"

namespace teff::topo {

class PlaceList {
  public:
    static constexpr unsigned kLimit = ProcessorSet::kCapacity; // more places than processors serve no one

    PlaceList() = default;
    ~PlaceList();
    PlaceList(const PlaceList&) = delete;
    PlaceList& operator=(const PlaceList&) = delete;

    unsigned size() const { return size_; }
    const ProcessorSet& operator[](unsigned index) const { return places_[index]; }

    // False: the list is full.
    [[nodiscard]] bool append(const ProcessorSet& place);

    // Takes the first place that equals `place` out of the list. False: there is none.
    [[nodiscard]] bool remove(const ProcessorSet& place);

    // Takes other processors out of all places, and places without processors out of the list.
    void keep_only(const ProcessorSet& allowed);

    void clear() { size_ = 0; }

    // The places, which are never freed from now on.
    std::span<const ProcessorSet> release() { return {std::exchange(places_, nullptr), std::exchange(size_, 0)}; }

  private:
    ProcessorSet* places_ = nullptr;
    unsigned size_ = 0;
    unsigned capacity_ = 0;
};

// The abstract names of the specification (5.2, section 21.1.6).
enum class Level : std::uint8_t { threads, cores, ll_caches, sockets, numa_domains };

// Appends the first `limit` places of this level, or all there are, in the order of their lowest
// processors. Only processors in `allowed` count. A pure function of the files below `root`: "" for
// the real ones, another folder for a test's. What the kernel does not tell makes the smallest
// place that is certainly right: a processor of its own.
void append_level(Level level, const ProcessorSet& allowed, unsigned limit, const char* root, PlaceList& places);

} // namespace teff::topo
