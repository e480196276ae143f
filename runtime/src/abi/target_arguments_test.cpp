// SPDX-License-Identifier: Apache-2.0
#include "abi/target_arguments.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace teff::abi {
namespace {

void* element(std::uintptr_t bits) { return reinterpret_cast<void*>(bits); }

// The values that GCC passes: the identifiers of the number of teams and of the thread limit, and
// the bit for a value in the next element.
constexpr std::uintptr_t kNumTeams = 0x100, kThreadLimit = 0x200, kValueFollows = 0x80;

TEST(TargetArguments, ThreadLimitIsFoundBehindOthers) {
    void* const packed[] = {element(kNumTeams | 7u << 16), element(kThreadLimit | 5u << 16), nullptr};
    EXPECT_EQ(thread_limit(packed), 5u);
    void* const wide[] = {element(kNumTeams | kValueFollows), element(kThreadLimit | 9u << 16),
                          element(kThreadLimit | kValueFollows), element(70'000), nullptr};
    EXPECT_EQ(thread_limit(wide), 70'000u) << "the value of another argument must not be taken for one";
}

TEST(TargetArguments, ThreadLimitOfOneKindOfDeviceIsNotTheHosts) {
    constexpr std::uintptr_t kDevice = 7;
    void* const list[] = {element(kDevice | kThreadLimit | 5u << 16), element(kThreadLimit | 6u << 16), nullptr};
    EXPECT_EQ(thread_limit(list), 6u);
}

TEST(TargetArguments, NoThreadLimitIsZero) {
    void* const none[] = {element(kNumTeams | 7u << 16), nullptr};
    EXPECT_EQ(thread_limit(none), 0u);
    EXPECT_EQ(thread_limit(nullptr), 0u);
}

TEST(TargetArguments, FirstprivateDataAreCopiedWithTheirAlignment) {
    constexpr unsigned short kTofrom = 3, kFirstprivate = 12;
    int mapped = 1, copied = 2;
    alignas(256) char big[300] = {'b'};
    void* addresses[] = {&mapped, &copied, big};
    const std::size_t sizes[] = {sizeof mapped, sizeof copied, sizeof big};
    const unsigned short kinds[] = {kTofrom | 2 << 8, kFirstprivate | 2 << 8, kFirstprivate | 8 << 8};
    const FirstprivateCopies copies({3, addresses, sizes, kinds});
    EXPECT_EQ(addresses[0], &mapped);
    ASSERT_NE(addresses[1], &copied);
    EXPECT_EQ(*static_cast<int*>(addresses[1]), 2);
    ASSERT_NE(addresses[2], big);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(addresses[2]) % 256, 0u);
    EXPECT_EQ(*static_cast<char*>(addresses[2]), 'b');
    *static_cast<int*>(addresses[1]) = 3;
    EXPECT_EQ(copied, 2);
}

TEST(TargetArguments, AbsentFirstprivateDatumStaysAbsent) {
    constexpr unsigned short kFirstprivate = 12;
    void* addresses[] = {nullptr};
    const std::size_t sizes[] = {8};
    const unsigned short kinds[] = {kFirstprivate | 3 << 8};
    const TargetData data{1, addresses, sizes, kinds};
    EXPECT_EQ(firstprivate_shape(data).bytes, 0u);
    const FirstprivateCopies copies(data);
    EXPECT_EQ(addresses[0], nullptr);
}

TEST(TargetArguments, TheCopyOfADescriptorNamesTheCopyOfItsData) {
    constexpr unsigned short kFirstprivate = 12, kAttach = 0x50, kAlign8 = 3 << 8;
    struct Descriptor {
        long rank;
        int* data;
    };
    int values[] = {1, 2, 3};
    Descriptor descriptor{1, values};
    void* listed[3];
    listed[0] = &descriptor;
    listed[1] = values;
    listed[2] = &listed[0];
    const std::size_t sizes[] = {sizeof descriptor, sizeof values, 1};
    const unsigned short kinds[] = {kFirstprivate | kAlign8, kFirstprivate | kAlign8, kAttach};
    for (const bool elsewhere : {true, false}) { // a deferred task has its own list
        void* own[] = {listed[0], listed[1], listed[2]};
        const TargetData data{3, elsewhere ? own : listed, sizes, kinds};
        alignas(8) char block[64];
        copy_firstprivate(data, block, listed);
        const auto* copy = static_cast<Descriptor*>(data.addresses[0]);
        ASSERT_NE(copy, &descriptor);
        EXPECT_EQ(copy->data, data.addresses[1]);
        EXPECT_NE(copy->data, values);
        EXPECT_EQ(copy->data[2], 3);
        EXPECT_EQ(descriptor.data, values);
    }
}

} // namespace
} // namespace teff::abi
