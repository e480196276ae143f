// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/search.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string_view>

#include "base/report.h"
#include "icv/icv.h"
#include "icv/parse.h"

namespace teff::probe::ompt {

namespace {

constexpr unsigned kOmpVersion = 202111; // OpenMP 5.2

using StartTool = decltype(&ompt_start_tool);

// A copy that ends with a zero, on the heap: the stack may be a small one.
class Name {
  public:
    explicit Name(std::string_view text) : text_(strndup(text.data(), text.size())) {}
    ~Name() { std::free(text_); }
    Name(const Name&) = delete;
    Name& operator=(const Name&) = delete;

    const char* c_str() const { return text_ != nullptr ? text_ : ""; }

  private:
    char* text_;
};

// In any case of letters, as all words in the environment.
enum class Target : std::uint8_t { kNone, kStdout, kStderr, kFile };
constexpr icv::parse::Word<Target> kTargets[] = {
    {"disabled", Target::kNone}, {"stdout", Target::kStdout}, {"stderr", Target::kStderr}};

// What OMP_TOOL_VERBOSE_INIT asked for: nothing, or lines on a stream or into a file.
class Log {
  public:
    Log() {
        const std::string_view wanted = icv::global().tool_verbose_init;
        switch (icv::parse::word<Target>(wanted, kTargets).value_or(Target::kFile)) {
        case Target::kNone:
            break;
        case Target::kStdout:
            out_ = stdout;
            break;
        case Target::kStderr:
            out_ = stderr;
            break;
        case Target::kFile:
            open(wanted);
        }
    }
    ~Log() {
        if (out_ == nullptr) return;
        if (owned_) std::fclose(out_);
        else std::fflush(out_);
    }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    [[gnu::format(printf, 2, 3)]] void line(const char* format, ...) {
        if (out_ == nullptr) return;
        std::va_list arguments;
        va_start(arguments, format);
        std::fputs("teff: tool: ", out_);
        std::vfprintf(out_, format, arguments);
        std::fputc('\n', out_);
        va_end(arguments);
    }

  private:
    void open(std::string_view path) {
        const Name name(path);
        out_ = std::fopen(name.c_str(), "we");
        owned_ = out_ != nullptr;
        if (!owned_) base::warn("OMP_TOOL_VERBOSE_INIT: %s cannot be written (%s)", name.c_str(), std::strerror(errno));
    }

    std::FILE* out_ = nullptr;
    bool owned_ = false;
};

ompt_start_tool_result_t* ask(Log& log, void* symbol) {
    ompt_start_tool_result_t* result = reinterpret_cast<StartTool>(symbol)(kOmpVersion, "Teff " TEFF_VERSION);
    log.line(result != nullptr ? "ompt_start_tool returned a tool: it is used"
                               : "ompt_start_tool returned NULL: the tool declines");
    return result;
}

ompt_start_tool_result_t* find_in_process(Log& log) {
    void* symbol = dlsym(RTLD_DEFAULT, "ompt_start_tool");
    log.line(symbol != nullptr ? "the process has ompt_start_tool" : "the process has no ompt_start_tool");
    return symbol == nullptr ? nullptr : ask(log, symbol);
}

ompt_start_tool_result_t* find_in_library(Log& log, const char* name) {
    void* library = dlopen(name, RTLD_LAZY);
    if (library == nullptr) {
        log.line("%s cannot be loaded: %s", name, dlerror());
        return nullptr;
    }
    void* symbol = dlsym(library, "ompt_start_tool");
    log.line("%s %s ompt_start_tool", name, symbol != nullptr ? "has" : "has no");
    ompt_start_tool_result_t* result = symbol == nullptr ? nullptr : ask(log, symbol);
    if (result == nullptr) dlclose(library);
    return result;
}

ompt_start_tool_result_t* find_in_libraries(Log& log, std::string_view list) {
    if (list.empty()) log.line("OMP_TOOL_LIBRARIES names no library");
    while (!list.empty()) {
        const std::size_t length = list.find(':');
        const std::string_view item = list.substr(0, length);
        list.remove_prefix(length == std::string_view::npos ? list.size() : length + 1);
        if (item.empty()) continue;
        if (ompt_start_tool_result_t* result = find_in_library(log, Name(item).c_str())) return result;
    }
    return nullptr;
}

} // namespace

ompt_start_tool_result_t* find_tool() {
    Log log;
    ompt_start_tool_result_t* result = find_in_process(log);
    if (result == nullptr) result = find_in_libraries(log, icv::global().tool_libraries);
    if (result == nullptr) log.line("no tool is used");
    return result;
}

} // namespace teff::probe::ompt
