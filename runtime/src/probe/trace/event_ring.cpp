// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/event_ring.h"

#include <bit>
#include <sys/mman.h>

#include "base/arch/arch.h"
#include "probe/trace/calls.h"

namespace teff::probe::trace {

namespace {

constexpr std::size_t kRingPage = base::arch::kPageBytes;

long open_event(const perf_event_attr& wanted, std::uint32_t thread) {
    return call(SYS_perf_event_open, &wanted, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

} // namespace

void EventRing::open(const Guest& guest, std::uint32_t thread, std::size_t most_pages, const perf_event_attr& wanted,
                     const perf_event_attr* other, Prepare prepare) {
    close();
    if (!guest.may_call() || was_filtered_at_start()) return;
    tail_ = 0;
    auto work = [&] { map(thread, most_pages, wanted, other, prepare); };
    (void)run_apart(guest, stack_, work);
}

// Runs apart. The event lives as long as its mapping.
void EventRing::map(std::uint32_t thread, std::size_t most_pages, const perf_event_attr& wanted,
                    const perf_event_attr* other, Prepare prepare) {
    long file = open_event(wanted, thread);
    is_other_ = file < 0 && other != nullptr;
    if (is_other_) file = open_event(*other, thread);
    if (file < 0) return;
    for (std::size_t pages = most_pages; pages >= kFewestPages && !is_open(); pages /= 4) {
        const std::size_t bytes = pages * kRingPage;
        const long at = call(SYS_mmap, nullptr, kRingPage + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (is_error(at)) continue;
        bytes_ = bytes;
        data_ = std::bit_cast<const char*>(at) + kRingPage;
        page_ = std::bit_cast<perf_event_mmap_page*>(at);
    }
    if (is_open() && prepare != nullptr) prepare(file, thread);
    call(SYS_close, file);
}

void EventRing::close() {
    if (!is_open()) return;
    call(SYS_munmap, page_, kRingPage + bytes_);
    page_ = nullptr;
}

} // namespace teff::probe::trace
