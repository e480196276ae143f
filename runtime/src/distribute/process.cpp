// SPDX-License-Identifier: Apache-2.0
#include "distribute/process.h"

#include <algorithm>
#include <fcntl.h>
#include <string_view>

#include "base/system_call.h"

namespace teff::distribute {

namespace {

// Passes the bytes of a file to `visit`, in pieces. Returns false if the file cannot be read.
template <class Visit> bool read_pieces(const char* path, Visit&& visit) {
    using base::call;
    const long file = call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char piece[2048]; // not larger, because the stack may be small
    long got;
    while ((got = call(SYS_read, file, piece, sizeof piece)) > 0)
        visit(piece, piece + got);
    (void)call(SYS_close, file);
    return got == 0;
}

// Finds the number in the line that begins with `name`, in a text that is passed byte by byte.
class NumberOfLine {
  public:
    explicit constexpr NumberOfLine(std::string_view name) : name_(name) {}

    // Returns a value below 0 if there was no line with the name and a number.
    long number() const { return number_; }

    void take(char byte) {
        if (byte == '\n') at_ = 0;
        else if (at_ < name_.size()) at_ = byte == name_[at_] ? at_ + 1 : kOther;
        else if (at_ == name_.size() && byte >= '0' && byte <= '9') number_ = std::max(number_, 0L) * 10 + (byte - '0');
    }

  private:
    static constexpr std::size_t kOther = std::string_view::npos;

    std::string_view name_;
    std::size_t at_ = 0; // how many bytes of the name this line has matched; kOther: the line has another name
    long number_ = -1;
};

} // namespace

long most_mappings() {
    long most = 0;
    const auto read_number = [&](const char* begin, const char* end) {
        for (; begin != end && *begin >= '0' && *begin <= '9'; ++begin)
            most = most * 10 + (*begin - '0');
    };
    return read_pieces("/proc/sys/vm/max_map_count", read_number) ? most : 0;
}

Mappings mappings_of_process() {
    Mappings mappings{0, most_mappings()};
    const auto count_lines = [&](const char* begin, const char* end) { mappings.now += std::count(begin, end, '\n'); };
    return read_pieces("/proc/self/maps", count_lines) ? mappings : Mappings{};
}

long filters_of_process() {
    NumberOfLine kind("Seccomp:"), count("Seccomp_filters:");
    const auto take = [&](const char* begin, const char* end) {
        for (; begin != end; ++begin) {
            kind.take(*begin);
            count.take(*begin);
        }
    };
    if (!read_pieces("/proc/self/status", take) || kind.number() < 0) return -1;
    return count.number() >= 0 ? count.number() : std::min(kind.number(), 1L);
}

} // namespace teff::distribute
