// SPDX-License-Identifier: Apache-2.0
// Doors of the target constructs. There are no devices, so nothing is mapped or copied: data are where the host keeps them.
#include <cstddef>

#include "abi/export.h"
#include "base/report.h"

using namespace teff;

using Body = void (*)(void*);

// Code for devices that nobody will run.
TEFF_EXPORT void GOMP_offload_register(const void*, int, const void*) {}
TEFF_EXPORT void GOMP_offload_unregister(const void*, int, const void*) {}
TEFF_EXPORT void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
TEFF_EXPORT void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}

TEFF_EXPORT void GOMP_target(int, Body, const void*, std::size_t, void**, std::size_t*, unsigned char*) {
    base::fatal(0, "GOMP_target is not implemented yet: the program uses target regions");
}

TEFF_EXPORT void GOMP_target_ext(int, Body, std::size_t, void**, std::size_t*, unsigned short*, unsigned, void**,
                                 void**) {
    base::fatal(0, "GOMP_target_ext is not implemented yet: the program uses target regions");
}

TEFF_EXPORT void GOMP_target_data(int, const void*, std::size_t, void**, std::size_t*, unsigned char*) {
    base::fatal(0, "GOMP_target_data is not implemented yet: the program maps data to a device");
}

TEFF_EXPORT void GOMP_target_data_ext(int, std::size_t, void**, std::size_t*, unsigned short*) {
    base::fatal(0, "GOMP_target_data_ext is not implemented yet: the program maps data to a device");
}

TEFF_EXPORT void GOMP_target_end_data() {
    base::fatal(0, "GOMP_target_end_data is not implemented yet: the program maps data to a device");
}

TEFF_EXPORT void GOMP_target_update(int, const void*, std::size_t, void**, std::size_t*, unsigned char*) {
    base::fatal(0, "GOMP_target_update is not implemented yet: the program copies data between host and device");
}

TEFF_EXPORT void GOMP_target_update_ext(int, std::size_t, void**, std::size_t*, unsigned short*, unsigned, void**) {
    base::fatal(0, "GOMP_target_update_ext is not implemented yet: the program copies data between host and device");
}

TEFF_EXPORT void GOMP_target_enter_exit_data(int, std::size_t, void**, std::size_t*, unsigned short*, unsigned,
                                             void**) {
    base::fatal(0, "GOMP_target_enter_exit_data is not implemented yet: the program maps data to a device");
}
