// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/guest.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include "base/standard_error.h"
#include "probe/trace/calls.h"
#include "probe/trace/trace_reading.h"

namespace teff::probe::trace {
namespace {

volatile std::sig_atomic_t signals_handled = 0;

sigset_t pending() {
    sigset_t set;
    sigpending(&set);
    return set;
}

// Standard error leads elsewhere while one lives.
class OtherStandardError {
  public:
    explicit OtherStandardError(int descriptor) : before_(dup(STDERR_FILENO)) { dup2(descriptor, STDERR_FILENO); }
    ~OtherStandardError() {
        dup2(before_, STDERR_FILENO);
        close(before_);
    }
    OtherStandardError(const OtherStandardError&) = delete;
    OtherStandardError& operator=(const OtherStandardError&) = delete;

  private:
    int before_;
};

TEST(Guest, LeavesErrnoAndMaskAsTheyWere) {
    sigset_t one, after;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &one, nullptr);
    errno = 4711;
    {
        const Guest guest;
        errno = 1;
        const Guest another;
        errno = 2;
    }
    EXPECT_EQ(errno, 4711);
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    for (int signal = 1; signal < NSIG; ++signal)
        EXPECT_EQ(sigismember(&after, signal), signal == SIGUSR2 ? 1 : 0) << signal;
    sigemptyset(&one);
    pthread_sigmask(SIG_SETMASK, &one, nullptr);
}

TEST(Guest, SignalsWaitForItsEnd) {
    std::signal(SIGUSR1, [](int) { signals_handled = 1; });
    {
        const Guest guest;
        raise(SIGUSR1);
        EXPECT_EQ(signals_handled, 0);
    }
    while (signals_handled == 0)
        pending(); // ThreadSanitizer runs handlers late, in functions of the C library that it watches
    std::signal(SIGUSR1, SIG_DFL);
}

TEST(Guest, CallsLeaveErrnoAlone) {
    errno = 4711;
    EXPECT_EQ(call(SYS_close, -1), -EBADF);
    EXPECT_EQ(errno, 4711);
}

TEST(Say, WritesOneLineToStandardError) {
    testing::internal::CaptureStderr();
    base::note_standard_error();
    say(Guest(), "%s and %d", "one", 2);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "teff: warning: one and 2\n");
}

TEST(Say, IsSilentWhereStandardErrorIsAnotherFile) {
    base::note_standard_error();
    const ScratchFolder folder;
    const int data = open(folder.file("data").c_str(), O_RDWR | O_CREAT, 0600);
    {
        const OtherStandardError programs_data(data);
        say(Guest(), "not for this file");
    }
    close(data);
    EXPECT_EQ(contents(folder.file("data")), "");
}

TEST(Say, RaisesNoSignalWhereNobodyReads) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    {
        const OtherStandardError broken(ends[1]);
        base::note_standard_error();
        close(ends[0]);
        say(Guest(), "nobody hears this");
    }
    close(ends[1]);
    const sigset_t left = pending();
    EXPECT_EQ(sigismember(&left, SIGPIPE), 0);
}

TEST(Say, RaisesNoSignalWhereTheFileMayNotGrow) {
    const ScratchFolder folder;
    const int log = open(folder.file("log").c_str(), O_RDWR | O_CREAT, 0600);
    rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit none{0, before.rlim_max};
    {
        const OtherStandardError full(log);
        base::note_standard_error();
        setrlimit(RLIMIT_FSIZE, &none);
        say(Guest(), "there is no room for this");
        setrlimit(RLIMIT_FSIZE, &before);
    }
    close(log);
    const sigset_t left = pending();
    EXPECT_EQ(sigismember(&left, SIGXFSZ), 0);
}

TEST(Say, DoesNotWaitForAReader) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
    const std::string filling(4096, 'x');
    while (write(ends[1], filling.data(), filling.size()) > 0) {
    }
    fcntl(ends[1], F_SETFL, 0); // from here on, a write would wait
    {
        const OtherStandardError full(ends[1]);
        base::note_standard_error();
        say(Guest(), "nobody reads this now");
    }
    close(ends[0]);
    close(ends[1]);
}

} // namespace
} // namespace teff::probe::trace
