// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/json.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>

#include "probe/trace/calls.h"
#include "probe/trace/digest.h"

namespace teff::probe::trace {

namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// The length of the well-formed UTF-8 sequence that `text` begins with, or 0 (Unicode 15, table
// 3-7).
std::size_t utf8_length(std::string_view text) {
    const unsigned char lead = byte_at(text, 0), second = byte_at(text, 1);
    const bool too_long = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
    const bool no_code_point = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
    if (too_long || no_code_point) return 0;
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
    return length;
}

} // namespace

// The process that creates the temporary file is the only one to use it until it is renamed; after
// that, the file is there.
JsonFile::JsonFile(long folder, const char* name) : folder_(folder), name_(name) {
    const std::size_t length = std::strlen(name);
    std::copy_n(name, length, temporary_);
    std::copy_n(".tmp", 5, temporary_ + length);
    file_ = call(SYS_openat, folder_, temporary_, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0) error_ = static_cast<int>(-file_);
    else if (call(SYS_faccessat, folder_, name_, 0) == 0) error_ = EEXIST;
    put("{");
}

JsonFile::~JsonFile() {
    if (file_ >= 0) call(SYS_unlinkat, folder_, temporary_, 0);
}

void JsonFile::put(std::string_view text) {
    for (const char byte : text)
        sum_ = checksum_step(sum_, static_cast<unsigned char>(byte));
    while (!text.empty()) {
        if (used_ == sizeof buffer_) flush();
        const std::size_t bytes = std::min(text.size(), sizeof buffer_ - used_);
        std::memcpy(buffer_ + used_, text.data(), bytes);
        used_ += bytes;
        text.remove_prefix(bytes);
    }
}

void JsonFile::flush() {
    for (std::size_t done = 0; error_ == 0 && done < used_;) {
        const long written = call(SYS_write, file_, buffer_ + done, used_ - done);
        if (written > 0) done += static_cast<std::size_t>(written);
        else error_ = written < 0 ? static_cast<int>(-written) : ENOSPC;
    }
    used_ = 0;
}

void JsonFile::comma() {
    if (!first_) put(",");
    first_ = false;
    put("\n  ");
}

// Bytes that are not UTF-8 (a command line may hold anything) are written as the code point of the
// same number.
void JsonFile::quoted(std::string_view text) {
    constexpr const char* kHex = "0123456789abcdef";
    put("\"");
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const unsigned char byte = byte_at(text, 0);
        const char escaped[] = {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
        if (byte < 0x20 || length == 0) put({escaped, sizeof escaped});
        else if (byte == '"' || byte == '\\') put({byte == '"' ? "\\\"" : "\\\\", 2});
        else put({text.data(), length});
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    put("\"");
}

void JsonFile::digits(std::uint64_t value) {
    char text[24];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    put({text, static_cast<std::size_t>(end - text)});
}

void JsonFile::number(const char* key, std::uint64_t value) {
    comma();
    quoted(key);
    put(": ");
    digits(value);
}

void JsonFile::string(std::string_view key, std::string_view value) {
    comma();
    quoted(key);
    put(": ");
    quoted(value);
}

void JsonFile::begin(const char* key, char bracket) {
    comma();
    quoted(key);
    put(": ");
    put({&bracket, 1});
    first_ = true;
}

void JsonFile::item(std::string_view value) {
    comma();
    quoted(value);
}

void JsonFile::item(std::uint64_t value) {
    comma();
    digits(value);
}

void JsonFile::end(char bracket) {
    put({&bracket, 1});
    first_ = false;
}

int JsonFile::commit() {
    number("checksum", sum_);
    put("\n}\n");
    flush();
    if (error_ != 0) return error_;
    const long error = call(SYS_renameat, folder_, temporary_, folder_, name_);
    if (error < 0) return static_cast<int>(-error);
    file_ = -1;
    return 0;
}

} // namespace teff::probe::trace
