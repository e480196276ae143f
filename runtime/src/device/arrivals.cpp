// SPDX-License-Identifier: Apache-2.0
#include "device/arrivals.h"

#include <cerrno>
#include <pthread.h>

#include "base/report.h"
#include "device/incoming.h"
#include "device/own_thread.h"
#include "device/role.h"

namespace teff::device {

Passed Arrivals::open(const Transport& transport, Peer host, Range heap, std::uint64_t sequence) {
    if (is_open()) base::fatal(0, "device %u refuses a message of the host: it has a line already", role().number);
    if (!transport.take_line(host, kHostItself, lane_)) {
        if (errno == EPROTO)
            base::fatal(0, "device %u refuses a message of the host: it has no line for data", role().number);
        return errno == EMFILE ? Passed::cut : Passed::gone;
    }
    transport_ = &transport;
    heap_ = heap;
    discarded_.store(sequence, std::memory_order_relaxed); // before the thread
    pthread_t thread;
    if (start_own_thread(run, this, thread) != 0) {
        transport_ = nullptr;
        return Passed::cut;
    }
    return Passed::whole;
}

void* Arrivals::run(void* arrivals) {
    auto& self = *static_cast<Arrivals*>(arrivals);
    for (std::uint64_t number = 1; self.take(number); ++number) {
        self.arrived_.store(number, std::memory_order_release); // [arrivals-1]
        self.has_arrived_.notify();
    }
    self.has_ended_.store(true, std::memory_order_relaxed);
    self.has_arrived_.notify();
    return nullptr;
}

bool Arrivals::take(std::uint64_t number) {
    IncomingAhead incoming;
    const Taken taken =
        take_ahead([this](void* to, std::size_t bytes) { return receive(to, bytes); }, number, heap_, incoming);
    if (taken == Taken::refused)
        base::fatal(0, "device %u refuses a message of the host: %s", role().number, incoming.refusal);
    if (taken == Taken::gone) return false;
    has_discarded_.wait_until(0, 0, [&] {
        return discarded_.load(std::memory_order_acquire) >= incoming.ahead.after; // [arrivals-2]
    });
    for (std::uint64_t i = 0; i < incoming.ahead.copies; ++i) {
        const Range& to = incoming.copies()[i];
        if (!receive(reinterpret_cast<void*>(to.address), to.bytes)) return false;
    }
    return true;
}

bool Arrivals::await_slow(std::uint64_t number) {
    if (!is_open())
        base::fatal(0, "device %u refuses a message of the host: it asks for data that no line brings", role().number);
    const auto has_arrived = [&] { return arrived_.load(std::memory_order_acquire) >= number; }; // [arrivals-1]
    has_arrived_.wait_until(0, 0, [&] { return has_arrived() || has_ended_.load(std::memory_order_relaxed); });
    return has_arrived();
}

void Arrivals::forget() {
    if (is_open()) transport_->forget(lane_);
}

} // namespace teff::device
