// SPDX-License-Identifier: Apache-2.0
#include "preempt/interpose_sleeps.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <threads.h>
#include <unistd.h>

#include "preempt/handler.h"
#include "preempt/interpose.h"
#include "preempt/interpose_signals.h"
#include "preempt/kernel_source.h"
#include "preempt/preempt.h"

// The names that -D_FORTIFY_SOURCE gives them, which have no declaration without it.
extern "C" {
int __poll_chk(pollfd* files, nfds_t count, int timeout, std::size_t bytes);
int __ppoll_chk(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask, std::size_t bytes);
ssize_t __recv_chk(int file, void* buffer, std::size_t count, std::size_t bytes, int flags);
ssize_t __recvfrom_chk(int file, void* buffer, std::size_t count, std::size_t bytes, int flags, sockaddr* from,
                       socklen_t* length);
}

namespace teff::preempt {

Asleep::Asleep(const void* caller) : caller_(caller), target_(is_on() ? detail::own_target() : nullptr) {
    if (target_ == nullptr) return;
    target_->word.fall_asleep();
    stop_module_ticks(*target_);
    masked_ = block_own_signal();
}

Asleep::~Asleep() {
    if (target_ == nullptr) return;
    const int before = errno;
    if (masked_) unblock_own_signal(); // a signal that waits comes here, and is refused
    if (target_->word.wake_up() != 0) serve_after_sleep(*target_, caller_);
    errno = before;
}

namespace {

template <auto Real> struct Sleeps;
template <bool nothrow, class Result, class... Arguments, Result (*Real)(Arguments...) noexcept(nothrow)>
struct Sleeps<Real> {
    static Result call(Arguments... arguments) {
        const Asleep asleep(__builtin_return_address(0));
        return Real(arguments...);
    }
};

// The mask that the program wants during a call, and our signal.
class WiderMask {
  public:
    explicit WiderMask(const sigset_t* wanted) : given_(wanted != nullptr) {
        if (!given_) return;
        mask_ = *wanted;
        if (is_on()) sigaddset(&mask_, own_signal());
    }
    const sigset_t* get() const { return given_ ? &mask_ : nullptr; }

  private:
    const bool given_;
    sigset_t mask_;
};

int sleep_in_ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* wanted) {
    const WiderMask mask(wanted);
    const Asleep asleep(__builtin_return_address(0));
    return ppoll(files, count, timeout, mask.get());
}

int sleep_in_ppoll_chk(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* wanted,
                       std::size_t bytes) {
    const WiderMask mask(wanted);
    const Asleep asleep(__builtin_return_address(0));
    return __ppoll_chk(files, count, timeout, mask.get(), bytes);
}

int sleep_in_pselect(int count, fd_set* in, fd_set* out, fd_set* exceptional, const timespec* timeout,
                     const sigset_t* wanted) {
    const WiderMask mask(wanted);
    const Asleep asleep(__builtin_return_address(0));
    return pselect(count, in, out, exceptional, timeout, mask.get());
}

int sleep_in_epoll_pwait(int file, epoll_event* events, int most, int timeout, const sigset_t* wanted) {
    const WiderMask mask(wanted);
    const Asleep asleep(__builtin_return_address(0));
    return epoll_pwait(file, events, most, timeout, mask.get());
}

int sleep_in_sigsuspend(const sigset_t* wanted) {
    const WiderMask mask(wanted);
    const Asleep asleep(__builtin_return_address(0));
    return sigsuspend(mask.get());
}

template <auto Real> Interposed sleeps(const char* name, Condition condition = Condition::always) {
    return {name, address_of(&Sleeps<Real>::call), condition};
}

} // namespace

std::span<const Interposed> interposed_sleeps() {
    using enum Condition;
    static const Interposed kSleeps[] = {
        sleeps<&nanosleep>("nanosleep"),
        sleeps<&clock_nanosleep>("clock_nanosleep"),
        sleeps<&usleep>("usleep"),
        sleeps<&sleep>("sleep"),
        sleeps<&thrd_sleep>("thrd_sleep"),
        sleeps<&pause>("pause"),
        sleeps<&poll>("poll"),
        sleeps<&__poll_chk>("__poll_chk"),
        sleeps<&select>("select"),
        sleeps<&epoll_wait>("epoll_wait"),
        {"ppoll", address_of(&sleep_in_ppoll)},
        {"__ppoll_chk", address_of(&sleep_in_ppoll_chk)},
        {"pselect", address_of(&sleep_in_pselect)},
        {"epoll_pwait", address_of(&sleep_in_epoll_pwait)},
        {"sigsuspend", address_of(&sleep_in_sigsuspend)},
        sleeps<&sigwait>("sigwait"),
        sleeps<&sigwaitinfo>("sigwaitinfo"),
        sleeps<&sigtimedwait>("sigtimedwait"),
        sleeps<&sem_wait>("sem_wait"),
        sleeps<&sem_timedwait>("sem_timedwait"),
        sleeps<&sem_clockwait>("sem_clockwait"),
        sleeps<&msgrcv>("msgrcv"),
        sleeps<&msgsnd>("msgsnd"),
        sleeps<&write>("write"), // else they could return with a part
        sleeps<&writev>("writev"),
        sleeps<&send>("send"),
        sleeps<&sendto>("sendto"),
        sleeps<&sendmsg>("sendmsg"),
        sleeps<&semop>("semop"),
        sleeps<&semtimedop>("semtimedop"),
        sleeps<&recv>("recv"),
        sleeps<&__recv_chk>("__recv_chk"),
        sleeps<&recvfrom>("recvfrom"),
        sleeps<&__recvfrom_chk>("__recvfrom_chk"),
        sleeps<&recvmsg>("recvmsg"),
        sleeps<&recvmmsg>("recvmmsg"),
        sleeps<&accept>("accept"),
        sleeps<&accept4>("accept4"),
        sleeps<&connect>("connect"),
        sleeps<&pthread_join>("pthread_join"),
        sleeps<&pthread_timedjoin_np>("pthread_timedjoin_np"),
        sleeps<&pthread_clockjoin_np>("pthread_clockjoin_np"),
        sleeps<&thrd_join>("thrd_join"),
        sleeps<&pthread_barrier_wait>("pthread_barrier_wait"),
        sleeps<&pthread_cond_wait>("pthread_cond_wait", new_version),
        sleeps<&pthread_cond_timedwait>("pthread_cond_timedwait", new_version),
        sleeps<&pthread_cond_clockwait>("pthread_cond_clockwait", new_version),
        sleeps<&cnd_wait>("cnd_wait"),
        sleeps<&cnd_timedwait>("cnd_timedwait"),
    };
    return kSleeps;
}

} // namespace teff::preempt
