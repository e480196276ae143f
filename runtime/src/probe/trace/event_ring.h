// SPDX-License-Identifier: Apache-2.0
//
// EventRing: a perf event of one thread, and the ring buffer into which the kernel writes its
// records.
//
// An EventRing is owned, and read, by the thread that the event is about. `open` makes the event on
// a separate thread (apart.h), which closes the event's file again: the mapping alone keeps the
// event alive, so the program never has a descriptor of it. The kernel does not copy the mapping at
// a fork. So the memory of an EventRing must be all zero in a forked child (stream_memory.h), and
// whoever reads the ring has blocked the signals, as a handler could fork in the middle. At an exec
// the event ends with the memory.
//
// The kernel may refuse the event, or the memory for the ring (perf_event_mlock_kb): then a smaller
// ring is tried, and then the ring stays closed. An all-zero object is closed. The size of a ring
// never changes. Records that do not fit are lost, and the kernel counts them.
//
// [ring-1] The kernel stores records before `data_head`; `head` loads `data_head` by an acquire
//          load, and `read_until` stores `data_tail` by a release store after the records have been
//          read. The kernel does not overwrite what lies between the two: it drops records instead.
#pragma once

#include <atomic>
#include <cstdint>
#include <linux/perf_event.h>

#include "probe/trace/apart.h"
#include "probe/trace/guest.h"
#include "probe/trace/ring_records.h"

namespace teff::probe::trace {

class EventRing {
  public:
    static constexpr std::size_t kFewestPages = 2;

    // Opens the ring for the calling thread, whose kernel id is `thread`: an event of the first of
    // the two kinds that the kernel allows (`other` may be null), with at most `most_pages` pages
    // of records. A ring that is open is closed before. Does nothing if a filter for system calls
    // was set up before the library was loaded, as the filter may end a process that makes a call
    // unknown to it. `prepare`, if not null, is called apart with the event's file and the thread.
    using Prepare = void (*)(long file, std::uint32_t thread);
    void open(const Guest& guest, std::uint32_t thread, std::size_t most_pages, const perf_event_attr& wanted,
              const perf_event_attr* other = nullptr, Prepare prepare = nullptr);
    void close();
    bool is_open() const { return page_ != nullptr; }
    std::size_t bytes() const { return bytes_; }
    // Whether the event is of the other kind.
    bool is_other() const { return is_other_; }

    std::uint64_t head() const {
        return std::atomic_ref(page_->data_head).load(std::memory_order_acquire); // [ring-1]
    }
    std::uint64_t unread(std::uint64_t head) const { return head - tail_; }
    // The records from the last read_until up to `head`.
    RingRecords records(std::uint64_t head) const { return {data_, bytes_, tail_, head}; }
    void read_until(std::uint64_t head) {
        std::atomic_ref(page_->data_tail).store(head, std::memory_order_release); // [ring-1]
        tail_ = head;
    }

  private:
    void map(std::uint32_t thread, std::size_t most_pages, const perf_event_attr& wanted, const perf_event_attr* other,
             Prepare prepare);

    perf_event_mmap_page* page_ = nullptr; // null: closed
    const char* data_ = nullptr;
    std::size_t bytes_ = 0; // of data
    std::uint64_t tail_ = 0;
    bool is_other_ = false;
    ApartStack stack_; // without an initialiser: its pages stay untouched
};

} // namespace teff::probe::trace
