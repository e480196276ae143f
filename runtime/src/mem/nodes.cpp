// SPDX-License-Identifier: Apache-2.0
#include "mem/nodes.h"

#include <pthread.h>

namespace teff::mem {

Nodes usable_nodes(const topo::NumaNodes& machine, const Allowance& allowance) {
    Nodes nodes;
    nodes.count = 0;
    for (unsigned node = 0; node < machine.count; ++node) {
        const unsigned number = machine.number[node];
        if (allowance.has(number)) nodes.add(number);
    }
    if (nodes.count == 0) nodes.add(machine.number[0]); // nothing to spread over
    return nodes;
}

const Nodes& process_nodes() {
    static constinit Nodes found;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] {
        Allowance allowance;
        if (ask_allowance(allowance) != 0)
            allowance = {}; // refused: then the calls that spread
                            // memory are refused, too
        found = usable_nodes(topo::numa_nodes(), allowance);
    });
    return found;
}

} // namespace teff::mem
