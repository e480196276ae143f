// SPDX-License-Identifier: Apache-2.0
#include "distribute/variables.h"

#include <gtest/gtest.h>
#include <string>

namespace teff::distribute {
namespace {

TEST(Variables, AreFoundByTheirWholeNames) {
    const char* const variables[] = {"AB=long", "A=", "A=later", "NOTHING", "B=1=2", nullptr};
    EXPECT_EQ(variable(variables, "A"), std::string());
    EXPECT_EQ(variable(variables, "AB"), std::string("long"));
    EXPECT_EQ(variable(variables, "B"), std::string("1=2"));
    EXPECT_EQ(variable(variables, "NOTHING"), nullptr);
    EXPECT_EQ(variable(variables, "ABC"), nullptr);
    EXPECT_EQ(variable(nullptr, "A"), nullptr);
}

TEST(Variables, ThatSetGlibcsThresholds) {
    const auto sets = [](const char* entry) {
        const char* const variables[] = {"HOME=/", entry, nullptr};
        return sets_thresholds(variables);
    };
    for (const char* entry : {"MALLOC_MMAP_THRESHOLD_=1", "MALLOC_MMAP_MAX_=1", "MALLOC_TRIM_THRESHOLD_=1",
                              "MALLOC_TOP_PAD_=1", "GLIBC_TUNABLES=glibc.malloc.check=3:glibc.malloc.mmap_max=5"})
        EXPECT_TRUE(sets(entry)) << entry;
    for (const char* entry : {"MALLOC_ARENA_MAX=1", "GLIBC_TUNABLES=glibc.malloc.check=3", "X=MALLOC_TOP_PAD_=1"})
        EXPECT_FALSE(sets(entry)) << entry;
}

TEST(Variables, ThatShapeNewBlocks) {
    const auto shapes = [](const char* entry) {
        const char* const variables[] = {"HOME=/", entry, nullptr};
        return shapes_new_blocks(variables);
    };
    for (const char* entry : {"MALLOC_PERTURB_=165", "GLIBC_TUNABLES=glibc.malloc.check=3:glibc.malloc.perturb=7",
                              "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"})
        EXPECT_TRUE(shapes(entry)) << entry;
    for (const char* entry : {"MALLOC_ARENA_MAX=1", "GLIBC_TUNABLES=glibc.malloc.check=3", "X=MALLOC_PERTURB_=1"})
        EXPECT_FALSE(shapes(entry)) << entry;
}

} // namespace
} // namespace teff::distribute
