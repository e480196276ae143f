// SPDX-License-Identifier: Apache-2.0
// Tests only: binds a thread to one processor, so that only the test moves the thread.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <vector>

namespace teff::probe::trace {

// Binds the calling thread to the processor on which it runs; the destructor undoes this.
// `processors` are all processors that the thread may use.
class Pinned {
  public:
    Pinned() {
        sched_getaffinity(0, sizeof all_, &all_);
        for (unsigned i = 0; i < CPU_SETSIZE; ++i)
            if (CPU_ISSET(i, &all_)) processors.push_back(i);
        to(static_cast<unsigned>(sched_getcpu()));
    }
    ~Pinned() { sched_setaffinity(0, sizeof all_, &all_); }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;

    static void to(unsigned processor) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    }

    std::vector<unsigned> processors;

  private:
    cpu_set_t all_;
};

} // namespace teff::probe::trace
