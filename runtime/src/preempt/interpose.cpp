// SPDX-License-Identifier: Apache-2.0
#include "preempt/interpose.h"

#include <cstring>
#include <initializer_list>

namespace teff::preempt {

const Interposed* find_interposed(const char* name) {
    for (const auto list : {interposed_locks(), interposed_callbacks(), interposed_sleeps(), interposed_signals()})
        for (const Interposed& candidate : list)
            if (candidate.function != nullptr && std::strcmp(candidate.name, name) == 0) return &candidate;
    return nullptr;
}

} // namespace teff::preempt
