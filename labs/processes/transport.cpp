// SPDX-License-Identifier: Apache-2.0
#include "processes/transport.h"

namespace teff::processes {

namespace {
const Transport* const kinds[] = {&socket_transport, &ring_transport};
const Transport* used = kinds[0];
} // namespace

const Transport& transport() { return *used; }

void choose_transport(std::string_view name) {
    for (const Transport* kind : kinds)
        if (kind->name == name) used = kind;
}

} // namespace teff::processes
