// SPDX-License-Identifier: Apache-2.0
//
// A program may wait for another thread in its own loop, in which it yields or sleeps. The loop
// reads memory that only a flush updates, so the calls that yield or sleep flush. The beat's signal
// does not end a sleep early.
#include <cerrno>
#include <csignal>
#include <ctime>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "abi/export.h"
#include "processes/aside.h"
#include "processes/flush.h"
#include "processes/interpose.h"
#include "processes/link.h"
#include "processes/tasks.h"

using namespace teff::processes;

namespace {

// The loop may also wait for a task that this process has.
bool pause_if_shared(Why why) {
    if (!flush_if_shared(why)) return false;
    tasks::offer();
    return true;
}

// Blocks the beat, which would end the call early. The process has just flushed, so no other
// process needs the beat.
template <class Call> auto wait_undisturbed(Call call) {
    if (!pause_if_shared(Why::asked)) return call();
    sigset_t beat, before;
    sigemptyset(&beat);
    sigaddset(&beat, link::signal_number());
    pthread_sigmask(SIG_BLOCK, &beat, &before);
    const auto result = call();
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    flush_if_shared(Why::asked);
    errno = error;
    return result;
}

// The mask that the program requests for the call, with the beat added.
class Mask {
  public:
    explicit Mask(const sigset_t* wanted) : is_there_(wanted != nullptr) {
        if (!is_there_) return;
        mask_ = *wanted;
        if (link::is_connected()) sigaddset(&mask_, link::signal_number());
    }
    const sigset_t* get() const { return is_there_ ? &mask_ : nullptr; }

  private:
    bool is_there_;
    sigset_t mask_;
};

int sleep_for(const timespec* time, timespec* rest) {
    return wait_undisturbed([&] { return static_cast<int>(syscall(SYS_nanosleep, time, rest)); });
}

} // namespace

TEFF_EXPORT int sched_yield() {
    if (!pause_if_shared(Why::yield)) return static_cast<int>(syscall(SYS_sched_yield));
    return 0;
}

TEFF_EXPORT int nanosleep(const timespec* time, timespec* rest) { return sleep_for(time, rest); }
TEFF_EXPORT int usleep(unsigned us) {
    const timespec time = {static_cast<time_t>(us / 1'000'000), static_cast<long>(us % 1'000'000) * 1000};
    return sleep_for(&time, nullptr);
}
TEFF_EXPORT unsigned sleep(unsigned seconds) {
    const timespec time = {static_cast<time_t>(seconds), 0};
    timespec rest = {};
    if (sleep_for(&time, &rest) == 0) return 0;
    return static_cast<unsigned>(rest.tv_sec + (rest.tv_nsec >= 500'000'000 ? 1 : 0));
}
TEFF_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* rest) {
    static int (*real)(clockid_t, int, const timespec*, timespec*) = nullptr;
    return wait_undisturbed([&] { return next(real, "clock_nanosleep")(clock, flags, time, rest); });
}
TEFF_EXPORT int thrd_sleep(const timespec* time, timespec* rest) {
    static int (*real)(const timespec*, timespec*) = nullptr;
    return wait_undisturbed([&] { return next(real, "thrd_sleep")(time, rest); });
}

TEFF_EXPORT int poll(pollfd* files, nfds_t count, int time_ms) {
    static int (*real)(pollfd*, nfds_t, int) = nullptr;
    return wait_undisturbed([&] { return next(real, "poll")(files, count, time_ms); });
}
TEFF_EXPORT int ppoll(pollfd* files, nfds_t count, const timespec* time, const sigset_t* mask) {
    static int (*real)(pollfd*, nfds_t, const timespec*, const sigset_t*) = nullptr;
    const Mask wanted(mask);
    return wait_undisturbed([&] { return next(real, "ppoll")(files, count, time, wanted.get()); });
}
TEFF_EXPORT int select(int count, fd_set* to_read, fd_set* to_write, fd_set* others, timeval* time) {
    static int (*real)(int, fd_set*, fd_set*, fd_set*, timeval*) = nullptr;
    return wait_undisturbed([&] { return next(real, "select")(count, to_read, to_write, others, time); });
}
TEFF_EXPORT int pselect(int count, fd_set* to_read, fd_set* to_write, fd_set* others, const timespec* time,
                        const sigset_t* mask) {
    static int (*real)(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*) = nullptr;
    const Mask wanted(mask);
    return wait_undisturbed(
        [&] { return next(real, "pselect")(count, to_read, to_write, others, time, wanted.get()); });
}
TEFF_EXPORT int epoll_wait(int epoll, epoll_event* events, int count, int time_ms) {
    static int (*real)(int, epoll_event*, int, int) = nullptr;
    return wait_undisturbed([&] { return next(real, "epoll_wait")(epoll, events, count, time_ms); });
}
TEFF_EXPORT int epoll_pwait(int epoll, epoll_event* events, int count, int time_ms, const sigset_t* mask) {
    static int (*real)(int, epoll_event*, int, int, const sigset_t*) = nullptr;
    const Mask wanted(mask);
    return wait_undisturbed([&] { return next(real, "epoll_pwait")(epoll, events, count, time_ms, wanted.get()); });
}
