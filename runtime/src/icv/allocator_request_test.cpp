// SPDX-License-Identifier: Apache-2.0
#include "icv/allocator_request.h"

#include <string>

#include <gtest/gtest.h>

namespace teff::icv {
namespace {

TEST(AllocatorRequest, PredefinedAllocatorsAndBareSpaces) {
    EXPECT_EQ(read_allocator_request(" OMP_thread_mem_alloc ")->predefined, 8);
    EXPECT_EQ(read_allocator_request("ompx_gnu_pinned_mem_alloc")->predefined, 200);
    EXPECT_EQ(read_allocator_request("omp_default_mem_space")->predefined, 1);
    EXPECT_EQ(read_allocator_request("omp_low_lat_mem_space")->predefined, 5);
    EXPECT_EQ(spelling(*read_allocator_request("omp_large_cap_mem_space")), "omp_large_cap_mem_alloc");
}

TEST(AllocatorRequest, ASpaceWithTraits) {
    const char text[] =
        " omp_large_cap_mem_space:alignment=512, pinned = TRUE,access=all,pool_size=1000,fallback=null_fb";
    const auto request = read_allocator_request(text);
    ASSERT_TRUE(request);
    EXPECT_EQ(request->predefined, 0);
    EXPECT_EQ(request->space, 1);
    ASSERT_EQ(request->trait_count, 5);
    const AllocatorTrait expected[] = {{2, 512}, {7, 1}, {3, 7}, {4, 1000}, {5, 12}};
    for (unsigned i = 0; i < 5; ++i) {
        EXPECT_EQ(request->traits[i].key, expected[i].key);
        EXPECT_EQ(request->traits[i].value, expected[i].value);
    }
    EXPECT_EQ(spelling(*request), text);
}

TEST(AllocatorRequest, APartitionWithTheSizeOfItsParts) {
    const auto request = read_allocator_request("omp_default_mem_space:partition=interleaved,part_size=65536");
    ASSERT_TRUE(request);
    ASSERT_EQ(request->trait_count, 2);
    const AllocatorTrait expected[] = {{8, 18}, {14, 65536}};
    for (unsigned i = 0; i < 2; ++i) {
        EXPECT_EQ(request->traits[i].key, expected[i].key);
        EXPECT_EQ(request->traits[i].value, expected[i].value);
    }
}

TEST(AllocatorRequest, ValuesAreThoseOfOmpH) {
    EXPECT_EQ(read_allocator_request("omp_default_mem_space:access=thread")->traits[0].value, 8u);
    EXPECT_EQ(read_allocator_request("omp_default_mem_space:access=cgroup")->traits[0].value, 10u);
}

TEST(AllocatorRequest, WhatMakesNoSenseIsRefused) {
    for (const char* text :
         {"", "omp_null_allocator", "omp_default_mem_alloc:alignment=8",
          "omp_default_mem_space:", "omp_default_mem_space:,", "omp_default_mem_space:alignment",
          "omp_default_mem_space:alignment=", "omp_default_mem_space:alignment=3", "omp_default_mem_space:alignment=0",
          "omp_default_mem_space:pool_size=-1", "omp_default_mem_space:access=none", "omp_default_mem_space:fb_data=1",
          "omp_default_mem_space:pinned=true,", "omp_default_mem_space:pinned=true;access=all",
          "omp_default_mem_space:pinned=1", "omp_default_mem_space:part_size=0",
          "omp_default_mem_space:partition=partitioner"})
        EXPECT_FALSE(read_allocator_request(text)) << text;
    std::string many = "omp_default_mem_space:pinned=true";
    for (unsigned i = 1; i < AllocatorRequest::kMaximumTraits; ++i)
        many += ",pinned=true";
    EXPECT_TRUE(read_allocator_request(many));
    EXPECT_FALSE(read_allocator_request(many + ",pinned=true"));
}

} // namespace
} // namespace teff::icv
