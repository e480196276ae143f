// SPDX-License-Identifier: Apache-2.0
#include "abi/gomp_reduction.h"

#include <gtest/gtest.h>

#include "region/started.h"
#include "task/taskgroup.h"
#include "team/team.h"

namespace teff::abi {
namespace {

// A block of two list items, of 8 bytes at offsets 0 and 64, as GCC's code sets it up.
struct Block {
    std::uintptr_t words[7 + 2 * 3] = {2, 128, 64, ~std::uintptr_t{0}};
    long originals[2] = {0, 0};

    explicit Block(Block* next = nullptr) {
        words[4] = next != nullptr ? reinterpret_cast<std::uintptr_t>(next->words) : 0;
        for (std::size_t i = 0; i < 2; ++i) {
            words[7 + 3 * i] = reinterpret_cast<std::uintptr_t>(&originals[i]);
            words[7 + 3 * i + 1] = 64 * i;
        }
    }
    char* copies() const { return reinterpret_cast<char*>(words[2]); }
};

struct Remapped {
    void *copy, *original;
};

Remapped remapped(void* address) {
    void* pointers[2] = {address, nullptr};
    remap(team::current_worker(), 1, 1, pointers);
    return {pointers[0], pointers[1]};
}

template <class Code> void in_region_of_one(Code&& code) {
    region::run(team::current_worker(), {.body = region::body_of(code), .num_threads = 1});
}

// Opens a taskgroup and registers the blocks there, for as long as the object lives.
struct Registered {
    std::uintptr_t* blocks;

    explicit Registered(Block& block) : blocks(block.words) {
        task::taskgroup_begin(team::current_worker(), {});
        register_taskgroup_blocks(team::current_worker(), blocks);
    }
    ~Registered() {
        task::taskgroup_end(team::current_worker(), {});
        free_blocks(blocks);
    }
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;
};

TEST(GompReduction, ABlockGetsZeroedCopiesWithItsAlignment) {
    in_region_of_one([] {
        Block block;
        const Registered registered(block);
        EXPECT_EQ(block.words[2] % 64, 0u);
        for (int byte = 0; byte < 128; ++byte)
            EXPECT_EQ(block.copies()[byte], 0);
    });
}

TEST(GompReduction, AnOriginalOrACopyLeadsToTheThreadsCopy) {
    in_region_of_one([] {
        Block block;
        const Registered registered(block);
        for (int i = 0; i < 2; ++i) {
            char* const copy = block.copies() + 64 * i;
            for (void* const address : {static_cast<void*>(&block.originals[i]), static_cast<void*>(copy)}) {
                EXPECT_EQ(remapped(address).copy, copy);
                EXPECT_EQ(remapped(address).original, &block.originals[i]);
            }
        }
    });
}

TEST(GompReduction, AllBlocksOfAConstructAndOfThoseAroundItAreSearched) {
    in_region_of_one([] {
        Block outer, second, first(&second);
        const Registered around(outer);
        {
            const Registered inside(first);
            EXPECT_EQ(remapped(&outer.originals[1]).copy, outer.copies() + 64);
            EXPECT_EQ(remapped(&first.originals[0]).copy, first.copies());
            EXPECT_EQ(remapped(&second.originals[0]).copy, second.copies());
        }
        EXPECT_EQ(remapped(&outer.originals[0]).copy, outer.copies());
        EXPECT_DEATH(remapped(&first.originals[0]), "in_reduction: no enclosing");
    });
}

TEST(GompReduction, TheInnermostConstructsCopyHides) {
    in_region_of_one([] {
        Block outer, inner;
        inner.words[7] = outer.words[7]; // both blocks have the same original
        const Registered around(outer);
        const Registered inside(inner);
        EXPECT_EQ(remapped(&outer.originals[0]).copy, inner.copies());
    });
}

TEST(GompReduction, MembersOfAWorksharingConstructShareTheFirstOnesCopies) {
    in_region_of_one([] {
        team::Worker& worker = team::current_worker();
        Block first, other;
        const task::WorksharingReductions reductions = worksharing_reductions(first.words);
        EXPECT_EQ(reductions.own, first.words);
        reductions.enter(worker, first.words, nullptr);
        EXPECT_EQ(worksharing_blocks(worker), first.words);
        task::taskgroup_end(worker, {});
        reductions.enter(worker, other.words, first.words);
        EXPECT_EQ(worksharing_blocks(worker), other.words);
        EXPECT_EQ(other.copies(), first.copies());
        task::taskgroup_end(worker, {});
        free_blocks(first.words);
    });
}

} // namespace
} // namespace teff::abi
