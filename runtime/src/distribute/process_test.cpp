// SPDX-License-Identifier: Apache-2.0
#include "distribute/process.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem/placement.h"

namespace teff::distribute {
namespace {

TEST(Mappings, OfThisProcessAreCounted) {
    const Mappings before = mappings_of_process();
    ASSERT_GT(before.now, 5);
    ASSERT_GT(before.most, before.now);
    // Pages that may be read between others that may not: each is a mapping.
    constexpr std::size_t kPages = 300;
    char* const memory = static_cast<char*>(
        mmap(nullptr, kPages * mem::kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    ASSERT_NE(memory, MAP_FAILED);
    for (std::size_t page = 1; page < kPages; page += 2)
        ASSERT_EQ(mprotect(memory + page * mem::kPageBytes, mem::kPageBytes, PROT_READ), 0);
    EXPECT_GE(mappings_of_process().now, before.now + static_cast<long>(kPages) - 5);
    munmap(memory, kPages * mem::kPageBytes);
}

// A filter that allows all. False: the system has none.
bool set_filter() {
    sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program = {1, allow};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(Filters, OfThisProcessAreCounted) {
    const long before = filters_of_process();
    ASSERT_GE(before, 0);
    const pid_t child = fork();
    if (child == 0) {
        if (!set_filter() || !set_filter()) _exit(77);
        _exit(filters_of_process() == before + 2 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no filters for system calls";
    EXPECT_EQ(WEXITSTATUS(status), 0) << "before Linux 5.9 they are not counted";
    EXPECT_EQ(filters_of_process(), before);
}

} // namespace
} // namespace teff::distribute
