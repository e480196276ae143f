// SPDX-License-Identifier: Apache-2.0
#include "device/transport.h"

#include <cstring>
#include <initializer_list>

namespace teff::device {

const Transport* transport_named(const char* name, std::size_t length) {
    for (const Transport* const one : {&socket_transport, &openmpi_transport, &mpich_transport, &any_mpi_transport})
        if (std::strlen(one->name) == length && std::memcmp(one->name, name, length) == 0) return one;
    return nullptr;
}

} // namespace teff::device
