// SPDX-License-Identifier: Apache-2.0
#include "device/role.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <pthread.h>
#include <utility>

#include "base/list.h"
#include "base/report.h"
#include "device/deferred.h"
#include "device/host.h"
#include "device/modules.h"
#include "device/placement.h"
#include "device/service.h"
#include "device/transport.h"
#include "device/turn.h"
#include "icv/icv.h"

namespace teff::device {

namespace detail {
constinit Role role;
}

namespace {

// The name of the transport, a colon, and numbers separated by commas: for the host its peers, that
// is, all devices; for a device its peer, its number, and the number of devices.
constexpr const char* kHostVariable = "_TEFF_DEVICES";
constexpr const char* kDeviceVariable = "_TEFF_DEVICE"; // libteff-start.so reads it, too
constexpr const char* kStartLibrary = "teff_start_is_loaded";

struct Connection {
    const Transport* transport;
    Job job;
    base::List<Peer> peers;
    pthread_once_t begun = PTHREAD_ONCE_INIT;
    bool has_ended = false; // of the thread that calls exit
};
Connection* connection = nullptr; // null: there is none. Never freed

// Returns false if the text has another form.
bool read_numbers(const char* text, base::List<int>& numbers) {
    for (;;) {
        char* end;
        const long number = std::strtol(text, &end, 10);
        if (end == text || number < 0 || number > INT_MAX) return false;
        numbers.push(static_cast<int>(number));
        if (*end == '\0') return true;
        if (*end != ',') return false;
        text = end + 1;
    }
}

// Returns null if the variable is not set, or has another form.
const Transport* read_variable(const char* variable, base::List<int>& numbers) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) return nullptr;
    const char* const colon = std::strchr(text, ':');
    if (colon == nullptr || !read_numbers(colon + 1, numbers)) return nullptr;
    return transport_named(text, static_cast<std::size_t>(colon - text));
}

// Returns the peers, which stay where they are; null if the transport cannot be used.
const Peer* connect_by(const Transport& transport, base::List<int>& peers, unsigned rank, unsigned size,
                       unsigned patience_s) {
    const Job job = {peers.data(), static_cast<unsigned>(peers.size()), rank, size, patience_s};
    if (!transport.is_usable(job)) return nullptr;
    void* const memory = std::malloc(sizeof(Connection));
    if (memory == nullptr) base::fatal(ENOMEM, "no memory for the connections of devices");
    connection = ::new (memory) Connection{&transport, job, {}};
    connection->peers.swap(peers);
    return connection->job.peers;
}

void take_host() {
    base::List<int> peers;
    const Transport* const transport = read_variable(kHostVariable, peers);
    unsetenv(kHostVariable);
    if (transport == nullptr) return;
    const auto count = static_cast<unsigned>(peers.size());
    const Peer* const own = connect_by(*transport, peers, 0, count + 1, icv::global().device_patience_s);
    if (own == nullptr) return;
    set_peers(*transport, own, count);
    make_queues(count);
    choose_place_policy(count);
    const bool disabled = icv::global().target_offload == icv::TargetOffload::disabled;
    detail::role = {.devices = count, .usable = disabled ? 0 : count, .transport = transport->name};
}

[[noreturn]] void refuse_to_become_a_device() {
    base::fatal(0, "this process cannot become a device: start devices by teff run --devices");
}

// What kDeviceVariable says. `transport` is null if it is not set, or has another form.
struct DeviceWords {
    const Transport* transport = nullptr;
    base::List<int> host; // a list of one
    unsigned number = 0, devices = 0;

    DeviceWords() {
        transport = read_variable(kDeviceVariable, host);
        if (transport == nullptr) return;
        if (host.size() != 3) refuse_to_become_a_device();
        number = static_cast<unsigned>(host[1]);
        devices = static_cast<unsigned>(host[2]);
        host.resize(1);
    }
};

// Only libteff-start.so can keep the program's main from running here.
void take_device() {
    DeviceWords words;
    if (words.transport == nullptr) return hide_role();
    if (dlsym(RTLD_DEFAULT, kStartLibrary) == nullptr) refuse_to_become_a_device();
    const Peer* const host = connect_by(*words.transport, words.host, words.number + 1, words.devices + 1, kForEver_s);
    if (host == nullptr) return hide_role();
    detail::role = {
        .devices = words.devices, .is_device = true, .number = words.number, .transport = words.transport->name};
    set_host(*words.transport, *host);
}

} // namespace

std::optional<unsigned> future_device() {
    const DeviceWords words;
    if (words.transport == nullptr) return std::nullopt;
    const Job job = {words.host.data(), 1, words.number + 1, words.devices + 1, kForEver_s};
    if (!words.transport->is_usable(job)) return std::nullopt;
    return words.number;
}

void take_role() {
    take_host();
    take_device();
    if (connection != nullptr) Modules::note_start();
}

void begin() {
    if (connection == nullptr) return;
    pthread_once(&connection->begun, [] {
        if (connection->transport->begin(connection->job)) std::atexit(end);
    });
}

void end() {
    if (connection == nullptr || std::exchange(connection->has_ended, true)) return;
    await_deferred(has_lost_a_device);
    if (icv::global().device_figures) print_figures();
    end_turns();
    connection->transport->end(has_lost_a_device());
}

void hide_role() { unsetenv(kDeviceVariable); }

void lose_role() {
    forget_peers();
    forget_queues();
    forget_host();
    connection = nullptr;
    detail::role = {};
}

} // namespace teff::device
