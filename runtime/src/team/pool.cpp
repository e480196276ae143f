// SPDX-License-Identifier: Apache-2.0
#include "team/pool.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/futex.h"
#include "base/report.h"
#include "icv/icv.h"
#include "sync/mutex.h"
#include "team/probes.h"
#include "team/team.h"

namespace teff::team {

namespace detail {
constinit thread_local Worker* this_worker [[gnu::tls_model("initial-exec")]] = nullptr;
}

namespace {

constinit Team no_team;

constinit sync::Mutex lock;
Worker* idle_workers TEFF_GUARDED_BY(lock) = nullptr;    // pool threads without a team
Worker* retired_workers TEFF_GUARDED_BY(lock) = nullptr; // records whose threads have ended
std::uint32_t worker_count TEFF_GUARDED_BY(lock) = 0;
WorkerMain worker_main = nullptr;
std::atomic<std::uint32_t> retiring{0}; // number of threads that were retired and have not ended

Worker* pop(Worker*& list) {
    Worker* worker = list;
    if (worker != nullptr) list = worker->next_free;
    return worker;
}

void push(Worker*& list, Worker& worker) {
    worker.next_free = list;
    list = &worker;
}

void* pool_thread(void* argument) {
    auto& worker = *static_cast<Worker*>(argument);
    set_current_worker(&worker);
    attach_probes(worker, false);
    worker_main(worker);
    detach_probes(worker);
    set_current_worker(nullptr); // the destructors of the program's thread_local objects run after this
    retire_worker(worker);
    if (retiring.fetch_sub(1, std::memory_order_release) == 1) base::futex_wake(retiring, INT_MAX); // [retire-1]
    return nullptr;
}

enum class StackSize : std::uint8_t { as_asked, of_the_system };

void warn_of_stack_size() {
    static std::atomic<bool> warned{false};
    if (!warned.exchange(true, std::memory_order_relaxed))
        base::warn("OMP_STACKSIZE: the system refuses stacks of %llu bytes; the threads get its default",
                   static_cast<unsigned long long>(icv::stacksize()));
}

// Sets the requested size, but never less than the system requires.
void set_stack_size(pthread_attr_t& attributes) {
    const std::uint64_t wanted = icv::stacksize();
    if (wanted == 0) return;
    const auto minimum = static_cast<std::uint64_t>(sysconf(_SC_THREAD_STACK_MIN));
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t bytes = std::max(wanted, minimum) / page * page;
    if (pthread_attr_setstacksize(&attributes, bytes) != 0) warn_of_stack_size();
}

int start_thread(Worker& worker, StackSize stack_size) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_size == StackSize::as_asked) set_stack_size(attributes);
    pthread_t thread;
    const int error = pthread_create(&thread, &attributes, pool_thread, &worker);
    pthread_attr_destroy(&attributes);
    return error;
}

// The C library keeps a thread's thread-local variables on its stack, and rejects a stack that has
// no space for them.
int start_thread(Worker& worker) {
    int error = start_thread(worker, StackSize::as_asked);
    if (error == EINVAL && icv::stacksize() != 0) {
        warn_of_stack_size();
        error = start_thread(worker, StackSize::of_the_system);
    }
    return error;
}

Worker* try_make_worker() {
    const sync::MutexGuard guard(lock);
    if (Worker* retired = pop(retired_workers)) return retired;
    void* memory = std::aligned_alloc(alignof(Worker), sizeof(Worker));
    if (memory == nullptr) return nullptr;
    auto* worker = ::new (memory) Worker;
    worker->member = &nowhere;
    worker->number = worker_count++;
    worker->parker.belong_to(worker->number);
    worker->task_ids.begin(worker->number);
    worker->instance_ids.begin(worker->number);
    return worker;
}

} // namespace

constinit Member nowhere{.lane = {}, .team = &no_team, .loop = {}, .binding = {}, .whole_loop = {}};

void set_worker_main(WorkerMain main) { worker_main = main; }

void set_current_worker(Worker* worker) { detail::this_worker = worker; }

Worker* take_pool_worker(const Worker& leader, int& errno_value) {
    if (Worker* idle = take_idle_worker(leader.initial)) return idle;
    Worker* worker = try_make_worker();
    if (worker != nullptr) worker->initial = leader.initial;
    errno_value = worker != nullptr ? start_thread(*worker) : ENOMEM;
    if (errno_value == 0) return worker;
    if (worker != nullptr) retire_worker(*worker);
    return nullptr;
}

Worker* take_idle_worker(const Worker* initial) {
    const sync::MutexGuard guard(lock);
    Worker** place = &idle_workers;
    while (*place != nullptr && initial != nullptr && (*place)->initial != initial)
        place = &(*place)->next_free;
    return pop(*place);
}

void count_retiring() { retiring.fetch_add(1, std::memory_order_relaxed); }

// [retire-1] The ending threads' fetch_sub (release) pairs with the load (acquire): all their
//            writes are visible.
void wait_for_retired() {
    while (const std::uint32_t left = retiring.load(std::memory_order_acquire)) // [retire-1]
        base::futex_wait(retiring, left);
}

void give_back_pool_worker(Worker& worker) {
    const sync::MutexGuard guard(lock);
    push(idle_workers, worker);
}

Worker& make_worker() {
    Worker* worker = try_make_worker();
    if (worker == nullptr) base::fatal(ENOMEM, "no memory for the record of a thread");
    worker->initial = worker;
    return *worker;
}

void retire_worker(Worker& worker) {
    worker.blocks.hand_over_all();
    worker.stacks.hand_over_all();
    worker.member = &nowhere;
    worker.task = nullptr;
    worker.bound_place = kUnbound;
    worker.own_bounds = {}; // the next thread has another stack
    worker.own_stack_size = OwnStack::kUnknown;
    worker.in_place = 0;
    worker.in_place_above = 0;
    const sync::MutexGuard guard(lock);
    push(retired_workers, worker);
}

void forget_other_threads() {
    ::new (&lock) sync::Mutex; // its holder may no longer exist
    const sync::MutexGuard guard(lock);
    idle_workers = nullptr;
    retiring.store(0, std::memory_order_relaxed);
}

} // namespace teff::team
