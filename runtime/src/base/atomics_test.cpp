// SPDX-License-Identifier: Apache-2.0
#include "base/atomics.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace teff::base {
namespace {

// From now on, membarrier fails in the calling process.
bool forbid_membarrier() {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter = {sizeof program / sizeof *program, program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(Fences, AreAllFullOnceMembarrierIsForbidden) {
    initialise_fences();
    if (!detail::light_fences_cost_nothing) GTEST_SKIP() << "this kernel has no membarrier";
    RealAtomics::heavy_fence();
    EXPECT_TRUE(detail::light_fences_cost_nothing && detail::heavy_fences_reach_all);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        if (!forbid_membarrier()) _exit(2);
        RealAtomics::heavy_fence();
        if (detail::light_fences_cost_nothing || detail::heavy_fences_reach_all) _exit(3);
        RealAtomics::light_fence();
        RealAtomics::heavy_fence();
        initialise_fences(); // as in a child of this process
        _exit(detail::light_fences_cost_nothing || detail::heavy_fences_reach_all ? 4 : 0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

} // namespace
} // namespace teff::base
