// SPDX-License-Identifier: Apache-2.0
#include "topo/cgroup.h"

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <pthread.h>
#include <string>
#include <utility>
#include <vector>

namespace teff::topo {
namespace {

TEST(Quota, IsRoundedUpToWholeProcessors) {
    EXPECT_EQ((Quota{100000, 100000}).processors(), 1);
    EXPECT_EQ((Quota{100001, 100000}).processors(), 2);
    EXPECT_EQ((Quota{150000, 100000}).processors(), 2);
    EXPECT_EQ((Quota{1000, 100000}).processors(), 1);
    EXPECT_EQ((Quota{UINT64_MAX, 1}).processors(), INT_MAX);
    EXPECT_EQ((Quota{UINT64_MAX, UINT64_MAX}).processors(), 1);
}

TEST(ParseCpuMax, ReadsQuotaAndPeriod) {
    const auto quota = parse_cpu_max("150000 100000");
    ASSERT_TRUE(quota);
    EXPECT_EQ(quota->quota_us, 150000u);
    EXPECT_EQ(quota->period_us, 100000u);
}

TEST(ParseCpuMax, WhatIsNoQuotaDoesNotLimit) {
    for (const char* text : {"max 100000", "", "max", "100000", "100000 0", "0 100000", "-1 100000", "1 2 3", " 1 2",
                             "99999999999999999999 1", "1 99999999999999999999", "\xff\xff 1", "1e5 1e5"})
        EXPECT_FALSE(parse_cpu_max(text)) << text;
}

TEST(ParseCfs, ReadsBothFiles) {
    const auto quota = parse_cfs("250000", "50000");
    ASSERT_TRUE(quota);
    EXPECT_EQ(quota->processors(), 5);
    EXPECT_FALSE(parse_cfs("-1", "100000"));
    EXPECT_FALSE(parse_cfs("100000", ""));
    EXPECT_FALSE(parse_cfs("", ""));
    EXPECT_FALSE(parse_cfs("100000", "0"));
}

TEST(ParseMembership, KnowsBothVersions) {
    const auto v2 = parse_membership("0::/user.slice/job.scope");
    ASSERT_TRUE(v2);
    EXPECT_EQ(v2->version, CgroupVersion::v2);
    EXPECT_EQ(v2->path, "/user.slice/job.scope");
    const auto v1 = parse_membership("4:cpuacct,cpu:/docker/abc");
    ASSERT_TRUE(v1);
    EXPECT_EQ(v1->version, CgroupVersion::v1);
    EXPECT_EQ(v1->path, "/docker/abc");
    EXPECT_EQ(parse_membership("0::/odd:name")->path, "/odd:name");
}

TEST(ParseMembership, LeavesOutOtherControllersAndNonsense) {
    for (const char* text : {"3:cpuset:/", "2:cpuacct:/", "9:name=systemd:/", "", ":", "::", "0::", "0::relative",
                             "4:cpu", "4:cpu:", "\xff"})
        EXPECT_FALSE(parse_membership(text)) << text;
}

TEST(ParseMount, KnowsBothVersions) {
    const auto v2 = parse_mount("35 24 0:29 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate");
    ASSERT_TRUE(v2);
    EXPECT_EQ(v2->version, CgroupVersion::v2);
    EXPECT_EQ(v2->root, "/");
    EXPECT_EQ(v2->mount_point, "/sys/fs/cgroup");
    const auto v1 = parse_mount("32 31 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct");
    ASSERT_TRUE(v1);
    EXPECT_EQ(v1->version, CgroupVersion::v1);
    EXPECT_EQ(v1->root, "/docker/abc");
}

TEST(ParseMount, LeavesOutOtherMountsAndNonsense) {
    for (const char* text :
         {"33 31 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct", "21 1 8:1 / / rw - ext4 /dev/sda1 rw",
          "", "1 2 3", "1 2 3 / /x rw - ", "1 2 3 / /x rw cgroup2", "- - - - - - -", "\xff\xfe"})
        EXPECT_FALSE(parse_mount(text)) << text;
}

// A root folder with the few files that matter, removed at the end.
class FakeTree : public testing::Test {
  protected:
    FakeTree() {
        char path[] = "/tmp/cgroup_test_XXXXXX";
        root_ = mkdtemp(path);
    }
    ~FakeTree() override { std::filesystem::remove_all(root_); }

