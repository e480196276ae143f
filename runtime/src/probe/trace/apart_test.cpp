// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/apart.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "probe/trace/calls.h"
#include "probe/trace/trace_reading.h"

namespace teff::probe::trace {
namespace {

class ApartTest : public testing::Test {
  protected:
    ApartTest() { note_surroundings(); }

    template <class Work> int run(Work work) {
        const Guest guest;
        return run_apart(guest, *stack_, work);
    }

    std::unique_ptr<ApartStack> stack_ = std::make_unique<ApartStack>();
};

std::vector<int> open_descriptors() {
    std::vector<int> open;
    for (int descriptor = 0; descriptor < 1'024; ++descriptor)
        if (fcntl(descriptor, F_GETFD) >= 0) open.push_back(descriptor);
    return open;
}

TEST_F(ApartTest, TheWorkIsDoneInTheSameMemoryByAnotherThread) {
    long thread = 0, process = 0;
    EXPECT_EQ(run([&] {
                  thread = call(SYS_gettid);
                  process = call(SYS_getpid);
              }),
              0);
    EXPECT_EQ(process, getpid());
    EXPECT_NE(thread, gettid());
    EXPECT_NE(thread, 0);
    EXPECT_EQ(call(SYS_tgkill, getpid(), thread, 0), -ESRCH) << "nothing is left of it";
}

TEST_F(ApartTest, ItHasNoneOfTheProgramsDescriptorsAndLeavesNone) {
    const std::vector<int> before = open_descriptors();
    long first = -1, standard_error = 0;
    EXPECT_EQ(run([&] {
                  standard_error = call(SYS_fcntl, STDERR_FILENO, F_GETFD);
                  first = call(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY, 0);
              }),
              0);
    EXPECT_EQ(standard_error, -EBADF);
    EXPECT_EQ(first, 0);
    EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ApartTest, WhatItMapsStays) {
    long at = 0;
    EXPECT_EQ(run([&] { at = std::bit_cast<long>(map_memory(4096)); }), 0);
    ASSERT_NE(at, 0);
    *std::bit_cast<char*>(at) = 1;
    EXPECT_EQ(call(SYS_munmap, at, 4096), 0);
}

TEST_F(ApartTest, SignalsThatItRaisesGoWithIt) {
    const ScratchFolder folder;
    rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit none{0, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
    long too_large = 0, nobody_reads = 0;
    EXPECT_EQ(run([&, name = folder.file("x")] {
                  const long file = call(SYS_openat, AT_FDCWD, name.c_str(), O_RDWR | O_CREAT, 0600);
                  too_large = call(SYS_fallocate, file, 0, 0, 4096);
                  int ends[2];
                  call(SYS_pipe2, ends, 0);
                  call(SYS_close, ends[0]);
                  nobody_reads = call(SYS_write, ends[1], "x", 1);
              }),
              0);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(too_large, -EFBIG);
    EXPECT_EQ(nobody_reads, -EPIPE);
    sigset_t pending;
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGXFSZ) + sigismember(&pending, SIGPIPE), 0);
}

// The cancellation comes at the guest's end, not in the middle.
TEST_F(ApartTest, ACancelledThreadGetsItsWorkDone) {
    struct Shared {
        ApartStack& stack;
        std::atomic<int> step{0};
        bool done = false;
    } shared{*stack_};
    const auto thread_main = [](void* argument) -> void* {
        auto& self = *static_cast<Shared*>(argument);
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
        const Guest guest;
        self.step = 1;
        while (self.step != 2)
            sched_yield();
        auto work = [&] { self.done = call(SYS_close, -1) == -EBADF; };
        (void)run_apart(guest, self.stack, work);
        return nullptr;
    };
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, nullptr, thread_main, &shared), 0);
    while (shared.step != 1)
        sched_yield();
    EXPECT_EQ(pthread_cancel(thread), 0);
    shared.step = 2;
    void* result = nullptr;
    pthread_join(thread, &result);
    EXPECT_EQ(result, PTHREAD_CANCELED);
    EXPECT_TRUE(shared.done);
}

TEST_F(ApartTest, WithoutAThreadNothingIsDone) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become a user who may start no thread";
    const pid_t child = fork();
    if (child == 0) {
        const rlimit none{0, 0};
        bool done = false;
        if (setrlimit(RLIMIT_NPROC, &none) != 0 || setresuid(65'534, 65'534, 65'534) != 0) _exit(2);
        const int error = run([&] { done = true; });
        _exit(error == EAGAIN && !done ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

} // namespace
} // namespace teff::probe::trace
