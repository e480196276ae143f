// SPDX-License-Identifier: Apache-2.0
#include "distribute/block.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>

namespace teff::distribute {
namespace {

// What glibc writes, without glibc: pages with a header on the first.
class Mapping {
  public:
    explicit Mapping(std::size_t pages) : bytes_(pages * mem::kPageBytes) {}

    void* block(std::size_t at, std::size_t size_and_flags) {
        char* const address = memory_.get() + at;
        *header_of(address) = {at - sizeof(BlockHeader), size_and_flags};
        return address;
    }
    std::size_t bytes() const { return bytes_; }
    char* begin() const { return memory_.get(); }

  private:
    struct Free {
        void operator()(char* memory) const { std::free(memory); }
    };
    std::size_t bytes_;
    std::unique_ptr<char, Free> memory_{static_cast<char*>(std::aligned_alloc(mem::kPageBytes, bytes_))};
};

TEST(Block, WithAMappingOfItsOwnHasAllItsPages) {
    Mapping mapping(4);
    const auto pages = own_pages(mapping.block(sizeof(BlockHeader), mapping.bytes() | BlockHeader::kMapped), 3 * 4096);
    ASSERT_TRUE(pages);
    EXPECT_EQ(pages->begin, mapping.begin());
    EXPECT_EQ(pages->bytes, mapping.bytes());
}

TEST(Block, ThatIsAlignedHasThePagesFromItsBeginning) {
    Mapping mapping(4);
    const std::size_t size = 2 * mem::kPageBytes + sizeof(BlockHeader);
    const auto pages = own_pages(mapping.block(2 * mem::kPageBytes, size | BlockHeader::kMapped), 8000);
    ASSERT_TRUE(pages);
    EXPECT_EQ(pages->begin, mapping.begin() + 2 * mem::kPageBytes);
    EXPECT_EQ(pages->bytes, 2 * mem::kPageBytes);
}

TEST(Block, OfAnotherKindIsLeftAlone) {
    Mapping mapping(4);
    const std::size_t all = mapping.bytes();
    const auto is_one = [&](std::size_t size_and_flags, std::size_t asked) {
        return own_pages(mapping.block(sizeof(BlockHeader), size_and_flags), asked).has_value();
    };
    EXPECT_TRUE(is_one(all | BlockHeader::kMapped, 8000));
    EXPECT_FALSE(is_one(all, 8000)) << "of a heap";
    EXPECT_FALSE(is_one((all - 16) | BlockHeader::kMapped, 8000)) << "does not end with a page";
    EXPECT_FALSE(is_one(all | BlockHeader::kMapped, all)) << "has no room for that";
    EXPECT_FALSE(is_one(BlockHeader::kMapped, 0));
    EXPECT_FALSE(is_one(~std::size_t{0}, 8000));
}

#ifndef TEFF_SANITIZED

constexpr std::size_t kBig = std::size_t{5} << 20;

// A block whose size, and that it is one, the compiler does not know.
void* hidden(void* block) {
    void* volatile there = block;
    return there;
}

TEST(Block, OfTheCLibraryIsAsDescribed) {
    ASSERT_EQ(mallopt(M_MMAP_THRESHOLD, 1 << 20), 1);
    void* const mapped = hidden(std::malloc(kBig));
    void* const aligned = hidden(std::aligned_alloc(1 << 16, kBig));
    void* const part = hidden(std::malloc(1000));
    ASSERT_TRUE(mapped != nullptr && aligned != nullptr && part != nullptr);
    for (void* block : {mapped, aligned}) {
        const auto pages = own_pages(block, kBig);
        ASSERT_TRUE(pages);
        const char* const end = static_cast<char*>(pages->begin) + pages->bytes;
        EXPECT_EQ(end, static_cast<char*>(block) + malloc_usable_size(block));
    }
    EXPECT_FALSE(own_pages(part, 1000));
    for (void* block : {mapped, aligned, part})
        std::free(block);
}
#endif

} // namespace
} // namespace teff::distribute
