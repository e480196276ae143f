// SPDX-License-Identifier: Apache-2.0
#include "device/modules.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <link.h>
#include <memory>
#include <string>
#include <vector>

namespace teff::device {
namespace {

int initialised = 5, zeroed;
const int constant = 6;
void function() {}
struct Virtual {
    virtual ~Virtual() = default;
};

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

std::string path_at(Address address) {
    base::List<char> path;
    find_path_of_module_at(address, path);
    return path.data();
}

class ModulesOfThisProcess : public testing::Test {
  protected:
    ModulesOfThisProcess() {
        modules_.read();
        others_.assign(modules_.records().begin(), modules_.records().end());
    }
    Modules modules_;
    std::vector<ModuleRecord> others_;
};

TEST_F(ModulesOfThisProcess, KnowWhatMemoryIs) {
    const auto heap = std::make_unique<int>();
    int on_stack = 0;
    const Virtual object;
    Address table = 0; // the object's first word
    std::memcpy(&table, static_cast<const void*>(&object), sizeof table);
    EXPECT_EQ(modules_.storage({address_of(&initialised), sizeof(int)}), Storage::writable);
    EXPECT_EQ(modules_.storage({address_of(&zeroed), sizeof(int)}), Storage::writable);
    EXPECT_EQ(modules_.storage({address_of(&constant), sizeof(int)}), Storage::constant);
    EXPECT_EQ(modules_.storage({table, 8}), Storage::constant) << "vtable";
    EXPECT_EQ(modules_.storage({address_of(heap.get()), sizeof(int)}), Storage::elsewhere);
    EXPECT_EQ(modules_.storage({address_of(&on_stack), sizeof(int)}), Storage::elsewhere);
    EXPECT_TRUE(modules_.is_code(address_of(reinterpret_cast<void*>(function))));
    EXPECT_FALSE(modules_.is_code(address_of(&initialised)));
    EXPECT_FALSE(modules_.is_code(address_of(heap.get())));
}

TEST_F(ModulesOfThisProcess, TranslateByModuleAndOffset) {
    EXPECT_EQ(modules_.translate(address_of(&initialised)), 0u) << "nothing is known of the other process";
    for (ModuleRecord& other : others_)
        other.base += 0x1000;
    std::reverse(others_.begin(), others_.end()); // any order
    EXPECT_EQ(modules_.match(others_.data(), others_.size()), nullptr);
    EXPECT_FALSE(modules_.lie_equally());
    EXPECT_EQ(modules_.translate(address_of(&initialised)), address_of(&initialised) + 0x1000);
    const auto printf_address = address_of(reinterpret_cast<void*>(std::printf));
    EXPECT_EQ(modules_.translate(printf_address), printf_address + 0x1000);
    int on_stack = 0;
    EXPECT_EQ(modules_.translate(address_of(&on_stack)), 0u);
}

TEST_F(ModulesOfThisProcess, MayLieAnywhereIfTheyWereLoadedLater) {
    Modules::note_start();
    const std::size_t at_start = others_.size();
    ASSERT_NE(dlopen("libanl.so.1", RTLD_NOW), nullptr); // nothing uses it
    modules_.read();
    others_.assign(modules_.records().begin(), modules_.records().end());
    ASSERT_GT(others_.size(), at_start);
    others_.back().base += 0x1000;
    EXPECT_EQ(modules_.match(others_.data(), others_.size()), nullptr);
    EXPECT_TRUE(modules_.lie_equally());
    others_.front().base += 0x1000;
    EXPECT_EQ(modules_.match(others_.data(), others_.size()), nullptr);
    EXPECT_FALSE(modules_.lie_equally());
}

TEST_F(ModulesOfThisProcess, MayBeMissingIfTheyWereLoadedLater) {
    Modules::note_start();
    EXPECT_EQ(modules_.match(others_.data(), others_.size()), nullptr);
    EXPECT_FALSE(modules_.has_unmatched());
    void* const library = dlopen("libBrokenLocale.so.1", RTLD_NOW); // nothing uses it
    ASSERT_NE(library, nullptr);
    const link_map* map;
    ASSERT_EQ(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
    const Address inside = address_of(map->l_ld);
    modules_.read();
    EXPECT_EQ(modules_.match(others_.data(), others_.size()), nullptr);
    EXPECT_TRUE(modules_.has_unmatched());
    EXPECT_TRUE(modules_.is_unmatched(inside));
    EXPECT_FALSE(modules_.is_unmatched(address_of(&initialised)));
    EXPECT_FALSE(modules_.is_unmatched(0));
    char path[PATH_MAX];
    ASSERT_NE(realpath(map->l_name, path), nullptr);
    EXPECT_EQ(path_at(inside), path);

    // The other process has a library of this name from another folder, and then both.
    ModuleRecord record = modules_.records()[modules_.records().size() - 1];
    record.build_id[3] ^= 1;
    others_.push_back(record);
    EXPECT_EQ(modules_.match(others_.data(), others_.size()), nullptr);
    EXPECT_TRUE(modules_.is_unmatched(inside));
    record.build_id[3] ^= 1;
    record.base += 0x1000;
    others_.push_back(record);
    EXPECT_EQ(modules_.match(others_.data(), others_.size()), nullptr);
    EXPECT_FALSE(modules_.has_unmatched());
    EXPECT_FALSE(modules_.is_unmatched(inside));
    EXPECT_EQ(modules_.translate(inside), inside + 0x1000);
}

TEST_F(ModulesOfThisProcess, MayHaveAnotherNameThere) {
    Modules::note_start();
    const std::uint64_t before = Modules::changes();
    void* const library = dlopen("libutil.so.1", RTLD_NOW); // nothing uses it
    ASSERT_NE(library, nullptr);
    EXPECT_GT(Modules::changes(), before);
    const link_map* map;
    ASSERT_EQ(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
    const Address inside = address_of(map->l_ld);
    modules_.read();
    ModuleRecord record = *modules_.find(inside);
    record.name[0] = 'x';
    record.base += 0x1000;
    record.build_id[3] ^= 1;
    EXPECT_FALSE(modules_.match_at(inside, record));
    EXPECT_TRUE(modules_.is_unmatched(inside));
    record.build_id[3] ^= 1;
    EXPECT_TRUE(modules_.match_at(inside, record));
    EXPECT_EQ(modules_.translate(inside), inside + 0x1000);
    const std::uint64_t loaded = Modules::changes();
    ASSERT_NE(dlopen("libnss_files.so.2", RTLD_NOW), nullptr);
    modules_.read();
    EXPECT_EQ(modules_.match(nullptr, 0), nullptr);
    EXPECT_EQ(modules_.translate(inside), inside + 0x1000) << "this stays known";
    dlclose(library);
    EXPECT_GT(Modules::changes(), loaded) << "libraries that are unloaded count";
    modules_.read();
    EXPECT_EQ(modules_.find(inside), nullptr);
}

TEST_F(ModulesOfThisProcess, HaveNoPathWhereThereIsNoFile) {
    const auto heap = std::make_unique<int>();
    EXPECT_EQ(path_at(address_of(heap.get())), "");
    EXPECT_EQ(path_at(0), "");
}

TEST_F(ModulesOfThisProcess, DescribeAPlaceForAddr2line) {
    const auto code = address_of(reinterpret_cast<void*>(function));
    const ModuleRecord* const program = modules_.find(code);
    ASSERT_NE(program, nullptr);
    char expected[256];
    const auto offset = static_cast<unsigned long long>(code - program->base);
    const char* const name = program_invocation_short_name;
    std::snprintf(expected, sizeof expected, "%s+0x%llx (addr2line -e %s 0x%llx)", name, offset, name, offset);
    EXPECT_STREQ(modules_.describe(code).text, expected);
    EXPECT_STREQ(modules_.describe(0).text, "");
}

TEST_F(ModulesOfThisProcess, RefuseAnotherBuild) {
    EXPECT_EQ(modules_.match(others_.data(), others_.size()), nullptr);
    EXPECT_TRUE(modules_.lie_equally());
    others_[0].build_id[3] ^= 1;
    const ModuleRecord* const other = modules_.match(others_.data(), others_.size());
    ASSERT_NE(other, nullptr);
    EXPECT_STREQ(other->name, "") << "the program";
}

TEST_F(ModulesOfThisProcess, DoNotTranslateWhatTheOtherLacks) {
    EXPECT_EQ(modules_.match(others_.data() + 1, others_.size() - 1), nullptr);
    EXPECT_EQ(modules_.translate(address_of(&initialised)), 0u);
    // The sanitizers put a printf of their own into the program.
    EXPECT_NE(modules_.translate(address_of(reinterpret_cast<void*>(gnu_get_libc_version))), 0u);
}

TEST_F(ModulesOfThisProcess, HaveBuildIds) {
    const ModuleRecord* const module = modules_.find(address_of(reinterpret_cast<void*>(std::printf)));
    ASSERT_NE(module, nullptr);
    EXPECT_TRUE(std::any_of(std::begin(module->build_id), std::end(module->build_id), [](int byte) {
        return byte != 0;
    })) << module->name;
}

} // namespace
} // namespace teff::device
