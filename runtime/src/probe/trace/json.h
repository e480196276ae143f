// SPDX-License-Identifier: Apache-2.0
// Just enough JSON to write a recording's two small files: one object of strings, numbers, lists of
// either and maps of strings. Used apart (apart.h) from its beginning to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace teff::probe::trace {

// Writes the object into `name` of an open folder, complete or not at all: into a file `name`.tmp
// that `commit` renames. Of several who write the same file at the same time one succeeds.
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

    // 0, or the errno value of what went wrong on the way: EEXIST if the file is there, or on its
    // way.
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
    const char* name_;
    char temporary_[32];
    std::size_t used_ = 0;
    char buffer_[4096];
};

} // namespace teff::probe::trace
