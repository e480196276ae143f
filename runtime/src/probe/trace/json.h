// SPDX-License-Identifier: Apache-2.0
//
// Writes JSON for a recording's two small files, each of which is one object of strings, numbers,
// lists of strings or numbers, and maps of strings. All methods are called apart (apart.h), within
// one piece of work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace teff::probe::trace {

// Writes the object into the file `name` of an open folder, completely or not at all: it writes a
// file `name`.tmp, which `commit` renames. If several processes write the same file at the same
// time, one of them succeeds.
class JsonFile {
  public:
    JsonFile(long folder, const char* name);
    ~JsonFile();
    JsonFile(const JsonFile&) = delete;
    JsonFile& operator=(const JsonFile&) = delete;

    void number(const char* key, std::uint64_t value);
    void string(std::string_view key, std::string_view value);
    void begin(const char* key, char bracket); // '[' or '{'
    void item(std::string_view value);         // of a list
    void item(std::uint64_t value);
    void end(char bracket); // ']' or '}'

    // Completes the file, with the checksum of all that was written. Returns 0, or the errno value
    // of the first failure of any method. EEXIST means that the file exists, or that another
    // process is writing it.
    [[nodiscard]] int commit();

  private:
    void comma();
    void quoted(std::string_view text);
    void digits(std::uint64_t value);
    void put(std::string_view text);
    void flush();

    long folder_;
    long file_;
    int error_ = 0;
    bool first_ = true;
    std::uint64_t sum_ = 0;
    const char* name_;
    char temporary_[32];
    std::size_t used_ = 0;
    char buffer_[4096];
};

} // namespace teff::probe::trace
