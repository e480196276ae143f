// SPDX-License-Identifier: Apache-2.0
#include "device/role.h"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>

#include "base/list.h"
#include "base/report.h"
#include "device/host.h"
#include "device/service.h"
#include "icv/icv.h"

namespace teff::device {

namespace detail {
constinit Role role;
}

namespace {

// Of the host: the descriptors of all devices, separated by commas. Of a device: its descriptor,
// its number, and the number of devices.
constexpr const char* kHostVariable = "_TEFF_DEVICES";
constexpr const char* kDeviceVariable = "_TEFF_DEVICE"; // libteff-start.so reads it, too
constexpr const char* kStartLibrary = "teff_start_is_loaded";

// Leaves the list empty if the text has another form.
void read_numbers(const char* text, base::List<int>& numbers) {
    for (;;) {
        char* end;
        const long number = std::strtol(text, &end, 10);
        const bool is_number = end != text && number >= 0 && number <= INT_MAX;
        if (is_number) numbers.push(static_cast<int>(number));
        if (is_number && *end == '\0') return;
        if (!is_number || *end != ',') return numbers.clear();
        text = end + 1;
    }
}

// Programs that this process starts do not inherit the socket.
bool is_ours(Peer socket) { return fcntl(socket, F_SETFD, FD_CLOEXEC) == 0; }

// If the descriptors are not there, somebody else than `teff run` has started this process.
void take(const base::List<int>& sockets) {
    unsetenv(kHostVariable);
    for (const Peer socket : sockets)
        if (!is_ours(socket))
            return base::warn("this process has no devices: it was started without their connections");
    set_peers(socket_transport, sockets.data(), static_cast<unsigned>(sockets.size()));
    const auto count = static_cast<unsigned>(sockets.size());
    const bool disabled = icv::global().target_offload == icv::TargetOffload::disabled;
    detail::role = {.devices = count, .usable = disabled ? 0 : count};
}

// Only libteff-start.so can keep the program's main from running here.
void take_device(const base::List<int>& numbers) {
    if (numbers.size() != 3 || !is_ours(numbers[0]) || dlsym(RTLD_DEFAULT, kStartLibrary) == nullptr)
        base::fatal(0, "this process cannot become a device: start devices by teff run --devices");
    detail::role = {
        .devices = static_cast<unsigned>(numbers[2]), .is_device = true, .number = static_cast<unsigned>(numbers[1])};
    set_host(socket_transport, numbers[0]);
}

void take_from(const char* variable, void (*take_numbers)(const base::List<int>&)) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) return;
    base::List<int> numbers;
    read_numbers(text, numbers);
    take_numbers(numbers);
}

} // namespace

void take_role() {
    take_from(kHostVariable, take);
    take_from(kDeviceVariable, take_device);
}

void hide_role() { unsetenv(kDeviceVariable); }

void lose_role() {
    forget_peers();
    forget_host();
    detail::role = {};
}

} // namespace teff::device
