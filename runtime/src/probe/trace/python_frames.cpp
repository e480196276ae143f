// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/python_frames.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <dlfcn.h>

#include "probe/trace/calls.h"
#include "probe/trace/digest.h"
#include "probe/trace/own_memory.h"
#include "probe/trace/python_lines.h"

namespace teff::probe::trace {

namespace {

// CPython's own: the calling thread's state, null if it has none.
using GetThreadState = void* (*)();

// Written once, before there are other threads.
GetThreadState get_thread_state = nullptr;
unsigned long unread_version = 0;

// Offsets of CPython 3.11 on 64-bit systems, in bytes: cpython/pystate.h, cpython/code.h,
// cpython/unicodeobject.h, cpython/bytesobject.h and internal/pycore_frame.h.
constexpr unsigned long kVersion = 0x030b, kVersionShift = 16;
constexpr std::size_t kThreadCframe = 56, kCframeFrame = 8;
struct FrameLayout { // from f_code on
    std::uintptr_t code, frame_object, previous, instruction;
    std::int32_t stack_top;
    bool is_entry;
};
constexpr std::size_t kFrameCode = 32;
struct CodeLayout { // from co_firstlineno on
    std::int32_t first_line;
    std::int32_t counts[9];
    std::uintptr_t file, name, qualified_name, lines;
};
constexpr std::size_t kCodeFirstLine = 72, kCodeInstructions = 184;
static_assert(kCodeFirstLine + offsetof(CodeLayout, file) == 112 &&
              kCodeFirstLine + offsetof(CodeLayout, lines) == 136);
static_assert(kFrameCode + offsetof(FrameLayout, instruction) == 56 &&
              kFrameCode + offsetof(FrameLayout, is_entry) == 68);
struct TextLayout { // from the length on
    std::int64_t length;
    std::int64_t hash;
    std::uint32_t state;
};
constexpr std::size_t kObjectSize = 16, kBytesData = 32, kAsciiData = 48;
constexpr std::uint32_t kCompactAscii = 0x60; // bits of `state`

// The last `most` bytes of a text of Python; 0: it is no such text, or not of ASCII.
std::size_t read_text(const OwnMemory& memory, std::uintptr_t object, char* into, std::size_t most) {
    TextLayout text;
    if (!memory.read(object + kObjectSize, text) || (text.state & kCompactAscii) != kCompactAscii) return 0;
    if (text.length <= 0 || text.length > 1 << 20) return 0;
    const auto length = static_cast<std::size_t>(text.length);
    const std::size_t bytes = std::min(length, most);
    return memory.read(object + kAsciiData + (length - bytes), into, bytes) ? bytes : 0;
}

// Goes through a table of lines (co_linetable): entries that begin with a byte above 127, each for
// some units of code and with a difference of lines.
class LineTable {
  public:
    LineTable(const std::uint8_t* bytes, std::size_t count) : at_(bytes), end_(bytes + count) {}

    // `units`: of 2 bytes of code, before the instruction. 0: it has no line.
    std::uint32_t line_at(std::uint64_t units, std::int64_t line) {
        std::uint64_t passed = 0;
        while (at_ < end_) {
            const unsigned head = *at_++;
            const unsigned kind = head >> 3 & 15, length = (head & 7) + 1;
            line += difference(kind);
            passed += length;
            if (units < passed) return kind != kNoLine && line > 0 ? static_cast<std::uint32_t>(line) : 0;
            while (at_ < end_ && *at_ < 128)
                ++at_;
        }
        return 0;
    }

  private:
    static constexpr unsigned kNoLine = 15, kLong = 14, kNoColumns = 13, kOneLine = 10;

    std::int64_t difference(unsigned kind) {
        if (kind == kLong || kind == kNoColumns) return signed_number();
        return kind >= kOneLine && kind < kNoColumns ? static_cast<std::int64_t>(kind - kOneLine) : 0;
    }
    std::int64_t signed_number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; at_ < end_ && *at_ < 128 && shift < 60; shift += 6) {
            const std::uint8_t byte = *at_++;
            value |= std::uint64_t{byte & 63u} << shift;
            if ((byte & 64) == 0) break;
        }
        const auto half = static_cast<std::int64_t>(value >> 1);
        return (value & 1) != 0 ? -half : half;
    }

