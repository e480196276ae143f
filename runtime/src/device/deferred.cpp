// SPDX-License-Identifier: Apache-2.0
#include "device/deferred.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <pthread.h>

#include "base/report.h"
#include "device/own_thread.h"
#include "sync/mutex.h"
#include "sync/wait_word.h"

namespace teff::device {

namespace {

struct Queue {
    sync::Mutex mutex; // guards what follows
    Deferred* first = nullptr;
    Deferred** end = &first;
    bool has_thread = false, has_sender = false;
    bool is_busy = false;        // a construct is being carried out
    Deferred* sending = nullptr; // of which data are being sent ahead; it is the first
    pthread_t thread = {};

    sync::WaitWord added, offered;
};

Queue* queues = nullptr; // never freed
unsigned queue_count = 0;
// [deferred-1] A device's thread counts a construct as finished (release) after it has carried it
//              out; await_deferred (acquire) sees what it has done.
std::atomic<unsigned> unfinished{0};
sync::WaitWord finished;

// Whether data of the first construct can be sent ahead. Called with the queue's mutex held.
bool is_offered(const Queue& queue) {
    return queue.has_sender && queue.is_busy && queue.first != nullptr && queue.first->send_ahead != nullptr &&
           !queue.first->was_offered;
}

// Sets `is_next_offered` if the construct behind the one that is taken is for the thread that
// sends.
Deferred* take(Queue& queue, bool& is_next_offered) {
    const sync::MutexGuard guard(queue.mutex);
    Deferred* const taken = queue.first;
    queue.is_busy = taken != nullptr && taken != queue.sending;
    if (!queue.is_busy) return nullptr;
    queue.first = taken->next;
    if (queue.first == nullptr) queue.end = &queue.first;
    is_next_offered = is_offered(queue);
    return taken;
}

Deferred* take_offered(Queue& queue) {
    const sync::MutexGuard guard(queue.mutex);
    if (!is_offered(queue)) return nullptr;
    queue.first->was_offered = true;
    return queue.sending = queue.first;
}

void give_back(Queue& queue) {
    {
        const sync::MutexGuard guard(queue.mutex);
        queue.sending = nullptr;
    }
    queue.added.notify();
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
        bool is_next_offered = false;
        queue.added.wait_until(0, 0, [&] { return (next = take(queue, is_next_offered)) != nullptr; });
        if (is_next_offered) queue.offered.notify();
        carry_out(*next);
    }
    return nullptr;
}

void* send_what_is_offered(void* argument) {
    Queue& queue = *static_cast<Queue*>(argument);
    for (;;) {
        Deferred* next = nullptr;
        queue.offered.wait_until(0, 0, [&] { return (next = take_offered(queue)) != nullptr; });
        next->send_ahead(*next);
        give_back(queue);
    }
    return nullptr;
}

// Sets `is_next_offered` if the construct is for the thread that sends.
bool add(Queue& queue, Deferred& construct, bool& is_next_offered) {
    const sync::MutexGuard guard(queue.mutex);
    if (!queue.has_thread) queue.has_thread = start_own_thread(run_queue, &queue, queue.thread) == 0;
    if (!queue.has_thread) return false;
    construct.next = nullptr;
    *queue.end = &construct;
    queue.end = &construct.next;
    is_next_offered = is_offered(queue);
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
    bool is_next_offered = false;
    if (!add(queues[device], construct, is_next_offered)) return carry_out(construct);
    queues[device].added.notify();
    if (is_next_offered) queues[device].offered.notify();
}

// Without the thread nothing is sent ahead.
void begin_to_send_ahead(unsigned device) {
    Queue& queue = queues[device];
    const sync::MutexGuard guard(queue.mutex);
    pthread_t sender;
    queue.has_sender = queue.has_thread && start_own_thread(send_what_is_offered, &queue, sender) == 0;
}

void await_deferred(bool (*gives_up)()) {
    constexpr std::uint64_t kLookAgain_ns = 50'000'000;                                  // nobody notifies of giving up
    const auto all_are = [] { return unfinished.load(std::memory_order_acquire) == 0; }; // [deferred-1]
    if (all_are() || is_thread_of_a_queue()) return;
    finished.wait_until(0, kLookAgain_ns, [&] { return all_are() || gives_up(); });
}

} // namespace teff::device
