// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/python_lines.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string_view>
#include <sys/mman.h>

#include "base/uncancelled.h"
#include "probe/trace/calls.h"
#include "probe/trace/digest.h"

namespace teff::probe::trace {

namespace {

// CPython's own: the calling thread's state, null if it has none; and the dump of its lines.
using GetThisThread = void* (*)();
using Dump = void (*)(int file, void* python_thread);

// Written once, before there are other threads.
GetThisThread get_this_thread = nullptr;
Dump dump = nullptr;

bool is_of_python(const char* path) {
    const char* const slash = std::strrchr(path, '/');
    const char* const name = slash != nullptr ? slash + 1 : path;
    return std::strncmp(name, "python", 6) == 0 || std::strncmp(name, "libpython", 9) == 0;
}

// Apart. How many bytes of it `text` has got.
std::size_t dump_into(void* python_thread, char* text, std::size_t most) {
    const long file = call(SYS_memfd_create, "", MFD_CLOEXEC);
    if (file < 0) return 0;
    dump(static_cast<int>(file), python_thread);
    const long bytes = call(SYS_pread64, file, text, most, 0);
    call(SYS_close, file);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

// What the interpreter writes behind its first hundred lines.
bool leaves_out_further(const char* text, std::size_t bytes) {
    constexpr std::string_view kMark = "\n  ...\n";
    return std::string_view(text, bytes).ends_with(kMark);
}

} // namespace

// Asked first, for a symbol that is looked for and not found costs the program an allocation.
bool has_python() {
    char program[PATH_MAX];
    const long length = call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    const auto visit = [](dl_phdr_info* object, std::size_t, void*) { return is_of_python(object->dlpi_name) ? 1 : 0; };
    return is_of_python(program) || dl_iterate_phdr(visit, nullptr) != 0;
}

void prepare_to_find_python() {
    if (!has_python()) return;
    get_this_thread = reinterpret_cast<GetThisThread>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
    dump = reinterpret_cast<Dump>(dlsym(RTLD_DEFAULT, "_Py_DumpTraceback"));
    if (get_this_thread == nullptr || dump == nullptr) dlerror(); // what it says is not the program's
    if (dump == nullptr) get_this_thread = nullptr;
}

void PythonLines::read() {
    clear();
    void* const python_thread = get_this_thread != nullptr ? get_this_thread() : nullptr;
    if (python_thread != nullptr) read_of(python_thread);
}

void PythonLines::read_of(void* python_thread) {
    const base::Uncancelled uncancelled; // the dump's writes are cancellation points
    const Guest guest;
    if (!guest.may_call()) return;
    std::size_t bytes = 0;
    auto work = [&] { bytes = dump_into(python_thread, text_, sizeof text_); };
    if (run_apart(guest, stack_, work) != 0) return;
    is_cut_ = bytes > kMostBytes;
    bytes = std::min(bytes, kMostBytes);
    while (bytes > 0 && text_[bytes - 1] != '\n')
        --bytes;
    is_cut_ = is_cut_ || leaves_out_further(text_, bytes);
    bytes_ = static_cast<std::uint32_t>(bytes);
    digest_ = mix_bytes(0, text_, bytes);
}

} // namespace teff::probe::trace
