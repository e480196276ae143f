// SPDX-License-Identifier: Apache-2.0
//
// PythonFrames: the Python functions, with their lines, that a thread is executing, read from the
// interpreter's own structures, in a signal handler, at any instruction of the thread.
//
// PythonLines (python_lines.h) asks the interpreter instead, which takes longer than a sample may,
// and which CPython 3.11 does not let others do. The layouts are those of CPython 3.11's headers
// (python_frames.cpp has the offsets); of other versions nothing is read. Every read of the
// interpreter's memory is made by the kernel (process_vm_readv), so a pointer that is wrong or out
// of date ends the walk, and does nothing else. The number of frames, the length of names and the
// size of a table of lines are bounded.
//
// Who does what: `read` is called by the handler of samples, on the thread itself. A code object's
// file and function are copied when it is met first; `code` gives them to the thread, with signals
// blocked, which writes them into its stream. `read` takes no lock, allocates nothing, and does not
// touch reference counts. An all-zero object knows no code.
#pragma once

#include <cstdint>

namespace teff::probe::trace {

// Looks for the interpreter. Called by the library's constructor.
void prepare_to_read_python();
// Returns the version of an interpreter that is in the process and whose frames are not read, as
// Py_Version has it (0x030d00f0: 3.13.0), or 0. Older versions, which have no Py_Version, are 1.
unsigned long unread_python();

class PythonFrames {
  public:
    static constexpr std::uint32_t kMostFrames = 64;
    struct Frame {
        std::uint32_t code; // from 1; 0: its name is not kept, as there are too many
        std::uint32_t line; // 0: not known
        bool is_entry;      // called by C code: the interpreter's loop began with it
    };
    struct Text {
        const char* bytes; // "file\nfunction"
        std::uint32_t length;
    };

    // Reads the frames of the calling thread, innermost first. Returns their number.
    std::uint32_t read(Frame* frames);
    // The number of codes that were met, and the text of one of them.
    std::uint32_t codes() const { return codes_met_; }
    Text code(std::uint32_t which) const { return {codes_[which - 1].text, codes_[which - 1].length}; }

  private:
    static constexpr std::uint32_t kCodes = 2048, kSlots = 4096, kLines = 1024;
    static constexpr std::uint32_t kFileBytes = 200, kNameBytes = 80, kTableBytes = 8192;
    // What tells a code object from another one that was at its address before.
    struct Identity {
        std::uintptr_t code, file, name, lines;
        std::uint32_t first_line;
        bool operator==(const Identity&) const = default;
    };
    struct Code {
        Identity identity;
        std::uint32_t length;
        char text[kFileBytes + 1 + kNameBytes];
    };
    struct Line {
        std::uint64_t key; // of a code and an instruction; 0: the entry is free
        std::uint32_t line;
    };

    std::uint32_t code_of(const Identity& identity);
    std::uint32_t line_of(std::uint32_t code, const Identity& identity, std::uint64_t offset);
    std::uint32_t find_line(std::uintptr_t table, std::uint32_t first_line, std::uint64_t units);

    std::uint32_t codes_met_;
    std::uint16_t slots_[kSlots]; // by a digest of the identity: a code, or 0
    Line lines_[kLines];
    std::uint8_t table_[kTableBytes]; // of lines, while one is looked up
    Code codes_[kCodes];
};

} // namespace teff::probe::trace
