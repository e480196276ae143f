// SPDX-License-Identifier: Apache-2.0
#include "preempt/code_ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "preempt/interpose.h"
#include "preempt/loaded.h"
#include "preempt/objects.h"
#include "preempt/preempted_program.h"

namespace teff::preempt {
namespace {

const void* at(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

class CodeRanges : public testing::Test {
  protected:
    void SetUp() override { clear_code_ranges(); }
    void TearDown() override {
        clear_code_ranges();
        add(before);
    }
    const std::vector<CodeRange> before = all();

    static std::vector<CodeRange> all() { return {code_ranges().begin(), code_ranges().end()}; }
    static void add(std::vector<CodeRange> ranges) { EXPECT_TRUE(add_code_ranges(ranges)); }
};

TEST_F(CodeRanges, HoldNothingAtFirst) { EXPECT_FALSE(is_preemptible(at(0x1000))); }

TEST_F(CodeRanges, EndBeforeTheirEnd) {
    add({{0x1000, 0x2000}});
    EXPECT_FALSE(is_preemptible(at(0xfff)));
    EXPECT_TRUE(is_preemptible(at(0x1000)));
    EXPECT_TRUE(is_preemptible(at(0x1fff)));
    EXPECT_FALSE(is_preemptible(at(0x2000)));
}

TEST_F(CodeRanges, AreSortedAndJoined) {
    add({{0x5000, 0x6000}, {0x1000, 0x2000}});
    add({{0x2000, 0x3000}, {0x5800, 0x7000}, {0x8000, 0x9000}});
    EXPECT_EQ(all(), (std::vector<CodeRange>{{0x1000, 0x3000}, {0x5000, 0x7000}, {0x8000, 0x9000}}));
    EXPECT_TRUE(is_preemptible(at(0x6fff)));
    EXPECT_FALSE(is_preemptible(at(0x7fff)));
}

TEST_F(CodeRanges, AreFoundAmongMany) {
    for (std::uintptr_t i = 100; i > 0; --i)
        add({{i * 16, i * 16 + 8}});
    for (std::uintptr_t i = 1; i <= 100; ++i) {
        EXPECT_TRUE(is_preemptible(at(i * 16 + 7)));
        EXPECT_FALSE(is_preemptible(at(i * 16 + 8)));
    }
}

TEST_F(CodeRanges, LeaveOutWhatIsExempt) {
    add({{0x1000, 0x2000}, {0x3000, 0x4000}});
    EXPECT_TRUE(exempt_code({0x1400, 0x1500})); // within a range
    EXPECT_TRUE(exempt_code({0x3000, 0x3100})); // at its start
    EXPECT_TRUE(exempt_code({0x1f00, 0x2000})); // at its end
    EXPECT_TRUE(exempt_code({0x1450, 0x1480})); // exempt already
    EXPECT_TRUE(exempt_code({0x5000, 0x6000})); // not there yet
    const std::vector<CodeRange> left = {{0x1000, 0x1400}, {0x1500, 0x1f00}, {0x3100, 0x4000}};
    EXPECT_EQ(all(), left);
    add({{0x4800, 0x6800}, {0x1000, 0x2000}});
    EXPECT_EQ(all(), (std::vector<CodeRange>{
                         {0x1000, 0x1400}, {0x1500, 0x1f00}, {0x3100, 0x4000}, {0x4800, 0x5000}, {0x6000, 0x6800}}));
    EXPECT_TRUE(exempt_code({0, 0x7000}));
    EXPECT_TRUE(all().empty());
}

// All that is loaded into this process, by path; the program itself has the name "".
template <class Function> void for_loaded(const std::string& path, Function function) {
    struct Search {
        const std::string& path;
        Function& function;
        bool found;
    } search{path, function, false};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* argument) {
            auto& wanted = *static_cast<Search*>(argument);
            if (wanted.path != info->dlpi_name) return 0;
            const char* const name = wanted.path.empty() ? "/proc/self/exe" : info->dlpi_name;
            wanted.function(Loaded{name, info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phnum}});
            wanted.found = true;
            return 1;
        },
        &search);
    EXPECT_TRUE(search.found) << path;
}

bool are_in(std::span<const CodeRange> ranges, const void* address) {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    return std::any_of(ranges.begin(), ranges.end(),
                       [place](const CodeRange& range) { return range.begin <= place && place < range.end; });
}

// What the dynamic section says of an object, in memory; null: nothing.
const void* dynamic_address(const Loaded& object, ElfW(Sxword) tag) {
    for (const ElfW(Dyn)* entry = object.dynamic(); entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == tag)
            return at(entry->d_un.d_ptr < object.base ? entry->d_un.d_ptr + object.base : entry->d_un.d_ptr);
    return nullptr;
}