    void file(const std::string& path, const std::string& content) {
        const std::filesystem::path full = root_ + path;
        std::filesystem::create_directories(full.parent_path());
        std::ofstream(full) << content << '\n';
    }
    std::optional<int> quota() const { return quota_processors(root_.c_str()); }

    // Of those that rule the memory.
    std::vector<std::pair<std::string, int>> hierarchies() const {
        std::vector<std::pair<std::string, int>> found;
        for_each_hierarchy(
            root_.c_str(), "memory",
            [](void* to, const GroupFolders& folders) {
                static_cast<decltype(found)*>(to)->emplace_back(folders.innermost, folders.levels);
            },
            &found);
        for (auto& [path, levels] : found)
            path.erase(0, root_.size());
        return found;
    }

    void mount_v2(const std::string& mount_root = "/") {
        file("/proc/self/mountinfo", "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n35 24 0:29 " + mount_root +
                                         " /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
    }
    void mount_v1(const std::string& mount_root = "/") {
        file("/proc/self/mountinfo", "32 31 0:29 " + mount_root + " /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu");
    }

  private:
    std::string root_;
};

TEST_F(FakeTree, HierarchiesAreThoseOfTheController) {
    using Found = std::vector<std::pair<std::string, int>>;
    EXPECT_EQ(hierarchies(), Found{});
    file("/proc/self/cgroup", "5:memory:/a/b\n4:cpu,cpuacct:/job\n0::/c");
    mount_v2();
    EXPECT_EQ(hierarchies(), (Found{{"/sys/fs/cgroup/c", 2}}));
    mount_v1();
    EXPECT_EQ(hierarchies(), Found{}) << "it rules the processor time alone";
    file("/proc/self/mountinfo", "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                                 "41 31 0:38 /c /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
    EXPECT_EQ(hierarchies(), (Found{{"/sys/fs/cgroup/memory/a/b", 3}, {"/sys/fs/cgroup/unified", 1}}));
}

TEST_F(FakeTree, NothingThereIsNoQuota) { EXPECT_FALSE(quota()); }

TEST_F(FakeTree, AContainerOfVersion2SeesItsLimitAtTheTop) {
    mount_v2();
    file("/proc/self/cgroup", "0::/");
    file("/sys/fs/cgroup/cpu.max", "250000 100000");
    EXPECT_EQ(quota(), 3);
}

TEST_F(FakeTree, TheSmallestOfNestedGroupsHolds) {
    mount_v2();
    file("/proc/self/cgroup", "0::/a/b/c");
    file("/sys/fs/cgroup/a/cpu.max", "200000 100000");
    file("/sys/fs/cgroup/a/b/cpu.max", "max 100000");
    file("/sys/fs/cgroup/a/b/c/cpu.max", "900000 100000");
    EXPECT_EQ(quota(), 2);
    file("/sys/fs/cgroup/a/b/c/cpu.max", "50000 100000");
    EXPECT_EQ(quota(), 1);
}

TEST_F(FakeTree, GroupsThatAreNotOursDoNotCount) {
    mount_v2();
    file("/proc/self/cgroup", "0::/a");
    file("/sys/fs/cgroup/cpu.max", "700000 100000");
    file("/sys/fs/cgroup/b/cpu.max", "100000 100000");
    file("/sys/fs/cgroup/a/below/cpu.max", "100000 100000");
    file("/sys/fs/cpu.max", "100000 100000"); // above the mount point
    EXPECT_EQ(quota(), 7);
}

TEST_F(FakeTree, NoLimitAnywhereIsNoQuota) {
    mount_v2();
    file("/proc/self/cgroup", "0::/a");
    file("/sys/fs/cgroup/a/cpu.max", "max 100000");
    EXPECT_FALSE(quota());
}

TEST_F(FakeTree, Version1ReadsTwoFiles) {
    mount_v1();
    file("/proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/job\n0::/job");
    file("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "350000");
    file("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000");
    file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
    file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
    EXPECT_EQ(quota(), 4);
}

TEST_F(FakeTree, InVersion1TooTheSmallestOfNestedGroupsHolds) {
    mount_v1();
    file("/proc/self/cgroup", "4:cpu,cpuacct:/kubepods/pod/container");
    const auto group = [this](const std::string& path, const std::string& quota_us) {
        file("/sys/fs/cgroup/cpu" + path + "/cpu.cfs_quota_us", quota_us);
        file("/sys/fs/cgroup/cpu" + path + "/cpu.cfs_period_us", "100000");
    };
    group("", "-1");
    group("/kubepods", "1600000");
    group("/kubepods/pod", "250000");
    group("/kubepods/pod/container", "-1");
    EXPECT_EQ(quota(), 3);
    group("/kubepods/pod/container", "30000");
    EXPECT_EQ(quota(), 1);
    group("/kubepods", "10000");
    EXPECT_EQ(quota(), 1);
}

TEST_F(FakeTree, LessThanAProcessorIsOneProcessor) {
    mount_v2();
    file("/proc/self/cgroup", "0::/a/b");
    file("/sys/fs/cgroup/a/cpu.max", "1000 1000000");
    EXPECT_EQ(quota(), 1);
    file("/sys/fs/cgroup/a/b/cpu.max", "99999 100000");
    EXPECT_EQ(quota(), 1);
}

// As a process sees it for a moment that is moved while its files are read, or whose group is
// removed under it.
TEST_F(FakeTree, AGroupWhoseFilesAreGoneStillHasItsAncestors) {
    mount_v2();
    file("/proc/self/cgroup", "0::/a/gone/too (deleted)");
    file("/sys/fs/cgroup/a/cpu.max", "400000 100000");
    EXPECT_EQ(quota(), 4);
}

// Without a namespace of its own, a container's paths are the host's, and its mount shows only its
// own group.
TEST_F(FakeTree, TheMountsRootIsTakenOffTheGroupsPath) {
    mount_v1("/docker/abc");
    file("/proc/self/cgroup", "4:cpu:/docker/abc/inner");
    file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000");
    file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
    file("/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "100000");
    file("/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000");
    EXPECT_EQ(quota(), 1);
    file("/proc/self/cgroup", "4:cpu:/docker/abc");
    EXPECT_EQ(quota(), 2);
    file("/proc/self/cgroup", "4:cpu:/docker/abcdef");
    EXPECT_EQ(quota(), 2);
}

TEST_F(FakeTree, AGroupOutsideTheNamespaceStaysInsideTheMount) {
    mount_v2();
    file("/proc/self/cgroup", "0::/../../other");
    file("/sys/fs/cgroup/cpu.max", "300000 100000");
    file("/sys/other/cpu.max", "100000 100000");
    EXPECT_EQ(quota(), 3);
}

TEST_F(FakeTree, BothVersionsTogetherGiveTheSmaller) {
    file("/proc/self/mountinfo", "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
                                 "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
    file("/proc/self/cgroup", "1:cpu:/\n0::/");
    file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "600000");
    file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
    file("/sys/fs/cgroup/unified/cpu.max", "500000 100000");
    EXPECT_EQ(quota(), 5);
}

TEST_F(FakeTree, EscapesInAMountPointAreResolved) {
    file("/proc/self/mountinfo", "35 24 0:29 / /my\\040groups rw - cgroup2 cgroup2 rw");
    file("/proc/self/cgroup", "0::/");
    file("/my groups/cpu.max", "200000 100000");
    EXPECT_EQ(quota(), 2);
}

TEST_F(FakeTree, HostileFilesAreNoQuota) {
    mount_v2();
    file("/proc/self/cgroup", "0::/" + std::string(5000, 'a') + "\n0::/" + std::string(3900, 'b'));
    file("/sys/fs/cgroup/cpu.max", std::string(100, '9') + " 1");
    EXPECT_FALSE(quota());
    file("/proc/self/cgroup", "0::/" + std::string(2000, '/'));
    file("/sys/fs/cgroup/cpu.max", std::string("\0\xff 1", 4));
    EXPECT_FALSE(quota());
    file("/proc/self/mountinfo", "35 24 0:29 / /x\\ rw - cgroup2 c rw\n36 24 0:29 / \\0 rw - cgroup2 c rw");
    EXPECT_FALSE(quota());
}

// A region may begin on a thread that the program has asked to end: it goes on to a cancellation
// point of the program's own.
TEST(QuotaProcessors, IsNoCancellationPoint) {
    bool through = false;
    const auto look = [](void* argument) -> void* {
        pthread_cancel(pthread_self()); // takes effect at the next cancellation point
        (void)quota_processors("");
        *static_cast<bool*>(argument) = true;
        pthread_testcancel();
        return argument;
    };
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, nullptr, look, &through), 0);
    void* result = nullptr;
    ASSERT_EQ(pthread_join(thread, &result), 0);
    EXPECT_TRUE(through);
    EXPECT_EQ(result, PTHREAD_CANCELED);
}

} // namespace
} // namespace teff::topo
