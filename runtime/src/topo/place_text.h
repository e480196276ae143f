// SPDX-License-Identifier: Apache-2.0
// Parses OMP_PLACES and GOMP_CPU_AFFINITY. The functions are pure, except that an abstract name
// such as cores makes read_places read the kernel's files (see places.h).
//
//   places    threads, cores, ll_caches, sockets or numa_domains, each also with a number, as in cores(4): the first 4;
//             or a list of intervals, separated by commas
//   interval  place, place:count or place:count:stride; or !place, which removes the first equal place before it
//   place     {items, separated by commas}, or a number alone
//   item      number, number:count or number:count:stride; or !number, which removes this number from its place
//
// This is the grammar of the specification (5.2, section 21.1.6). An interval is `count` places;
// each place after the first is the previous place, shifted by the stride. The stride is 1 if the
// text gives none.
#pragma once

#include "topo/places.h"
#include "topo/text_cursor.h"

namespace teff::topo {

// Appends the places that the text names. `allowed` limits the places of an abstract name only;
// explicit places are appended as written. If there is a problem, the list contains the places
// that were read before the problem.
TextProblem read_places(std::string_view text, const ProcessorSet& allowed, const char* root, PlaceList& places);

// Parses GOMP_CPU_AFFINITY: numbers, ranges and ranges with a stride, separated by blanks or
// commas, such as 0 3 1-2 4-15:2. Appends a place for each processor.
TextProblem read_cpu_affinity(std::string_view text, PlaceList& places);

} // namespace teff::topo
