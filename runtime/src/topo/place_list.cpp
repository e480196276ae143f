// SPDX-License-Identifier: Apache-2.0
#include "topo/place_list.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/report.h"

namespace teff::topo {

PlaceList::~PlaceList() { std::free(places_); }

bool PlaceList::append(const ProcessorSet& place) {
    if (size_ == kLimit) return false;
    if (size_ == capacity_) {
        capacity_ = std::max(capacity_ * 2, 8u);
        void* memory = std::realloc(static_cast<void*>(places_), capacity_ * sizeof(ProcessorSet));
        if (memory == nullptr) base::fatal(ENOMEM, "no memory for %u places", capacity_);
        places_ = static_cast<ProcessorSet*>(memory);
    }
    ::new (&places_[size_++]) ProcessorSet(place);
    return true;
}

bool PlaceList::remove(const ProcessorSet& place) {
    ProcessorSet* const end = places_ + size_;
    ProcessorSet* const found = std::find(places_, end, place);
    if (found == end) return false;
    std::copy(found + 1, end, found);
    --size_;
    return true;
}

void PlaceList::keep_only(const ProcessorSet& allowed) {
    unsigned kept = 0;
    for (unsigned i = 0; i < size_; ++i) {
        ProcessorSet place = places_[i];
        place &= allowed;
        if (!place.empty()) places_[kept++] = place;
    }
    size_ = kept;
}

} // namespace teff::topo