    const std::uint8_t* at_;
    const std::uint8_t* const end_;
};

} // namespace

void prepare_to_read_python() {
    if (!has_python()) return;
    const auto* const version = static_cast<const unsigned long*>(dlsym(RTLD_DEFAULT, "Py_Version"));
    const auto get = reinterpret_cast<GetThreadState>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
    if (version == nullptr || get == nullptr) dlerror(); // what it says is not the program's
    if (get == nullptr) return;
    if (version != nullptr && *version >> kVersionShift == kVersion) get_thread_state = get;
    else unread_version = version != nullptr ? *version : 1;
}

unsigned long unread_python() { return unread_version; }

std::uint32_t PythonFrames::read(Frame* frames) {
    const auto thread = std::bit_cast<std::uintptr_t>(get_thread_state != nullptr ? get_thread_state() : nullptr);
    if (thread == 0) return 0;
    const OwnMemory memory;
    std::uintptr_t cframe = 0, at = 0;
    if (!memory.read(thread + kThreadCframe, cframe) || cframe == 0) return 0;
    if (!memory.read(cframe + kCframeFrame, at)) return 0;
    std::uint32_t met = 0;
    while (at != 0 && met < kMostFrames) {
        FrameLayout frame;
        CodeLayout code;
        if (!memory.read(at + kFrameCode, frame) || !memory.read(frame.code + kCodeFirstLine, code)) break;
        const Identity identity{frame.code, code.file, code.qualified_name, code.lines,
                                static_cast<std::uint32_t>(code.first_line)};
        const std::uint32_t known = code_of(identity);
        const std::uint64_t offset = frame.instruction - (frame.code + kCodeInstructions);
        frames[met++] = {known, line_of(known, identity, offset / 2), frame.is_entry};
        at = frame.previous;
    }
    return met;
}

// 0: no further one fits.
std::uint32_t PythonFrames::code_of(const Identity& identity) {
    std::uint64_t slot = mix(mix(mix(0, identity.code), identity.lines), identity.first_line) >> 20;
    for (; slots_[slot % kSlots] != 0; ++slot)
        if (codes_[slots_[slot % kSlots] - 1].identity == identity) return slots_[slot % kSlots];
    if (codes_met_ == kCodes) return 0;
    Code& code = codes_[codes_met_];
    code.identity = identity;
    const OwnMemory memory;
    std::size_t length = read_text(memory, identity.file, code.text, kFileBytes);
    code.text[length++] = '\n';
    length += read_text(memory, identity.name, code.text + length, kNameBytes);
    code.length = static_cast<std::uint32_t>(length);
    slots_[slot % kSlots] = static_cast<std::uint16_t>(++codes_met_);
    return codes_met_;
}

std::uint32_t PythonFrames::line_of(std::uint32_t code, const Identity& identity, std::uint64_t offset) {
    if (code == 0 || offset >= 1u << 24) return identity.first_line; // before the first instruction
    const std::uint64_t key = std::uint64_t{code} << 32 | (offset + 1);
    Line& known = lines_[(mix(0, key) >> 20) % kLines];
    if (known.key != key) known = {key, find_line(identity.lines, identity.first_line, offset)};
    return known.line;
}

// 0: it is not known.
std::uint32_t PythonFrames::find_line(std::uintptr_t table, std::uint32_t first_line, std::uint64_t units) {
    std::int64_t size = 0;
    const OwnMemory memory;
    if (!memory.read(table + kObjectSize, size) || size <= 0) return 0;
    const std::size_t bytes = std::min(static_cast<std::size_t>(size), sizeof table_);
    if (!memory.read(table + kBytesData, table_, bytes)) return 0;
    return LineTable(table_, bytes).line_at(units, first_line);
}

} // namespace teff::probe::trace
