// SPDX-License-Identifier: Apache-2.0
#include "topo/caches.h"

#include <gtest/gtest.h>
#include <string>

#include "topo/machine_files.h"

namespace teff::topo {
namespace {

class Caches : public testing::Test, protected MachineFiles {
  protected:
    void write_cache(unsigned index, const std::string& level, const std::string& size, const std::string& sharers) {
        const std::string base = "cpu/cpu0/cache/index" + std::to_string(index);
        write(base + "/level", level);
        write(base + "/size", size);
        write(base + "/shared_cpu_list", sharers);
    }
    std::size_t share() const { return cache_share_bytes(root()); }
};

TEST_F(Caches, TheLastLevelIsDividedByThoseThatShareIt) {
    write_cache(0, "1", "32K", "0");
    write_cache(1, "1", "32K", "0");
    write_cache(2, "3", "30M", "0-5,48-53");
    write_cache(3, "2", "512K", "0");
    EXPECT_EQ(share(), (30u << 20) / 12);
}

TEST_F(Caches, WithoutAThirdLevelTheSecondCounts) {
    write_cache(0, "1", "32K", "0");
    write_cache(1, "2", "1024K", "0-1");
    EXPECT_EQ(share(), 512u << 10);
}

TEST_F(Caches, WhatMakesNoSenseDoesNotCount) {
    EXPECT_EQ(share(), 0u) << "no files";
    write_cache(0, "2", "512", "0");
    EXPECT_EQ(share(), 0u);
    write_cache(1, "3", "1024K", "");
    EXPECT_EQ(share(), 0u);
}

} // namespace
} // namespace teff::topo
