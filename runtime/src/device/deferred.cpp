// SPDX-License-Identifier: Apache-2.0
#include "device/deferred.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <pthread.h>

#include "base/report.h"
#include "sync/mutex.h"
#include "sync/wait_word.h"

namespace teff::device {

namespace {

struct Queue {
    sync::Mutex mutex; // guards what follows
    Deferred* first = nullptr;
    Deferred** end = &first;
    bool has_thread = false;
    pthread_t thread = {};

    sync::WaitWord added;
};

Queue* queues = nullptr; // never freed
unsigned queue_count = 0;
// [deferred-1] A device's thread counts a construct as finished (release) after it has carried it
//              out; await_deferred (acquire) sees what it has done.
std::atomic<unsigned> unfinished{0};
sync::WaitWord finished;

Deferred* take(Queue& queue) {
    const sync::MutexGuard guard(queue.mutex);
    Deferred* const taken = queue.first;
    if (taken == nullptr) return nullptr;
    queue.first = taken->next;
    if (queue.first == nullptr) queue.end = &queue.first;
    return taken;
}

void carry_out(Deferred& construct) {
    construct.carry_out(construct);
    unfinished.fetch_sub(1, std::memory_order_acq_rel); // [deferred-1]
    finished.notify();
}

void* run_queue(void* argument) {
    Queue& queue = *static_cast<Queue*>(argument);
    for (;;) {
        Deferred* next = nullptr;
        queue.added.wait_until(0, 0, [&] { return (next = take(queue)) != nullptr; });
        carry_out(*next);
    }
    return nullptr;
}

// The program's handlers of signals are not for this thread.
bool start_thread(Queue& queue) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    queue.has_thread = pthread_create(&queue.thread, nullptr, run_queue, &queue) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (queue.has_thread) pthread_detach(queue.thread);
    return queue.has_thread;
}

bool add(Queue& queue, Deferred& construct) {
    const sync::MutexGuard guard(queue.mutex);
    if (!queue.has_thread && !start_thread(queue)) return false;
    construct.next = nullptr;
    *queue.end = &construct;
    queue.end = &construct.next;
    return true;
}

bool is_thread_of_a_queue() {
    for (unsigned i = 0; i < queue_count; ++i) {
        const sync::MutexGuard guard(queues[i].mutex);
        if (queues[i].has_thread && pthread_equal(queues[i].thread, pthread_self())) return true;
    }
    return false;
}

} // namespace

void make_queues(unsigned devices) {
    queues = static_cast<Queue*>(std::calloc(devices, sizeof(Queue)));
    if (queues == nullptr) base::fatal(ENOMEM, "no memory for %u devices", devices);
    for (unsigned i = 0; i < devices; ++i)
        ::new (&queues[i]) Queue;
    queue_count = devices;
}

void forget_queues() { queue_count = 0; }

void carry_out_later(unsigned device, Deferred& construct) {
    unfinished.fetch_add(1, std::memory_order_relaxed);
    if (!add(queues[device], construct)) return carry_out(construct);
    queues[device].added.notify();
}

void await_deferred(bool (*gives_up)()) {
    constexpr std::uint64_t kLookAgain_ns = 50'000'000;                                  // nobody notifies of giving up
    const auto all_are = [] { return unfinished.load(std::memory_order_acquire) == 0; }; // [deferred-1]
    if (all_are() || is_thread_of_a_queue()) return;
    finished.wait_until(0, kLookAgain_ns, [&] { return all_are() || gives_up(); });
}

} // namespace teff::device
