// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/build_id.h"

#include <cstring>
#include <gtest/gtest.h>
#include <new>
#include <sys/mman.h>

namespace teff::probe::trace {
namespace {

constexpr std::size_t kPage = 4096;

// A page as a linker would make it: headers, and a build id behind another note.
struct alignas(kPage) Object {
    ElfW(Ehdr) header {};
    ElfW(Phdr) segments[2] {};
    struct Note {
        ElfW(Nhdr) header;
        char name[4];
        unsigned char text[8];
    } notes[2]{};
    char rest[kPage - sizeof header - sizeof segments - sizeof notes]{};

    Object() {
        std::memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_phoff = offsetof(Object, segments);
        header.e_phentsize = sizeof segments[0];
        header.e_phnum = 2;
        segments[0] = {.p_type = PT_LOAD,
                       .p_flags = PF_R,
                       .p_offset = 0,
                       .p_vaddr = 0,
                       .p_paddr = 0,
                       .p_filesz = kPage,
                       .p_memsz = kPage,
                       .p_align = kPage};
        segments[1] = {.p_type = PT_NOTE,
                       .p_flags = PF_R,
                       .p_offset = 0,
                       .p_vaddr = offsetof(Object, notes),
                       .p_paddr = 0,
                       .p_filesz = sizeof notes,
                       .p_memsz = sizeof notes,
                       .p_align = 4};
        notes[0] = {.header = {.n_namesz = 4, .n_descsz = 8, .n_type = NT_GNU_ABI_TAG}, .name = "GNU", .text = {}};
        notes[1] = {.header = {.n_namesz = 4, .n_descsz = 8, .n_type = NT_GNU_BUILD_ID},
                    .name = "GNU",
                    .text = {1, 2, 3, 4, 5, 6, 7, 8}};
    }
    std::uint64_t id() const {
        const auto at = reinterpret_cast<std::uintptr_t>(this);
        return build_in(at, at + kPage, at).id;
    }
};
static_assert(sizeof(Object) == kPage);

TEST(BuildId, ItIsTheFirstEightBytes) { EXPECT_EQ(Object().id(), 0x0807'0605'0403'0201u); }

TEST(BuildId, AShortOneIsFilledUpWithZeros) {
    Object object;
    object.notes[1].header.n_descsz = 3;
    EXPECT_EQ(object.id(), 0x03'0201u);
}

TEST(BuildId, WithoutOneItIsNothing) {
    Object object;
    object.notes[1].header.n_type = NT_GNU_ABI_TAG;
    EXPECT_EQ(object.id(), 0u);
    object.header.e_phnum = 0;
    EXPECT_EQ(object.id(), 0u);
}

TEST(BuildId, OddObjectsAreLeftAlone) {
    const auto odd = [](auto make_odd) {
        Object object;
        make_odd(object);
        return object.id();
    };
    EXPECT_EQ(odd([](Object& o) { o.header.e_ident[0] = 0; }), 0u) << "no object";
    EXPECT_EQ(odd([](Object& o) { o.header.e_phoff = 3 * kPage; }), 0u) << "headers elsewhere";
    EXPECT_EQ(odd([](Object& o) { o.header.e_phnum = 0xffff; }), 0u) << "too many of them";
    EXPECT_EQ(odd([](Object& o) { o.header.e_phentsize = 8; }), 0u) << "of another size";
    EXPECT_EQ(odd([](Object& o) { o.segments[1].p_vaddr = 5 * kPage; }), 0u) << "notes in no segment";
    EXPECT_EQ(odd([](Object& o) { o.segments[1].p_vaddr = ~std::uintptr_t{0} - 8; }), 0u) << "nor there";
    EXPECT_EQ(odd([](Object& o) { o.segments[0].p_flags = PF_X; }), 0u) << "in one that cannot be read";
    EXPECT_EQ(odd([](Object& o) { o.notes[0].header.n_descsz = ~0u; }), 0u) << "a note beyond the end";
    EXPECT_EQ(odd([](Object& o) { o.notes[0].header.n_namesz = ~0u; }), 0u) << "or its name";
}

TEST(BuildMark, ItIsTheIdOrToldByTheContent) {
    const auto mark = [](auto change) {
        Object object;
        change(object);
        const auto at = reinterpret_cast<std::uintptr_t>(&object);
        static ObjectCopy copy;
        const Build build = build_in(at, at + kPage, at);
        EXPECT_EQ(build_in(at, at + kPage, at, &copy).mark, build.mark) << "as the kernel reads it";
        return build.mark;
    };
    const auto without = [](Object& o) { // its last segment has unwind tables
        o.segments[1].p_type = PT_GNU_EH_FRAME;
        o.segments[1].p_vaddr = offsetof(Object, rest);
        o.segments[1].p_filesz = o.segments[1].p_memsz = 16;
    };
    EXPECT_EQ(mark([](Object&) {}), Object().id());
    const std::uint64_t content = mark(without);
    EXPECT_NE(content, 0u);
    EXPECT_EQ(mark(without), content) << "wherever it lies";
    const auto with = [&](auto change) { return mark([&](Object& o) { without(o), change(o); }); };
    EXPECT_NE(with([](Object& o) { o.rest[0] = 1; }), content) << "in the header of the tables";
    EXPECT_NE(with([](Object& o) { o.rest[100] = 1; }), content) << "in the tables behind it";
    EXPECT_NE(with([](Object& o) { o.segments[0].p_align = 64; }), content);
    EXPECT_EQ(mark([](Object& o) { o.header.e_ident[0] = 0; }), 0u) << "no object";
    EXPECT_NE(with([](Object& o) { o.segments[1].p_vaddr = 5 * kPage; }), 0u) << "tables in no segment";
}

TEST(BuildId, LessThanAPageHasNone) {
    const Object object;
    const auto at = reinterpret_cast<std::uintptr_t>(&object);
    EXPECT_EQ(build_in(at, at + kPage - 1, at).id, 0u);
    EXPECT_EQ(build_in(at + 8, at + kPage, at).id, 0u);
    EXPECT_EQ(build_in(at, at - 1, at).id, 0u);
}

TEST(BuildId, WhatIsNoLongerMappedHasNone) {
    void* const memory = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    ASSERT_EQ(munmap(memory, kPage), 0);
    const auto at = reinterpret_cast<std::uintptr_t>(memory);
    ObjectCopy copy;
    EXPECT_EQ(build_in(at, at + kPage, at, &copy).mark, 0u);
}

TEST(BuildId, NotesThatAreNotMappedAreNone) {
    const Object object;
    auto* const memory =
        static_cast<char*>(mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory, MAP_FAILED);
    auto* const copied = ::new (memory) Object(object);
    copied->segments[0].p_filesz = copied->segments[0].p_memsz = 2 * kPage;
    copied->segments[1].p_vaddr = kPage;
    std::memcpy(memory + kPage, object.notes, sizeof object.notes);
    const auto at = reinterpret_cast<std::uintptr_t>(memory);
    ObjectCopy copy;
    EXPECT_EQ(build_in(at, at + 2 * kPage, at, &copy).id, object.id());
    ASSERT_EQ(munmap(memory + kPage, kPage), 0);
    EXPECT_EQ(build_in(at, at + 2 * kPage, at, &copy).id, 0u);
    EXPECT_NE(build_in(at, at + 2 * kPage, at, &copy).mark, 0u) << "of its headers";
    munmap(memory, kPage);
}

} // namespace
} // namespace teff::probe::trace
