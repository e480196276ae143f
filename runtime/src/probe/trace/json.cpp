// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/json.h"

#include <cerrno>
#include <cinttypes>
#include <unistd.h>

namespace teff::probe::trace {

namespace {

// The length of the well-formed UTF-8 sequence at `text`, or 0 (Unicode 15, table 3-7).
int utf8_length(const unsigned char* text) {
    const unsigned char lead = text[0], second = lead == 0 ? 0 : text[1];
    const bool too_long = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
    const bool no_code_point = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
    if (too_long || no_code_point) return 0;
    const int length = lead < 0x80                   ? 1
                       : lead >= 0xc2 && lead < 0xe0 ? 2
                       : lead >= 0xe0 && lead < 0xf0 ? 3
                       : lead >= 0xf0 && lead < 0xf5 ? 4
                                                     : 0;
    for (int i = 1; i < length; ++i)
        if ((text[i] & 0xc0) != 0x80) return 0;
    return length;
}

} // namespace

JsonFile::JsonFile(const char* directory, const char* name) {
    std::snprintf(path_, sizeof path_, "%s/%s", directory, name);
    std::snprintf(temporary_, sizeof temporary_, "%s.tmp", path_);
    file_ = std::fopen(temporary_, "wxe");
    if (file_ == nullptr) error_ = errno;
    else std::fputc('{', file_);
}

JsonFile::~JsonFile() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    unlink(temporary_);
}

void JsonFile::comma() {
    if (!first_) std::fputc(',', file_);
    first_ = false;
    std::fputs("\n  ", file_);
}

// Bytes that are not UTF-8 (a command line may hold anything) are written as the code point of the same number.
void JsonFile::quoted(const char* text) {
    std::fputc('"', file_);
    for (auto* at = reinterpret_cast<const unsigned char*>(text); *at != 0;) {
        const int length = utf8_length(at);
        if (*at < 0x20 || length == 0) std::fprintf(file_, "\\u%04x", *at);
        else if (*at == '"' || *at == '\\') std::fprintf(file_, "\\%c", *at);
        else std::fwrite(at, 1, static_cast<std::size_t>(length), file_);
        at += length == 0 ? 1 : length;
    }
    std::fputc('"', file_);
}

void JsonFile::number(const char* key, std::uint64_t value) {
    if (file_ == nullptr) return;
    comma();
    std::fprintf(file_, "\"%s\": %" PRIu64, key, value);
}

void JsonFile::string(const char* key, const char* value) {
    if (file_ == nullptr) return;
    comma();
    quoted(key);
    std::fputs(": ", file_);
    quoted(value);
}

void JsonFile::begin(const char* key, char bracket) {
    if (file_ == nullptr) return;
    comma();
    std::fprintf(file_, "\"%s\": %c", key, bracket);
    first_ = true;
}

void JsonFile::item(const char* value) {
    if (file_ == nullptr) return;
    comma();
    quoted(value);
}

void JsonFile::end(char bracket) {
    if (file_ == nullptr) return;
    std::fputc(bracket, file_);
    first_ = false;
}

int JsonFile::commit() {
    if (file_ == nullptr) return error_;
    std::fputs("\n}\n", file_);
    const bool failed = std::ferror(file_) != 0;
    if (std::fclose(file_) != 0 || failed || std::rename(temporary_, path_) != 0) error_ = errno != 0 ? errno : EIO;
    file_ = nullptr;
    return error_;
}

} // namespace teff::probe::trace
