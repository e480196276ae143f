// SPDX-License-Identifier: Apache-2.0
//
// Places: a place is a set of processors. This file declares a growing list of places, and a
// function that appends the places of the machine's topology, which the kernel describes below
// /sys/devices/system.
//
// A PlaceList is used by one thread. It owns its memory until `release`. If there is no memory for
// a place, the list prints a message and ends the program.
#pragma once

#include <span>
#include <utility>

#include "topo/processor_set.h"

namespace teff::topo {

class PlaceList {
  public:
    static constexpr unsigned kLimit = ProcessorSet::kCapacity; // more places than processors have no use

    PlaceList() = default;
    ~PlaceList();
    PlaceList(const PlaceList&) = delete;
    PlaceList& operator=(const PlaceList&) = delete;

    unsigned size() const { return size_; }
    const ProcessorSet& operator[](unsigned index) const { return places_[index]; }

    // Returns false if the list is full.
    [[nodiscard]] bool append(const ProcessorSet& place);

    // Removes the first place that equals `place`. Returns false if no place equals `place`.
    [[nodiscard]] bool remove(const ProcessorSet& place);

    // Removes from each place the processors that are not in `allowed`, and then removes from the
    // list the places that have become empty.
    void keep_only(const ProcessorSet& allowed);

    void clear() { size_ = 0; }

    // Returns the places and leaves the list empty. The memory of the places is never freed.
    std::span<const ProcessorSet> release() { return {std::exchange(places_, nullptr), std::exchange(size_, 0)}; }

  private:
    ProcessorSet* places_ = nullptr;
    unsigned size_ = 0;
    unsigned capacity_ = 0;
};

// The abstract names of the specification (5.2, section 21.1.6), and dies, which it does not name.
enum class Level : std::uint8_t { threads, cores, ll_caches, dies, sockets, numa_domains };

// Appends the places of this level, at most the first `limit`, in the order of their lowest
// processors. Processors that are not in `allowed` are ignored. A pure function of the files below
// `root`: "" for the real files, another folder for the files of a test. If the kernel does not
// tell the place of a processor, the processor becomes a place of its own, which is certainly
// right.
void append_level(Level level, const ProcessorSet& allowed, unsigned limit, const char* root, PlaceList& places);

} // namespace teff::topo
