// SPDX-License-Identifier: Apache-2.0
#include "task/icvs.h"

#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/report.h"
#include "sync/mutex.h"

namespace teff::task {

namespace {

struct Interned {
    icv::TaskIcvs values;
    Interned* next;
};

bool equal(const icv::TaskIcvs& a, const icv::TaskIcvs& b) {
    return a.nthreads == b.nthreads && a.thread_limit == b.thread_limit && a.max_active_levels == b.max_active_levels &&
           a.default_device == b.default_device && a.default_allocator == b.default_allocator &&
           a.run_sched == b.run_sched && a.bind == b.bind && a.dyn == b.dyn && a.list_position == b.list_position;
}

constinit sync::Mutex lock;
Interned* buckets[64] TEFF_GUARDED_BY(lock);

unsigned bucket_of(const icv::TaskIcvs& values) {
    return (values.nthreads * 31 + static_cast<unsigned>(values.run_sched.chunk) * 7 +
            static_cast<unsigned>(values.run_sched.kind) + values.list_position) %
           64;
}

const icv::TaskIcvs* try_intern(const icv::TaskIcvs& values) {
    const sync::MutexGuard guard(lock);
    Interned*& bucket = buckets[bucket_of(values)];
    for (Interned* at = bucket; at != nullptr; at = at->next)
        if (equal(at->values, values)) return &at->values;
    void* memory = std::malloc(sizeof(Interned));
    if (memory == nullptr) return nullptr;
    bucket = ::new (memory) Interned{values, bucket};
    return &bucket->values;
}

} // namespace

const icv::TaskIcvs* interned(const icv::TaskIcvs& values) {
    const icv::TaskIcvs* known = try_intern(values);
    if (known == nullptr) base::fatal(ENOMEM, "no memory for a set of internal control variables");
    return known;
}

void forget_other_threads() { ::new (&lock) sync::Mutex; } // the lists are whole: each changes by one store

} // namespace teff::task
