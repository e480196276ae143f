// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/this_processor.h"

#include <dlfcn.h>

namespace teff::probe::trace {

namespace {
constexpr std::ptrdiff_t kProcessorInArea = 4; // rseq::cpu_id: include/uapi/linux/rseq.h
}

void look_for_processor() {
    base::arch::look_for_processor_instruction();
    // An older C library has neither; its program may run here all the same, so no link to them.
    const auto* const size = static_cast<const unsigned*>(dlsym(RTLD_DEFAULT, "__rseq_size"));
    const auto* const offset = static_cast<const std::ptrdiff_t*>(dlsym(RTLD_DEFAULT, "__rseq_offset"));
    if (size == nullptr || offset == nullptr) return void(dlerror()); // what it says is not the program's
    if (*size != 0) where_processor_is = *offset + kProcessorInArea;
}

} // namespace teff::probe::trace
