// SPDX-License-Identifier: Apache-2.0
#include "device/service.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/report.h"
#include "base/round_up.h"
#include "device/arrivals.h"
#include "device/incoming.h"
#include "device/later_libraries.h"
#include "device/lines.h"
#include "device/own_thread.h"
#include "device/role.h"
#include "device/unmapped.h"
#include "region/league.h"
#include "sync/mutex.h"
#include "team/worker.h"

namespace teff::device {

namespace {

constexpr unsigned kPatience_s = 2; // for destructors, when the host is gone
constexpr unsigned kAlive_ms = 1000;
constexpr int kLostStatus = 70;

struct Service {
    const Transport* transport = nullptr;
    Peer host = -1;
    Modules modules;
    Range heap = {};
    std::uint64_t sequence = 0;
    Lines lines;
    Arrivals arrivals;
    sync::Mutex sending;     // guards the sending side of the transport, and what follows
    bool is_at_work = false; // a construct has come, and has not been answered
    void (*flush_fortran)(const int* unit) = nullptr;
};
Service* service = nullptr; // never freed

void* pointer(Address address) { return reinterpret_cast<void*>(address); }

[[noreturn]] void refuse(const char* reason) {
    base::fatal(0, "device %u refuses a message of the host: %s", role().number, reason);
}

// Memory costs nothing before it is used, so the range is as large as the system allows. It lies
// where neither the host nor the device has memory of its own, if the system has such a place.
Range reserve_heap() {
    constexpr std::size_t kMost = std::size_t{1} << 42, kLeast = std::size_t{1} << 24;
    void* const place = pointer(Address{1} << 45);
    for (std::size_t bytes = kMost; bytes >= kLeast; bytes /= 2) {
        void* const start =
            mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (start != MAP_FAILED) return {reinterpret_cast<Address>(start), bytes};
    }
    base::fatal(errno, "device %u gets no memory", role().number);
}

// Fails only if the host is gone, which await_end then says.
void tell_that_we_live() {
    const sync::MutexGuard guard(service->sending);
    if (!service->is_at_work) return;
    const Answer alive = {{Header::kMagic, MessageKind::alive, 0, sizeof alive.times}, {}};
    const iovec whole = part(&alive, sizeof alive);
    (void)service->transport->send(service->host, &whole, 1);
}

void* wait_for_hosts_end(void*) {
    while (!service->transport->await_end(service->host, kAlive_ms))
        tell_that_we_live();
    sleep(kPatience_s);
    _exit(service->transport->end(false) ? 0 : kLostStatus);
}

void watch_host() {
    pthread_t thread;
    if (const int error = start_own_thread(wait_for_hosts_end, nullptr, thread))
        base::fatal(error, "device %u cannot start a thread", role().number);
}

// The thread that serves must not end before the process does: nobody would serve the host, which
// would hear that the device lives.
void expect_to_serve_for_ever() {
    static pthread_key_t key;
    const auto fail = [](void*) {
        base::fatal(0, "device %u: a target region has ended the thread that runs it (pthread_exit)", role().number);
    };
    if (pthread_key_create(&key, fail) == 0) pthread_setspecific(key, service);
}

bool receive(void* to, std::size_t bytes) { return service->transport->receive(service->host, to, bytes); }

void begin_to_work() {
    const sync::MutexGuard guard(service->sending);
    service->is_at_work = true;
}

bool send_hello() {
    const base::List<ModuleRecord>& records = service->modules.records();
    const std::size_t bytes = records.size() * sizeof(ModuleRecord);
    const Hello hello = {Hello::kVersion, static_cast<std::uint32_t>(records.size()), getpid(), service->heap};
    const Header header = {Header::kMagic, MessageKind::hello, 0, sizeof hello + bytes};
    const iovec parts[] = {part(&header, sizeof header), part(&hello, sizeof hello), part(records.data(), bytes)};
    return service->transport->send(service->host, parts, 3); // no construct is under way
}

// Tools look for the line of a call at the byte before its site, which is to be the function's.
void call(const Construct& construct) {
    const void* const code = pointer(construct.function + 1);
    region_begins();
    region::run_initial_task(team::current_worker(),
                             {reinterpret_cast<void (*)(void*)>(construct.function), pointer(construct.arguments)},
                             construct.thread_limit, region::TargetTask::kIncluded, base::CallSite::of_address(code));
    region_ends();
    std::fflush(nullptr);
    if (service->flush_fortran != nullptr) service->flush_fortran(nullptr);
}

DeviceTimes run(const Construct& construct) {
    const bool is_timed = construct.is_timed != 0;
    const bool has_function = construct.function != 0;
    DeviceTimes times = {};
    if (is_timed) times.began = base::ticks();
    if (has_function) {
        const std::uint64_t began_ns = is_timed ? base::monotonic_ns() : 0;
        call(construct);
        if (is_timed) times.ran_ns = base::monotonic_ns() - began_ns;
    }
    if (is_timed) times.ended = base::ticks();
    return times;
}

// `parts`: of the data, behind a place for the answer's beginning.
bool send_answer(MessageKind kind, std::uint64_t data_bytes, const DeviceTimes& times, base::List<iovec>& parts) {
    const Answer answer = {{Header::kMagic, kind, service->sequence, sizeof times + data_bytes}, times};
    parts[0] = part(&answer, sizeof answer);
    const sync::MutexGuard guard(service->sending);
    service->is_at_work = false;
    return service->transport->send(service->host, parts.data(), parts.size());
}

bool answer(const Incoming& incoming, Passed passed, const DeviceTimes& times) {
    base::List<iovec> parts;
    parts.resize(1);
    const bool is_whole = passed == Passed::whole;
    const std::uint64_t bytes = is_whole ? incoming.reply_bytes : 0;
    for (std::uint64_t i = 0; bytes != 0 && i < incoming.construct.reads; ++i)
        parts.push(part(pointer(incoming.lists().reads[i].address), incoming.lists().reads[i].bytes));
    return send_answer(is_whole ? MessageKind::reply : MessageKind::cut, bytes, times, parts);
}

// Loads a library, and says where it is.
bool load(std::uint64_t path_bytes) {
    base::List<char> path;
    if (!receive(path.extend(path_bytes), path_bytes)) return false;
    path.push('\0');
    Address inside = 0;
    const char* reason = load_library(path.data(), inside);
    service->modules.read();
    const ModuleRecord* const module = service->modules.find(inside);
    if (reason == nullptr && module == nullptr) reason = "the loader does not list it";
    const std::size_t bytes =
        reason != nullptr ? std::min<std::size_t>(std::strlen(reason), kLongestReason) : sizeof *module;
    base::List<iovec> parts;
    parts.resize(1);
    parts.push(part(reason != nullptr ? static_cast<const void*>(reason) : module, bytes));
    return send_answer(reason != nullptr ? MessageKind::cut : MessageKind::reply, bytes, {}, parts);
}

Passed take_data(const Construct& construct, const Lists& lists) {
    switch (construct.passing) {
    case Passing::receives:
        return service->lines.receive(*service->transport, service->host, construct, lists.copies);
    case Passing::moves:
        move_within(construct, lists);
        return Passed::whole;
    case Passing::opens:
        return service->arrivals.open(*service->transport, service->host, service->heap, service->sequence);
    case Passing::none:
    case Passing::sends:
    case Passing::loads:
        break;
    }
    for (std::uint64_t i = 0; i < construct.copies; ++i)
        if (!receive(pointer(lists.copies[i].address), lists.copies[i].bytes)) return Passed::gone;
    return Passed::whole;
}

// What goes to the host is in the answer.
Passed give_data(const Construct& construct, const Lists& lists) {
    if (construct.passing != Passing::sends) return Passed::whole;
    return service->lines.send(*service->transport, service->host, construct, lists.reads);
}

// Gives the whole pages of released memory back to the system. The rest of its first and last page
// may hold other data.
void discard(const Range& released) {
    const std::uint64_t page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const Address first = base::round_up(released.address, page), end = released.end() / page * page;
    if (first < end) madvise(pointer(first), end - first, MADV_DONTNEED);
}

// Returns false if the host is gone.
bool carry_out(const Incoming& incoming) {
    const Construct& construct = incoming.construct;
    const Lists lists = incoming.lists();
    for (std::uint64_t i = 0; i < construct.released; ++i)
        discard(lists.released[i]);
    if (service->arrivals.is_open()) service->arrivals.has_discarded(service->sequence);
    if (!service->arrivals.await(construct.ahead)) return false;
    if (construct.passing == Passing::loads) return load(incoming.data_bytes);
    Passed passed = take_data(construct, lists);
    if (passed != Passed::whole) return passed == Passed::cut && answer(incoming, passed, {});
    for (std::uint64_t i = 0; i < construct.stores; ++i)
        std::memcpy(pointer(lists.stores[i].device), &lists.stores[i].value, sizeof(Address));
    const DeviceTimes times = run(construct);
    passed = give_data(construct, lists);
    return passed != Passed::gone && answer(incoming, passed, times);
}

} // namespace

void set_host(const Transport& transport, Peer host) {
    service = new (std::malloc(sizeof(Service))) Service;
    service->transport = &transport;
    service->host = host;
}

void forget_host() {
    if (service != nullptr) {
        service->transport->forget(service->host);
        service->lines.forget(*service->transport);
        service->arrivals.forget();
    }
    service = nullptr;
}

int serve() {
    if (service == nullptr) base::fatal(0, "this process is no device");
    hide_role();
    begin();
    service->modules.read();
    service->heap = reserve_heap();
    service->flush_fortran = reinterpret_cast<void (*)(const int*)>(dlsym(RTLD_DEFAULT, "_gfortran_flush_i4"));
    watch_for_unmapped(service->modules, role().number);
    watch_host();
    expect_to_serve_for_ever();
    if (!send_hello()) return 0;
    const Bounds bounds = {service->heap, &service->modules, role().number, role().devices};
    for (Incoming incoming;;) {
        const Taken taken = take_construct(receive, ++service->sequence, bounds, incoming);
        if (taken == Taken::refused) refuse(incoming.refusal);
        begin_to_work();
        if (taken == Taken::gone || !carry_out(incoming)) return 0;
    }
}

} // namespace teff::device
