// SPDX-License-Identifier: Apache-2.0
// The routines for places and for the display of affinity.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "abi/affinity_format.h"
#include "abi/export.h"
#include "abi/first_use.h"
#include "team/team.h"
#include "topo/process_places.h"

using namespace teff;

namespace {

std::string_view text_or_empty(const char* text) {
    return text == nullptr ? std::string_view() : std::string_view(text);
}

// Terminates a text for C with a zero, even if the text is truncated. Returns `length`.
std::size_t terminated(char* buffer, std::size_t size, std::size_t length) {
    if (size != 0) buffer[std::min(length, size - 1)] = '\0';
    return length;
}

// Fills the rest of a text for Fortran with blanks. Returns `length`.
std::int32_t blank_padded(char* buffer, std::size_t size, std::size_t length) {
    if (length < size) std::memset(buffer + length, ' ', size - length);
    return static_cast<std::int32_t>(length);
}

std::span<const topo::ProcessorSet> all_places() { return abi::first_use(), topo::places(); }

bool is_place(std::int64_t place) { return place >= 0 && static_cast<std::uint64_t>(place) < all_places().size(); }

template <class Int> void write_processors(std::int64_t place, Int* processors) {
    if (!is_place(place)) return;
    const topo::ProcessorSet& set = all_places()[static_cast<std::size_t>(place)];
    for (unsigned at = set.next(0); at < topo::ProcessorSet::kCapacity; at = set.next(at + 1))
        *processors++ = static_cast<Int>(at);
}

// Returns the calling thread's binding. Makes the caller a worker and thereby binds it. Called only
// if the process has places.
const team::Binding& own_binding() { return team::current_worker().member->binding; }

template <class Int> void write_partition(Int* places) {
    if (all_places().empty()) return;
    const team::Binding& binding = own_binding();
    for (unsigned i = 0; i < binding.partition_size; ++i)
        places[i] = static_cast<Int>(binding.partition_first + i);
}

} // namespace

TEFF_EXPORT int omp_get_num_places() { return static_cast<int>(all_places().size()); }

TEFF_EXPORT int omp_get_place_num_procs(int place) {
    return is_place(place) ? static_cast<int>(all_places()[static_cast<unsigned>(place)].count()) : 0;
}

TEFF_EXPORT void omp_get_place_proc_ids(int place, int* processors) { write_processors(place, processors); }

TEFF_EXPORT int omp_get_place_num() { return !all_places().empty() ? static_cast<int>(own_binding().place) : -1; }

TEFF_EXPORT int omp_get_partition_num_places() {
    return !all_places().empty() ? static_cast<int>(own_binding().partition_size) : 0;
}

TEFF_EXPORT void omp_get_partition_place_nums(int* places) { write_partition(places); }

TEFF_EXPORT void omp_set_affinity_format(const char* format) {
    abi::first_use(), abi::set_affinity_format(text_or_empty(format));
}

TEFF_EXPORT std::size_t omp_get_affinity_format(char* buffer, std::size_t size) {
    abi::first_use();
    return terminated(buffer, size, abi::copy_affinity_format(buffer, size));
}

TEFF_EXPORT void omp_display_affinity(const char* format) { abi::print_affinity(text_or_empty(format)); }

TEFF_EXPORT std::size_t omp_capture_affinity(char* buffer, std::size_t size, const char* format) {
    return terminated(buffer, size, abi::write_affinity(buffer, size, text_or_empty(format)));
}

TEFF_EXPORT void omp_get_place_proc_ids_(const std::int32_t* place, std::int32_t* processors) {
    write_processors(*place, processors);
}

TEFF_EXPORT void omp_get_place_proc_ids_8_(const std::int64_t* place, std::int64_t* processors) {
    write_processors(*place, processors);
}

TEFF_EXPORT void omp_get_partition_place_nums_(std::int32_t* places) { write_partition(places); }
TEFF_EXPORT void omp_get_partition_place_nums_8_(std::int64_t* places) { write_partition(places); }

TEFF_EXPORT void omp_set_affinity_format_(const char* format, std::size_t length) {
    abi::first_use();
    abi::set_affinity_format({format, length});
}

TEFF_EXPORT std::int32_t omp_get_affinity_format_(char* buffer, std::size_t size) {
    abi::first_use();
    return blank_padded(buffer, size, abi::copy_affinity_format(buffer, size));
}

TEFF_EXPORT void omp_display_affinity_(const char* format, std::size_t length) {
    abi::print_affinity({format, length});
}

TEFF_EXPORT std::int32_t omp_capture_affinity_(char* buffer, const char* format, std::size_t size, std::size_t length) {
    return blank_padded(buffer, size, abi::write_affinity(buffer, size, {format, length}));
}
