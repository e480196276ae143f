// SPDX-License-Identifier: Apache-2.0
#include "topo/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace teff::topo {
namespace {

// Gives the thread back its affinity mask, whatever a test did.
class Processors : public testing::Test {
  protected:
    Processors() { sched_getaffinity(0, sizeof before_, &before_); }
    ~Processors() override { sched_setaffinity(0, sizeof before_, &before_); }
    cpu_set_t before_;
};

TEST_F(Processors, AffinityCountsTheMask) { EXPECT_EQ(affinity_processors(), CPU_COUNT(&before_)); }

TEST_F(Processors, AffinityFollowsAChange) {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
        if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(affinity_processors(), 1);
    EXPECT_EQ(usable_processors(), 1);
}

TEST_F(Processors, UsableIsAtLeastOneAndWithinTheMask) {
    EXPECT_GE(usable_processors(), 1);
    EXPECT_LE(usable_processors(), affinity_processors());
}

} // namespace
} // namespace teff::topo