int ordinary_function(int number) { return number + 1; }
thread_local int thread_local_of_the_program = 0;

TEST(Loaded, TheCodeOfThisProgramIsItsOwnAlone) {
    for_loaded("", [](const Loaded& program) {
        std::array<CodeRange, 64> room;
        const std::span ranges(room.data(), find_code(program, room));
        EXPECT_TRUE(are_in(ranges, address_of(&ordinary_function)));
        EXPECT_FALSE(are_in(ranges, dlsym(RTLD_DEFAULT, "gnu_get_libc_version")));
        EXPECT_FALSE(are_in(ranges, &thread_local_of_the_program));
        EXPECT_FALSE(are_in(ranges, dynamic_address(program, DT_INIT))) << "the linker's";
        EXPECT_TRUE(program.contains(address_of(&ordinary_function)));
        EXPECT_TRUE(program.has_thread_locals());
    });
}

TEST(Loaded, TheLinkersSectionsAreLeftOut) {
    if (dlopen(test_object("lazy").c_str(), RTLD_LAZY | RTLD_NOLOAD) != nullptr)
        GTEST_SKIP() << "a test before this one has let its slots be filled in";
    void* const handle = dlopen(test_object("lazy").c_str(), RTLD_LAZY);
    ASSERT_NE(handle, nullptr);
    for_loaded(test_object("lazy"), [&](const Loaded& object) {
        std::array<CodeRange, 64> room;
        const std::span ranges(room.data(), find_code(object, room));
        EXPECT_TRUE(are_in(ranges, dlsym(handle, "preempted")));
        EXPECT_FALSE(are_in(ranges, dynamic_address(object, DT_INIT)));
        EXPECT_TRUE(object.contains(dynamic_address(object, DT_INIT)));
        EXPECT_FALSE(object.has_thread_locals());
        // A slot through which no call has been made still leads to the procedure linkage table.
        const auto* const slots = static_cast<const void* const*>(dynamic_address(object, DT_PLTGOT));
        unsigned unused = 0;
        for (int i = 3; i < 20; ++i)
            if (object.contains(slots[i])) {
                EXPECT_FALSE(are_in(ranges, slots[i])) << "slot " << i;
                ++unused;
            }
        EXPECT_GT(unused, 0u);
    });
    dlclose(handle);
}

TEST(Loaded, WithoutAFileWholeSegmentsCount) {
    load("now");
    for_loaded(test_object("now"), [](const Loaded& object) {
        const Loaded gone{"/nowhere", object.base, object.segments};
        std::array<CodeRange, 64> room;
        const std::span ranges(room.data(), find_code(gone, room));
        ASSERT_EQ(ranges.size(), 1u);
        EXPECT_TRUE(are_in(ranges, dynamic_address(object, DT_INIT)));
    });
}

TEST(Objects, AreNamedByPathOrByLastPart) {
    EXPECT_TRUE(is_named("libm.so.6", "/lib/libm.so.6"));
    EXPECT_TRUE(is_named("a,libm.so.6,b", "/lib/libm.so.6"));
    EXPECT_TRUE(is_named("/lib/libm.so.6", "/lib/libm.so.6"));
    EXPECT_TRUE(is_named("a b", "a b"));
    EXPECT_FALSE(is_named("libm.so", "/lib/libm.so.6"));
    EXPECT_FALSE(is_named("lib/libm.so.6", "/lib/libm.so.6"));
    EXPECT_FALSE(is_named("", "/lib/libm.so.6"));
    EXPECT_FALSE(is_named(",,", "/lib/libm.so.6"));
    EXPECT_FALSE(is_named("", ""));
}

} // namespace

// Needs the ranges of a process with preemption on.
class PreemptibleCode : public PreemptedProgram {};

TEST_F(PreemptibleCode, IsThatOfTheNamedLibrariesAlone) {
    for (const char* kind : {"lazy", "now", "no_plt"})
        EXPECT_TRUE(is_preemptible(address_of(functions_of(load(kind)).spin))) << kind;
    EXPECT_FALSE(is_preemptible(address_of(&ordinary_function))) << "the runtime is linked into it";
    EXPECT_FALSE(is_preemptible(address_of(&pthread_mutex_lock)));
    EXPECT_FALSE(is_preemptible(dlsym(RTLD_DEFAULT, "cos")));
    EXPECT_FALSE(is_preemptible(nullptr));
}

} // namespace teff::preempt
