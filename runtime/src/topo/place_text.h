// SPDX-License-Identifier: Apache-2.0
// Reads OMP_PLACES and GOMP_CPU_AFFINITY. Pure functions, apart from the files that names of places
// stand for (see places.h).
//
//   places    threads, cores, ll_caches, sockets or numa_domains, each also as cores(4): the first 4; or a list of intervals
//   interval  place, place:count or place:count:stride; or !place, which takes an equal place before it out of the list
//   place     {items with commas between them}, or a number alone
//   item      number, number:count or number:count:stride; or !number, which takes that one out of its place
//
// That is the grammar of the specification (5.2, section 21.1.6). An interval shifts its place by
// the stride, 1 if there is none.
#pragma once

#include "topo/places.h"

namespace teff::topo {

struct TextProblem {
    const char* expected = nullptr; // null: no problem
    std::size_t at = 0;             // offset of the character that it is about
};

// Appends the places that the text names. Explicit ones are as written, within `allowed` or not;
// when there is a problem, the list holds what had been read by then.
TextProblem read_places(std::string_view text, const ProcessorSet& allowed, const char* root, PlaceList& places);

// GOMP_CPU_AFFINITY: numbers, ranges and ranges with a stride (0 3 1-2 4-15:2), blanks or commas
// between them. Each processor is a place.
TextProblem read_cpu_affinity(std::string_view text, PlaceList& places);

} // namespace teff::topo
