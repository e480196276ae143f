// SPDX-License-Identifier: Apache-2.0
// Places and the display of affinity. Threads are not bound yet: there are no places, as in libgomp without OMP_PLACES.
#include <cstddef>
#include <cstdint>

#include "abi/export.h"
#include "base/report.h"

using namespace teff;

TEFF_EXPORT int omp_get_num_places() { return 0; }
TEFF_EXPORT int omp_get_place_num_procs(int) { return 0; }
TEFF_EXPORT void omp_get_place_proc_ids(int, int*) {}
TEFF_EXPORT int omp_get_place_num() { return -1; }
TEFF_EXPORT int omp_get_partition_num_places() { return 0; }
TEFF_EXPORT void omp_get_partition_place_nums(int*) {}

TEFF_EXPORT void omp_set_affinity_format(const char*) {
    base::fatal(0, "omp_set_affinity_format is not implemented yet");
}
TEFF_EXPORT std::size_t omp_get_affinity_format(char*, std::size_t) {
    base::fatal(0, "omp_get_affinity_format is not implemented yet");
}
TEFF_EXPORT void omp_display_affinity(const char*) { base::fatal(0, "omp_display_affinity is not implemented yet"); }
TEFF_EXPORT std::size_t omp_capture_affinity(char*, std::size_t, const char*) {
    base::fatal(0, "omp_capture_affinity is not implemented yet");
}

TEFF_EXPORT void omp_set_affinity_format_(const char*, std::size_t) {
    base::fatal(0, "omp_set_affinity_format is not implemented yet");
}
TEFF_EXPORT std::int32_t omp_get_affinity_format_(char*, std::size_t) {
    base::fatal(0, "omp_get_affinity_format is not implemented yet");
}
TEFF_EXPORT void omp_display_affinity_(const char*, std::size_t) {
    base::fatal(0, "omp_display_affinity is not implemented yet");
}

TEFF_EXPORT std::int32_t omp_capture_affinity_(char*, const char*, std::size_t, std::size_t) {
    base::fatal(0, "omp_capture_affinity is not implemented yet");
}
