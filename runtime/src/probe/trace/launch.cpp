// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/launch.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>

#include "probe/trace/calls.h"

namespace teff::probe::trace {

namespace {

bool concerns_openmp(const char* variable) {
    return std::strncmp(variable, "OMP_", 4) == 0 || std::strncmp(variable, "GOMP_", 5) == 0 ||
           std::strncmp(variable, "TEFF_", 5) == 0;
}

// As many bytes as there are, up to `most`.
std::size_t read_some(long file, char* to, std::size_t most) {
    std::size_t bytes = 0;
    for (long got; bytes < most; bytes += static_cast<std::size_t>(got))
        if ((got = call(SYS_read, file, to + bytes, most - bytes)) <= 0) break;
    return bytes;
}

template <class Visit> void for_each(std::string_view strings, Visit visit) {
    for (std::size_t end; (end = strings.find('\0')) != std::string_view::npos;) {
        if (end != 0 || strings.size() > 1) visit(std::string_view{strings.data(), end});
        strings.remove_prefix(end + 1);
    }
}

} // namespace

void Launch::Strings::add(std::string_view string) {
    if (bytes + string.size() + 1 > sizeof text) return void(++left_out);
    std::memcpy(text + bytes, string.data(), string.size());
    bytes += string.size();
    text[bytes++] = '\0';
}

void Launch::note_environment(const char* const* environment) {
    for (; environment != nullptr && *environment != nullptr; ++environment)
        if (concerns_openmp(*environment) && std::strchr(*environment, '=') != nullptr) environment_.add(*environment);
}

void Launch::read_command(const char* file) {
    const long opened = call(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC, 0);
    if (opened < 0) return;
    command_.left_out = 0; // of a parent, in a forked child
    command_.bytes = read_some(opened, command_.text, sizeof command_.text);
    if (command_.bytes == sizeof command_.text) return add_remainder(opened);
    if (command_.bytes != 0) command_.text[command_.bytes++] = '\0'; // a program can overwrite the last
}

// The argument that does not fit whole is left out, as are all after it.
void Launch::add_remainder(long file) {
    const std::string_view read{command_.text, command_.bytes};
    command_.bytes = read.rfind('\0') + 1; // 0 if there is none
    char rest[1024];
    while (const std::size_t bytes = read_some(file, rest, sizeof rest))
        command_.left_out += static_cast<std::uint64_t>(std::count(rest, rest + bytes, '\0'));
}

void Launch::write(JsonFile& json) const {
    json.begin("command", '[');
    for_each({command_.text, command_.bytes}, [&](std::string_view argument) { json.item(argument); });
    json.end(']');
    if (command_.left_out != 0) json.number("command_left_out", command_.left_out);
    if (devices_.transport != nullptr) {
        json.number("devices", devices_.count);
        if (devices_.number != kHost) json.number("device", static_cast<std::uint64_t>(devices_.number));
        json.string("device_transport", devices_.transport);
    }
    json.begin("environment", '{');
    for_each({environment_.text, environment_.bytes}, [&](std::string_view variable) {
        const std::string_view name{variable.data(), variable.find('=')};
        variable.remove_prefix(name.size() + 1);
        json.string(name, variable);
    });
    json.end('}');
    if (environment_.left_out != 0) json.number("environment_left_out", environment_.left_out);
}

} // namespace teff::probe::trace
