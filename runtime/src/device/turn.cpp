// SPDX-License-Identifier: Apache-2.0
#include "device/turn.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/report.h"
#include "device/role.h"
#include "icv/icv.h"

namespace teff::device {

namespace {

const Transport* transport = nullptr;
Device* devices = nullptr; // never freed
unsigned peer_count = 0;

const char* name_of(ConstructKind kind) {
    switch (kind) {
    case ConstructKind::region:
        return "a target region";
    case ConstructKind::data:
        return "target data";
    case ConstructKind::end_data:
        return "the end of target data";
    case ConstructKind::enter_data:
        return "target enter data";
    case ConstructKind::exit_data:
        return "target exit data";
    case ConstructKind::update:
        return "target update";
    case ConstructKind::routine:
        return "a device memory routine";
    }
    __builtin_unreachable();
}

std::atomic<bool> has_lost{false}; // relaxed: the thread that has set it calls exit

// The thread that ends the process; 0: none does. Relaxed: others only compare it with themselves.
std::atomic<pthread_t> ending_thread{0};

void stay_if_ended() {
    const pthread_t ending = ending_thread.load(std::memory_order_relaxed);
    if (TEFF_LIKELY(ending == 0) || pthread_equal(ending, pthread_self()) != 0) return;
    for (;;)
        pause();
}

// Output of the program is not to be lost if `fatal` is called for the second time.
[[noreturn]] void refuse_second_turn(const Device& device, Where where) {
    std::fflush(nullptr);
    base::fatal(0,
                "%s cannot run on device %u: a signal or the end of the run has interrupted this thread in another "
                "construct there",
                describe(device, where).text, device.number);
}

Device& device_for_turn(unsigned number, Where where) {
    stay_if_ended();
    Device& device = devices[number];
    const pthread_t user = device.user.load(std::memory_order_relaxed);
    if (TEFF_UNLIKELY(user != 0 && pthread_equal(user, pthread_self()) != 0)) refuse_second_turn(device, where);
    return device;
}

bool is_alive(const Answer& answer) {
    return check_header(answer.header, MessageKind::alive, 0) == nullptr && answer.header.bytes == sizeof answer.times;
}

// A thread that places a region reads the range meanwhile.
void take_heap(Device& device, Range heap) {
    const sync::MutexGuard guard(device.memory_mutex);
    device.memory.heap.add(heap);
    device.heap = heap;
}

void warn_once_of_addresses(const Device& device) {
    static std::atomic<bool> warned{false};
    if (device.memory.modules.lie_equally() || warned.exchange(true, std::memory_order_relaxed)) return;
    base::warn(
        "the program lies at other addresses in device %u, perhaps because a container forbids to switch off "
        "the randomisation of addresses: virtual functions of mapped objects and pointers to functions in mapped "
        "data do not work in target regions",
        device.number);
}

template <class T> iovec list_part(const base::List<T>& list) { return part(list.data(), list.size() * sizeof(T)); }

} // namespace

void set_peers(const Transport& used, const Peer* peers, unsigned count) {
    devices = static_cast<Device*>(std::calloc(count, sizeof(Device)));
    if (devices == nullptr) base::fatal(ENOMEM, "no memory for %u devices", count);
    transport = &used;
    peer_count = count;
    for (unsigned i = 0; i < count; ++i) {
        ::new (&devices[i]) Device;
        devices[i].number = i;
        devices[i].peer = peers[i];
    }
}

void forget_peers() {
    for (unsigned i = 0; i < peer_count; ++i) {
        transport->forget(devices[i].peer);
        if (devices[i].lane_state == LaneState::open) transport->forget(devices[i].lane);
    }
    peer_count = 0;
}

unsigned device_count() { return peer_count; }
Device& device_at(unsigned number) { return devices[number]; }
const Transport& transport_to_devices() { return *transport; }

void end_turns() { ending_thread.store(pthread_self(), std::memory_order_relaxed); }

bool has_lost_a_device() { return has_lost.load(std::memory_order_relaxed); }

// The offset is that of the call, which lies before the return address.
ConstructText describe(const Device& device, Where where) {
    const PlaceText place =
        where.code != nullptr ? device.memory.modules.describe(reinterpret_cast<Address>(where.code) - 1) : PlaceText{};
    ConstructText construct;
    std::snprintf(construct.text, sizeof construct.text, "%s%s%s", name_of(where.kind),
                  place.text[0] != '\0' ? " at " : "", place.text);
    return construct;
}

[[noreturn]] void refuse_version(const Device& device, const char* name) {
    base::fatal(0, "device %u has another version of %s than this process: start all processes with the same files",
                device.number, name);
}

Turn::Turn(unsigned number, Where where)
    : events_(number, where), device_(device_for_turn(number, where)), guard_(device_.mutex), where_(where) {
    device_.user.store(pthread_self(), std::memory_order_relaxed);
    events_.has_device();
    if (!device_.is_connected) connect();
    else if (device_.module_changes != Modules::changes()) match_modules();
    if (TEFF_UNLIKELY(events_.is_recorded())) compare_clocks();
}

Turn::~Turn() { device_.user.store(0, std::memory_order_relaxed); }

void Turn::connect() {
    Header header;
    Hello hello;
    begin();
    receive(&header, sizeof header);
    if (const char* const reason = check_header(header, MessageKind::hello, 0)) refuse(reason);
    if (header.bytes < sizeof hello) refuse("it is too short");
    receive(&hello, sizeof hello);
    if (const char* const reason = check_hello(header, hello)) refuse(reason);
    device_.its_modules.resize(hello.modules);
    receive(device_.its_modules.data(), hello.modules * sizeof(ModuleRecord));
    take_heap(device_, hello.heap);
    device_.process = hello.process;
    device_.is_connected = true;
    match_modules();
    warn_once_of_addresses(device_);
}

void Turn::match_modules() {
    device_.module_changes = Modules::changes();
    const ModuleRecord* other;
    {
        const sync::MutexGuard guard(device_.memory_mutex);
        device_.memory.modules.read();
        other = device_.memory.modules.match(device_.its_modules.data(), device_.its_modules.size());
    }
    if (other != nullptr) refuse_version(device_, other->name[0] != '\0' ? other->name : "the program");
}

void Turn::compare_clocks() {
    const unsigned count = device_.clock_comparison.due(base::coarse_ns());
    for (unsigned i = 0; i < count; ++i) {
        Outgoing nothing;
        Answer answer;
        const base::Ticks sent = base::ticks();
        send(nothing);
        while (!take_answer(answer))
            continue;
        events_.compared(sent, base::ticks(), answer.times);
        if (answer.header.bytes != sizeof answer.times) refuse("it has data that were not asked for");
    }
}

void Turn::lost() const {
    const int error = errno;
    stay_if_ended();
    has_lost.store(true, std::memory_order_relaxed);
    const unsigned patience_s = icv::global().device_patience_s;
    const ConstructText place = describe(device_, where_);
    const auto process = static_cast<long long>(device_.process);
    if (error == ETIMEDOUT && device_.is_connected)
        base::fatal(0, "device %u (process %lld) has not answered for %u s during %s", device_.number, process,
                    patience_s, place.text);
    if (error == ETIMEDOUT)
        base::fatal(0, "device %u has not answered for %u s at its first use, in %s", device_.number, patience_s,
                    place.text);
    if (error == ESHUTDOWN)
        base::fatal(0,
                    "%s comes after device %u has ended: over MPI, not all destructors can use devices "
                    "(docs/devices.md)",
                    place.text, device_.number);
    if (error == EFAULT) base::fatal(0, "%s: the map clauses name memory that cannot be read or written", place.text);
    if (!device_.is_connected)
        base::fatal(0, "device %u has ended before its first use, in %s", device_.number, place.text);
    base::fatal(0, "device %u (process %lld) has ended during %s", device_.number, process, place.text);
}

void Turn::lost_line(unsigned other) const {
    stay_if_ended();
    has_lost.store(true, std::memory_order_relaxed);
    base::fatal(0, "device %u (process %lld) has lost its connection to device %u during %s", device_.number,
                static_cast<long long>(device_.process), other, describe(device_, where_).text);
}

void Turn::refuse(const char* reason) const {
    has_lost.store(true, std::memory_order_relaxed);
    base::fatal(0, "device %u has sent a message that is not valid: %s", device_.number, reason);
}

// From now on, what is sent ahead keeps clear of this construct.
void Turn::begin_construct(Outgoing& outgoing, base::List<Range>& discarded) {
    const sync::MutexGuard guard(device_.memory_mutex);
    ++device_.sequence;
    outgoing.construct.ahead = device_.aheads;
    discarded.swap(device_.discarded);
    device_.written_back = outgoing.written_back;
    if (outgoing.written_back == nullptr || device_.memory.sent_ahead.empty()) return;
    for (const Copy& copy : *outgoing.written_back)
        make_stale(device_.memory, {copy.host, copy.bytes});
}

void Turn::release(const base::List<Range>& released) {
    const sync::MutexGuard guard(device_.memory_mutex);
    device_.written_back = nullptr;
    for (const Range& range : released) {
        device_.memory.heap.give_back(range);
        if (range.bytes >= kWorthDiscarding_bytes) device_.discarded.push(range);
    }
}

void Turn::send(Outgoing& outgoing) {
    Construct& construct = outgoing.construct;
    construct.is_timed = events_.is_recorded() ? 1 : 0;
    construct.copies = outgoing.copies.size();
    construct.stores = outgoing.stores != nullptr ? outgoing.stores->size() : 0;
    construct.reads = outgoing.reads.size();
    base::List<Range> discarded;
    begin_construct(outgoing, discarded);
    construct.released = discarded.size();
    Header header = {Header::kMagic, MessageKind::construct, device_.sequence, sizeof construct};
    base::List<iovec> parts;
    parts.push(part(&header, sizeof header));
    parts.push(part(&construct, sizeof construct));
    const auto add = [&](iovec next) {
        header.bytes += next.iov_len;
        parts.push(next);
    };
    add(list_part(outgoing.copies));
    if (outgoing.stores != nullptr) add(list_part(*outgoing.stores));
    add(list_part(outgoing.reads));
    add(list_part(discarded));
    if (outgoing.path != nullptr) add(part(outgoing.path, std::strlen(outgoing.path)));
    if (outgoing.data != nullptr)
        for (const Copy& copy : *outgoing.data)
            add(part(reinterpret_cast<const void*>(copy.host), copy.bytes));
    errno = 0;
    if (!transport->send(device_.peer, parts.data(), parts.size())) lost();
    device_.traffic.count_sent(parts.data(), parts.size());
    may_be_cut_ = construct.passing != Passing::none && construct.passing != Passing::moves;
}

void Turn::receive(void* to, std::size_t bytes) {
    errno = 0;
    if (!transport->receive(device_.peer, to, bytes)) lost();
    device_.traffic.count_received(bytes);
}

bool Turn::take_answer(Answer& answer) {
    receive(&answer, sizeof answer);
    if (is_alive(answer)) return false;
    const bool is_cut = may_be_cut_ && answer.header.kind == MessageKind::cut;
    const MessageKind kind = is_cut ? MessageKind::cut : MessageKind::reply;
    if (const char* const reason = check_header(answer.header, kind, device_.sequence)) refuse(reason);
    return true;
}

} // namespace teff::device
