// SPDX-License-Identifier: Apache-2.0
#include "team/contexts.h"

#include <algorithm>
#include <new>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "base/thread_stack.h"
#include "fiber/unseen_exceptions.h"
#include "icv/icv.h"

namespace teff::team {

constinit fiber::StackPool stack_pool;

namespace {

enum class Opened : std::uint8_t { kNotYet, kYes, kRefused };
constinit std::atomic<Opened> opened{Opened::kNotYet}; // changes under the lock
constinit sync::Mutex opening;
constinit bool is_forked = false; // set before the child continues

// Returns a resource limit of the process; RLIM_INFINITY if there is none.
rlim_t limit_of(decltype(RLIMIT_STACK) what) {
    struct rlimit limit;
    return getrlimit(what, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

// If the process's memory is limited, returns the number of stacks that take a quarter of it.
std::uint32_t affordable(std::size_t bytes) {
    const rlim_t memory = std::min(limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA));
    if (memory == RLIM_INFINITY || bytes == 0) return UINT32_MAX;
    return static_cast<std::uint32_t>(std::min<rlim_t>(memory / 4 / bytes, UINT32_MAX));
}

// The default is the size that the initial thread's stack may have, because deep tasks may also run
// on that stack.
std::size_t stack_bytes() {
    constexpr std::size_t kOfUnlimited = std::size_t{64} << 20;
    if (const std::uint64_t asked = icv::stacksize(); asked != 0) return asked;
    if (limit_of(RLIMIT_STACK) == RLIM_INFINITY) return kOfUnlimited;
    return base::default_stack_bytes();
}

TEFF_COLD bool open_pool() {
    const sync::MutexGuard guard(opening);
    if (opened.load(std::memory_order_relaxed) == Opened::kNotYet) {
        const std::size_t bytes = stack_bytes();
        const std::uint32_t limit = std::min(icv::global().contexts, affordable(bytes));
        const bool works = limit != 0 && !fiber::exceptions_are_out_of_sight() &&
                           stack_pool.open({.stack_bytes = bytes, .limit = limit});
        opened.store(works ? Opened::kYes : Opened::kRefused, std::memory_order_release); // [contexts-1]
    }
    return opened.load(std::memory_order_relaxed) == Opened::kYes;
}

// [contexts-1] The store (release) by the thread that has opened the pool pairs with this load
// (acquire).
bool pool_is_open() {
    const Opened seen = opened.load(std::memory_order_acquire); // [contexts-1]
    return TEFF_LIKELY(seen == Opened::kYes) || (seen == Opened::kNotYet && open_pool());
}

// A reused record is not initialised again, because a late notification may reach it.
Context* take_record(Worker& worker) {
    Context* const free = worker.free_contexts;
    if (free != nullptr) {
        worker.free_contexts = free->line.next;
        return free;
    }
    // The record is never given back. It is not from malloc, which may be the program's own and
    // would report the record as a leak.
    static_assert(sizeof(Context) <= mem::kBlockBytes[static_cast<unsigned>(mem::BlockSize::kBigRecord)]);
    return ::new (worker.blocks.take(mem::BlockSize::kBigRecord)) Context(worker);
}

StackBounds own_stack_bounds(Worker& worker) {
    StackBounds& own = worker.own_bounds;
    if (TEFF_UNLIKELY(own.low == nullptr)) {
        pthread_attr_t attributes;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
        void* low = nullptr;
        std::size_t bytes = 0;
        pthread_attr_getstack(&attributes, &low, &bytes);
        pthread_attr_destroy(&attributes);
        own = {low, static_cast<char*>(low) + bytes};
    }
    return own;
}

// The program may have given one of its threads a larger stack than contexts have, because its
// tasks need it there. The process's first thread and the runtime's own threads have no larger
// stack: see stack_bytes.
TEFF_COLD OwnStack compare_own_stack(Worker& worker) {
    const bool is_pool_worker = worker.initial != &worker;
    const bool is_first_thread = getpid() == gettid() && !is_forked; // in a child, any thread may be the first
    if (is_pool_worker || is_first_thread || icv::stacksize() != 0) return OwnStack::kFits;
    const StackBounds own = own_stack_bounds(worker);
    const auto bytes = static_cast<std::size_t>(static_cast<const char*>(own.high) - static_cast<const char*>(own.low));
    constexpr std::size_t kRounding = std::size_t{64} << 10; // pages, and guards that may be counted
    return bytes > stack_bytes() + kRounding ? OwnStack::kLarger : OwnStack::kFits;
}

bool has_larger_stack(Worker& worker) {
    if (TEFF_UNLIKELY(worker.own_stack_size == OwnStack::kUnknown)) worker.own_stack_size = compare_own_stack(worker);
    return worker.own_stack_size == OwnStack::kLarger;
}

void free_record(Context& context) { context.line.next = std::exchange(context.worker().free_contexts, &context); }

} // namespace

Context* take_context(Worker& worker) {
    if (!pool_is_open() || TEFF_UNLIKELY(has_larger_stack(worker))) return nullptr;
    fiber::PooledContext* const pooled = worker.stacks.take();
    if (pooled == nullptr) return nullptr;
    Context* const context = take_record(worker);
    context->pooled = pooled;
    return context;
}

void give_back_context(Context& fresh) {
    fresh.worker().stacks.give_back(*fresh.pooled);
    free_record(fresh);
}

void leave_context_for(Worker& worker, Context& to) {
    Context& self = *worker.context;
    fiber::PooledContext& pooled = *self.pooled;
    free_record(self);
    worker.context = &to;
    pooled.leave_for(to.stack(), worker.stacks.returning(pooled));
}

StackBounds stack_bounds(Worker& worker) {
    const fiber::PooledContext* const pooled = worker.context->pooled;
    if (pooled != nullptr) return {pooled->bottom(), pooled->top()};
    return own_stack_bounds(worker);
}

void enlist(Context& context) {
    context.after = std::exchange(context.member->suspended, &context);
    context.link = &context.member->suspended;
    if (context.after != nullptr) context.after->link = &context.after;
}

void strike_out(Context& context) {
    *context.link = context.after;
    if (context.after != nullptr) context.after->link = context.link;
    context.link = nullptr;
}

namespace {
using Ask = void (*)(Worker& worker, std::int32_t priority);
constinit Ask ask = [](Worker&, std::int32_t) {};
} // namespace

void make_ready(Context& suspended) {
    Worker& worker = suspended.worker();
    const std::int32_t priority = suspended.priority;
    if (TEFF_UNLIKELY(suspended.moves)) offer(suspended);
    else suspended.member->ready.arrive(suspended);
    if (TEFF_LIKELY(priority == 0) || !preempt::is_on()) return;
    ask(worker, priority);
}

void offer(Context& context) {
    sched::Scheduler& queued = context.member->team->ready;
    if (!context.member->team->moving.try_offer(context)) return context.member->ready.arrive(context);
    if (queued.sleepers().worth_waking()) queued.wake_one();
}

void set_ask(void (*wanted)(Worker& worker, std::int32_t priority)) { ask = wanted; }

void prepare_contexts() { fiber::find_exceptions(); }

void prepare_contexts_once_more() {
    static constinit std::atomic<bool> done{false};
    if (!done.load(std::memory_order_relaxed) && !done.exchange(true, std::memory_order_relaxed) && !is_forked)
        fiber::find_exceptions();
}

void forget_other_threads_contexts(Worker* worker) {
    ::new (&opening) sync::Mutex; // its holder may no longer exist
    is_forked = true;
    if (opened.load(std::memory_order_relaxed) != Opened::kYes) return;
    if (worker != nullptr) worker->stacks.forget_all();
    // Tasks that are still queued may use data on any of the stacks that the other threads were on,
    // or had left. So no stack is unmapped; those that were free are lost.
    stack_pool.drop_all_in_child([](const fiber::Context&, void*) { return true; }, nullptr);
}

} // namespace teff::team
