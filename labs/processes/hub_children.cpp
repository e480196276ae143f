// SPDX-License-Identifier: Apache-2.0
//
// The hub is the parent of all processes of the run: it has forked the first process, and it
// becomes the parent of each other process when that process's own parent ends
// (PR_SET_CHILD_SUBREAPER). So the kernel tells the hub of every death and its reason, and no
// zombie is left. The processes die with the hub, because each of them sets PR_SET_PDEATHSIG.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <initializer_list>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "processes/hub.h"
#include "processes/link.h"
#include "processes/report.h"
#include "processes/transport.h"

namespace teff::processes::hub {

namespace {

volatile sig_atomic_t child_died = 0;

struct sigaction before[_NSIG];
sigset_t mask_before;

// For the user, the first process is the program, so it gets the signals. The hub keeps signals
// that stop a process and signals for its own faults. The C library reserves two signals.
bool is_passed_on(int signal) {
    for (const int own : {SIGKILL, SIGSTOP, SIGCHLD, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTSTP, SIGTTIN, SIGTTOU})
        if (signal == own) return false;
    return signal < 32 || (signal >= SIGRTMIN && signal < _NSIG);
}

void note_death(int) {
    child_died = 1;
    transport().hub_wake();
}
// A terminal sends its signals to all processes; the hub sends its own signals to itself.
void pass_on(int signal, siginfo_t* info, void*) {
    const int error = errno;
    const pid_t first = hub().process[0].pid;
    const bool is_terminals = info->si_code == SI_KERNEL && signal != SIGHUP && signal != SIGALRM;
    if (first > 0 && !is_terminals && info->si_pid != getpid()) {
        if (info->si_code == SI_QUEUE) sigqueue(first, signal, info->si_value);
        else kill(first, signal);
    }
    errno = error;
}

// Children that ended before they had identified themselves.
struct Stranger {
    pid_t pid;
    int status;
};
constinit List<Stranger> strangers;

struct Figures {
    bool wanted = false;
    std::uint64_t messages = 0, bytes_in = 0, bytes_out = 0, barriers = 0;
};
constinit Figures figures;

int rank_of(pid_t pid) {
    for (unsigned rank = 0; rank < hub().processes; ++rank)
        if (hub().process[rank].pid == pid) return static_cast<int>(rank);
    return -1;
}

void reap_all() {
    for (unsigned rank = 0; rank < hub().processes; ++rank)
        if (hub().process[rank].pid > 0) kill(hub().process[rank].pid, SIGKILL);
    // Some processes may not have identified themselves. They are children of the hub now, or will
    // become its children.
    const std::uint64_t rounds = 200;
    for (std::uint64_t i = 0; i < rounds; ++i) {
        const pid_t ended = waitpid(-1, nullptr, WNOHANG);
        if (ended < 0 && errno == ECHILD) return;
        if (ended == 0) usleep(1000);
    }
}

void print_figures() {
    const std::uint64_t barriers = figures.barriers == 0 ? 1 : figures.barriers;
    say("processes: %u, transport: %s, messages: %lu, bytes to the hub: %lu, from it: %lu, barriers and region ends: "
        "%lu, "
        "bytes per barrier: %lu",
        hub().processes, transport().name, figures.messages, figures.bytes_in, figures.bytes_out, figures.barriers,
        (figures.bytes_in + figures.bytes_out) / barriers);
}

// Called when a worker has ended by itself: an exit in a region ends the program.
void end_with(unsigned rank, int status) {
    if (rank == 0 || status == kFailedStatus) end_all(status, 0);
    const Answer order = {What::exit, 0, static_cast<std::uint64_t>(status), 0, 0, 0, 0};
    const iovec part = {const_cast<Answer*>(&order), sizeof order};
    (void)transport().hub_send(0, &part, 1); // the first process writes out what it has buffered
    for (int i = 0; i < 1000; ++i) {
        if (waitpid(hub().process[0].pid, nullptr, WNOHANG) != 0) break;
        usleep(1000);
    }
    end_all(status, 0);
}

void judge(pid_t pid, int status) {
    const int rank = rank_of(pid);
    if (rank < 0) return strangers.push({pid, status}); // or a process that the program has left
    hub().process[rank].pid = 0;
    if (WIFEXITED(status)) return end_with(static_cast<unsigned>(rank), WEXITSTATUS(status));
    const int signal = WTERMSIG(status);
    say("process %d of %u (%d) was killed by signal %d (%s); the others are ended", rank, hub().processes,
        static_cast<int>(pid), signal, strsignal(signal));
    end_all(128 + signal, signal);
}

} // namespace

void watch_signals() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct sigaction action = {};
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask_before);
    action.sa_handler = note_death;
    sigaction(SIGCHLD, &action, &before[SIGCHLD]);
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (int signal = 1; signal < _NSIG; ++signal)
        if (is_passed_on(signal)) sigaction(signal, &action, &before[signal]);
}

void receive_signals() { sigprocmask(SIG_SETMASK, &mask_before, nullptr); }

void forget_signals() {
    sigaction(SIGCHLD, &before[SIGCHLD], nullptr);
    for (int signal = 1; signal < _NSIG; ++signal)
        if (is_passed_on(signal)) sigaction(signal, &before[signal], nullptr);
    sigprocmask(SIG_SETMASK, &mask_before, nullptr);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

void look_for_deaths() {
    if (child_died == 0) return;
    child_died = 0;
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        judge(pid, status);
}

void learn_pid(unsigned rank, pid_t pid) {
    hub().process[rank].pid = pid;
    for (const Stranger& one : strangers)
        if (one.pid == pid) judge(pid, one.status);
}

bool lives(unsigned rank) {
    siginfo_t info = {};
    const pid_t pid = hub().process[rank].pid;
    return pid == 0 ||
           (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0);
}

void give_up() { end_all(kFailedStatus, 0); }

void end_all(int status, int signal) {
    reap_all();
    if (figures.wanted) print_figures();
    if (signal != 0) {
        const rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        ::signal(signal, SIG_DFL);
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, signal);
        raise(signal);
        sigprocmask(SIG_UNBLOCK, &one, nullptr);
    }
    _exit(status);
}

void ask_back(unsigned rank) { kill(hub().process[rank].pid, link::signal_number()); }

void want_figures() { figures.wanted = true; }
void account_message(std::size_t bytes_in, std::size_t bytes_out) {
    ++figures.messages;
    figures.bytes_in += bytes_in;
    figures.bytes_out += bytes_out;
}
void count_barrier() { ++figures.barriers; }

} // namespace teff::processes::hub
