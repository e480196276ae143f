// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/folder.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/trace/trace_reading.h"

namespace teff::probe::trace {
namespace {

// A folder `r` in the scratch folder, as a recording claims it.
class FolderTest : public testing::Test {
  protected:
    FolderTest() { EXPECT_EQ(folder_.note_path(path_), 0); }

    // 0 or minus an errno value.
    long try_open() {
        const long opened = folder_.open();
        if (opened >= 0) close(static_cast<int>(opened));
        return opened >= 0 ? 0 : opened;
    }

    ScratchFolder scratch_;
    std::string path_ = scratch_.file("r");
    Folder folder_{std::nullopt};
};

TEST_F(FolderTest, IsMade) {
    EXPECT_EQ(folder_.claim(), 0);
    EXPECT_TRUE(std::filesystem::is_directory(path_));
    EXPECT_EQ(try_open(), 0);
    folder_.disclaim();
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(FolderTest, IsTakenWhereItIsEmptyAndNotRemoved) {
    std::filesystem::create_directory(path_);
    EXPECT_EQ(folder_.claim(), 0);
    folder_.disclaim();
    EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(FolderTest, IsRefusedWhereSomethingIsInIt) {
    std::filesystem::create_directory(path_);
    for (int i = 0; i < 300; ++i) // more than one reading of the folder gives
        std::filesystem::create_directory(path_ + "/" + std::to_string(i));
    EXPECT_EQ(folder_.claim(), ENOTEMPTY);
}

TEST_F(FolderTest, IsRefusedWhereAFileStands) {
    std::ofstream(path_) << "precious";
    EXPECT_EQ(folder_.claim(), ENOTDIR);
    EXPECT_EQ(contents(path_), "precious");
}

TEST_F(FolderTest, CanBeOpenedUnderAnyUmask) {
    const mode_t before = umask(0777);
    EXPECT_EQ(folder_.claim(), 0);
    umask(before);
    EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms{0700});
}

TEST_F(FolderTest, AnotherUnderItsNameIsNotOpened) {
    EXPECT_EQ(folder_.claim(), 0);
    std::filesystem::rename(path_, scratch_.file("elsewhere"));
    EXPECT_EQ(try_open(), -ENOENT);
    std::filesystem::create_directory(path_);
    EXPECT_EQ(try_open(), -ENOENT);
}

TEST(FolderPath, RelativeOnesAreTakenFromTheCurrentFolder) {
    Folder folder(std::nullopt);
    EXPECT_EQ(folder.note_path("a/b"), 0);
    EXPECT_EQ(folder.path(), std::filesystem::current_path().string() + "/a/b");
    EXPECT_EQ(folder.note_path("/a/b"), 0);
    EXPECT_STREQ(folder.path(), "/a/b");
}

TEST(FolderPath, LongOnesAreRefused) {
    Folder folder(std::nullopt);
    EXPECT_EQ(folder.note_path("/" + std::string(PATH_MAX - 2, 'x')), 0);
    EXPECT_EQ(folder.note_path("/" + std::string(PATH_MAX - 1, 'x')), ENAMETOOLONG);
    EXPECT_EQ(folder.note_path(std::string(PATH_MAX - 2, 'x')), ENAMETOOLONG);
}

TEST(FolderRoom, IsCountedOverAllWhoTakeOfIt) {
    Folder folder(3);
    EXPECT_TRUE(folder.take_chunk() && folder.take_chunk() && folder.take_chunk());
    EXPECT_FALSE(folder.take_chunk());
    folder.give_chunk_back();
    EXPECT_TRUE(folder.take_chunk());
    EXPECT_FALSE(folder.take_chunk());
    EXPECT_FALSE(folder.has_default_limit());
}

TEST(FolderRoom, HasADefaultLimit) {
    EXPECT_EQ(Folder(std::nullopt).most_MiB(), 32u << 10);
    EXPECT_TRUE(Folder(std::nullopt).has_default_limit());
    Folder unlimited(0);
    EXPECT_TRUE(unlimited.take_chunk());
    EXPECT_FALSE(unlimited.has_default_limit());
}

} // namespace
} // namespace teff::probe::trace
