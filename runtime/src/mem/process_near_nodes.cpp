// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sched.h>

#include "mem/near_nodes.h"

namespace teff::mem {

const NearNodes& near_nodes() {
    static constinit NearNodes found;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] { arrange(topo::numa_nodes(), process_nodes(), found); });
    return found;
}

unsigned node_of_caller() {
    const int processor = sched_getcpu();
    const NearNodes& near = near_nodes();
    return processor >= 0 && static_cast<unsigned>(processor) < near.of_processor.size() ? near.of_processor[processor]
                                                                                         : 0;
}

} // namespace teff::mem
