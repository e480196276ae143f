// SPDX-License-Identifier: Apache-2.0
#include "task/icvs.h"

#include <new>

namespace teff::task {

static_assert(sizeof(icv::TaskIcvs) <= mem::kBlockBytes[static_cast<unsigned>(mem::BlockSize::kRecord)]);

icv::TaskIcvs& own_icvs(team::Worker& worker, Task& task) {
    if ((task.flags & kOwnIcvs) == 0) {
        task.icvs = ::new (worker.blocks.take(mem::BlockSize::kRecord)) icv::TaskIcvs(*task.icvs);
        task.flags |= kOwnIcvs;
    }
    return const_cast<icv::TaskIcvs&>(*task.icvs); // made above, for this task alone
}

void give_back_icvs(team::Worker& worker, Task& task) {
    icv::TaskIcvs& own = own_icvs(worker, task);
    task.icvs = &icv::initial();
    task.flags &= ~kOwnIcvs;
    worker.blocks.give_back(&own, mem::BlockSize::kRecord);
}

} // namespace teff::task
