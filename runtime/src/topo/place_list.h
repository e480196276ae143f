// SPDX-License-Identifier: Apache-2.0
// A growing list of places, each a set of processors. It owns its memory until `release` hands that
// over for good.
//
// Owner: one thread. Ends the program, with a message, if there is no memory.
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

} // namespace teff::topo
