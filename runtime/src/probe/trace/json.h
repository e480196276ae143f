// SPDX-License-Identifier: Apache-2.0
// Just enough JSON to write a recording's two small files: one object of strings, numbers, lists of strings and maps of strings.
#pragma once

#include <cstdint>
#include <cstdio>

namespace teff::probe::trace {

// Writes the object into `directory`/`name`, complete or not at all: into a temporary file that is renamed by `commit`.
class JsonFile {
  public:
    JsonFile(const char* directory, const char* name);
    ~JsonFile();
    JsonFile(const JsonFile&) = delete;
    JsonFile& operator=(const JsonFile&) = delete;

    void number(const char* key, std::uint64_t value);
    void string(const char* key, const char* value);
    void begin(const char* key, char bracket); // '[' or '{'
    void item(const char* value);              // of a list
    void end(char bracket);                    // ']' or '}'

    // 0, or the errno value of what went wrong on the way.
    [[nodiscard]] int commit();

  private:
    void comma();
    void quoted(const char* text);

    std::FILE* file_;
    int error_ = 0;
    bool first_ = true;
    char path_[512], temporary_[520];
};

} // namespace teff::probe::trace
