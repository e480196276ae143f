// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/runtimes.h"

#include <cstdint>
#include <cstring>
#include <fcntl.h>

#include "probe/trace/calls.h"

namespace teff::probe::trace {

namespace {

// The number at the start of the text, which goes on behind it and the character after it.
std::uintptr_t take_hexadecimal(std::string_view& text) {
    std::uintptr_t number = 0;
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        const char digit = text[at];
        if (digit >= '0' && digit <= '9') number = number * 16 + static_cast<unsigned>(digit - '0');
        else if (digit >= 'a' && digit <= 'f') number = number * 16 + static_cast<unsigned>(digit - 'a' + 10);
        else break;
    }
    text.remove_prefix(at < text.size() ? at + 1 : at);
    return number;
}

bool holds_this(std::string_view line) {
    const auto here = reinterpret_cast<std::uintptr_t>(&is_runtime);
    const std::uintptr_t begin = take_hexadecimal(line);
    return begin <= here && here < take_hexadecimal(line);
}

} // namespace

bool is_runtime(std::string_view file_name) {
    for (const std::string_view base : {"libgomp", "libomp", "libiomp5", "libnvomp"}) {
        if (!file_name.starts_with(base)) continue;
        std::string_view rest = file_name;
        rest.remove_prefix(base.size());
        const char next = rest.empty() ? '\0' : rest.front();
        if (rest.starts_with("-plugin") || rest.find(".so") == std::string_view::npos) return false;
        return next == '.' || next == '-' || (next >= '0' && next <= '9');
    }
    return false;
}

// A line: range of addresses, rights, offset, device, inode and path.
void Runtimes::note(std::string_view line) {
    const std::size_t begin = line.find('/');
    if (begin == std::string_view::npos) return;
    std::string_view path = line, name = line;
    path.remove_prefix(begin);
    name.remove_prefix(line.rfind('/') + 1);
    if (holds_this(line)) {
        std::memcpy(own_, path.data(), path.size());
        own_bytes_ = path.size();
        return;
    }
    if (!is_runtime(name)) return;
    if (bytes_ + path.size() + 1 > sizeof others_) return;
    for (std::size_t at = 0; at < bytes_; at += std::strlen(others_ + at) + 1)
        if (path == others_ + at) return;
    std::memcpy(others_ + bytes_, path.data(), path.size());
    bytes_ += path.size();
    others_[bytes_++] = '\0';
}

void Runtimes::read(const char* file) {
    own_bytes_ = bytes_ = 0;
    const long opened = call(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC, 0);
    if (opened < 0) return;
    char part[1024];
    std::size_t length = 0;
    for (long got; (got = call(SYS_read, opened, part, sizeof part)) > 0;)
        for (const char letter : std::string_view{part, static_cast<std::size_t>(got)}) {
            if (letter != '\n') {
                if (length < sizeof line_) line_[length++] = letter;
                continue;
            }
            note({line_, length});
            length = 0;
        }
    (void)call(SYS_close, opened);
}

void Runtimes::write(JsonFile& json) const {
    if (own_bytes_ != 0) json.string("runtime_file", {own_, own_bytes_});
    json.begin("other_runtimes", '[');
    const std::string_view own{own_, own_bytes_};
    for (std::size_t at = 0; at < bytes_; at += std::strlen(others_ + at) + 1)
        if (own != others_ + at) json.item(std::string_view{others_ + at});
    json.end(']');
}

} // namespace teff::probe::trace
