// SPDX-License-Identifier: Apache-2.0
#include "preempt/reach.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <optional>
#include <span>
#include <string_view>

#include "preempt/instructions_x86_64.h"
#include "preempt/slots.h"
#include "probe/trace/frame_rules.h"

namespace teff::preempt {

namespace {

using Kind = Instruction::Kind;
using probe::trace::FunctionCode;

// Functions of the C library that call a function of the program, whose address may come from the
// program's data. Functions in whose callbacks no thread is preempted (pthread_once) are no matter.
constexpr std::string_view kCallingBack[] = {
    "qsort",      "qsort_r", "bsearch",   "lfind",     "lsearch",     "tsearch", "tfind",  "tdelete",
    "twalk",      "twalk_r", "tdestroy",  "ftw",       "ftw64",       "nftw",    "nftw64", "fts_open",
    "fts64_open", "scandir", "scandir64", "scandirat", "scandirat64", "glob",    "glob64", "argp_parse",
};

// Calls of these make the address of a thread-local variable, or of a thread's copy of a variable.
bool makes_thread_local(std::string_view name) {
    constexpr std::string_view kWrapper = "_ZTW"; // of a variable of another file, in C++
    return name == "__tls_get_addr" || makes_copy_of_thread(name) ||
           (name.size() > kWrapper.size() && std::string_view(name.data(), kWrapper.size()) == kWrapper);
}

// A set of addresses, none of which is 0.
class Addresses {
  public:
    static constexpr std::size_t kMost = 4 * kMostFunctions;
    enum class Added : std::uint8_t { fresh, known, no_space };

    Added add(std::uintptr_t address) {
        std::size_t slot = (address * 0x9e37'79b9'7f4a'7c15u) >> (64 - kBits);
        for (; slots_[slot] != 0; slot = (slot + 1) % kSlots)
            if (slots_[slot] == address) return Added::known;
        if (count_ == kMost) return Added::no_space;
        ++count_;
        slots_[slot] = address;
        return Added::fresh;
    }

  private:
    static constexpr unsigned kBits = 13;
    static constexpr std::size_t kSlots = std::size_t{1} << kBits;
    static_assert(kMost <= kSlots / 2);
    std::uintptr_t slots_[kSlots] = {};
    std::size_t count_ = 0;
};

// Code that is still to be looked at, and the instruction that names it.
struct Named {
    std::uintptr_t address, from;
};

class Walk {
  public:
    explicit Walk(const Loaded& file) : file_(file), tables_(file.frame_tables()) {}

    Finding run(std::uintptr_t function) {
        add(function, function);
        while (!found_ && next_ < count_)
            look_at(named_[next_++]);
        return found_.value_or(Finding{Reach::no_thread_local, 0});
    }

  private:
    void conclude(Reach reach, std::uintptr_t at) {
        if (!found_) found_ = {reach, at};
    }

    bool is_code(std::uintptr_t address) const {
        return std::any_of(file_.segments.begin(), file_.segments.end(), [&](const ElfW(Phdr) & segment) {
            const std::uintptr_t begin = file_.base + segment.p_vaddr;
            return segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && begin <= address &&
                   address < begin + segment.p_memsz;
        });
    }
    // Returns the end of the loaded segment that contains the address; the address if none does.
    std::uintptr_t end_of_segment(std::uintptr_t address) const {
        for (const ElfW(Phdr) & segment : file_.segments) {
            const std::uintptr_t begin = file_.base + segment.p_vaddr, end = begin + segment.p_memsz;
            if (segment.p_type == PT_LOAD && begin <= address && address < end) return end;
        }
        return address;
    }

    // Returns the slot, if the code at `address` only jumps to the address in a slot. The linker
    // writes such code for calls of other files.
    std::optional<std::uintptr_t> slot_of_stub(std::uintptr_t address) const {
        constexpr std::uint8_t kLandingMark[] = {0xf3, 0x0f, 0x1e, 0xfa}, kJump[] = {0xff, 0x25}, kBound[] = {0xf2};
        const std::uintptr_t end = end_of_segment(address);
        std::uintptr_t at = address;
        if (begins_with(at, end, kLandingMark)) at += sizeof kLandingMark;
        const std::uintptr_t jump = begins_with(at, end, kBound) ? at + sizeof kBound : at;
        if (!begins_with(jump, end, kJump)) return std::nullopt;
        return decode_at(at, end).place;
    }
    static bool begins_with(std::uintptr_t at, std::uintptr_t end, std::span<const std::uint8_t> code) {
        return end - at >= code.size() && std::memcmp(reinterpret_cast<const void*>(at), code.data(), code.size()) == 0;
    }

    // Notes that the instruction at `from` names the code at `address`.
    void add(std::uintptr_t address, std::uintptr_t from) {
        const Addresses::Added added = seen_.add(address);
        if (added == Addresses::Added::no_space) return conclude(Reach::unknown, from);
        if (added == Addresses::Added::fresh) named_[count_++] = {address, from};
    }

    void look_at(const Named& named) {
        if (!is_code(named.address)) return conclude(Reach::unknown, named.from);
        if (const auto slot = slot_of_stub(named.address)) return add_slot(*slot, named.from);
        FunctionCode code;
        (void)probe::trace::frame_rule(named.address, tables_, &code);
        if (code.begin == 0 || !handles_inside(code)) return conclude(Reach::unknown, named.from);
        if (code.begin != named.address) return add(code.begin, named.from);
        bytes_ += code.end - code.begin;
        if (++functions_ > kMostFunctions || bytes_ > kMostBytes) return conclude(Reach::unknown, named.from);
        go_through(code);
    }

    // Where the table of exceptions begins with kOmitted, the handlers lie in the function itself.
    static bool handles_inside(const FunctionCode& code) {
        constexpr std::uint8_t kOmitted = 0xff;
        return code.exceptions == 0 || *reinterpret_cast<const std::uint8_t*>(code.exceptions) == kOmitted;
    }

    void add_slot(std::uintptr_t slot, std::uintptr_t from) {
        const auto function = function_of_slot(file_, slot);
        if (!function) return conclude(Reach::unknown, from);
        if (makes_thread_local(function->name)) return conclude(Reach::thread_local_variable, from);
        if (function->own_code != 0) return add(function->own_code, from);
        if (std::find(std::begin(kCallingBack), std::end(kCallingBack), function->name) != std::end(kCallingBack))
            return conclude(Reach::unknown, from);
        add_exported(from);
    }
    void add_exported(std::uintptr_t from) {
        if (has_exported_) return;
        has_exported_ = true;
        struct Visit {
            Walk& walk;
            std::uintptr_t from;
        } visit{*this, from};
        const auto add_one = [](void* argument, std::uintptr_t function) {
            const Visit& visited = *static_cast<Visit*>(argument);
            visited.walk.add(function, visited.from);
            return !visited.walk.found_;
        };
        if (!for_each_exported(file_, add_one, &visit)) conclude(Reach::unknown, from);
    }

    void go_through(const FunctionCode& code) {
        std::uint8_t sum = Instruction::kNone; // of the instruction before
        bool has_table = false;
        std::uintptr_t by_table = 0; // a jump to a sum
        for (std::uintptr_t at = code.begin; at < code.end && !found_;) {
            const Instruction instruction = decode_at(at, code.end);
            consider(instruction, at, code, sum);
            if (instruction.makes_address) has_table = has_table || is_table_of(instruction.place, code);
            if (instruction.kind == Kind::indirect_by_jump) by_table = at;
            sum = instruction.sum;
            at += instruction.length;
        }
        if (by_table != 0 && !has_table) conclude(Reach::unknown, by_table);
    }

    // Returns true if at this place a table of jumps in the function may lie: offsets from the
    // table to the function's code. Jumps to parts of the function that the compiler has moved
    // elsewhere may come first.
    bool is_table_of(std::uintptr_t place, const FunctionCode& code) const {
        constexpr std::size_t kLooked = 16;
        if (is_code(place) || place % sizeof(std::int32_t) != 0) return false;
        const std::size_t entries = std::min((end_of_segment(place) - place) / sizeof(std::int32_t), kLooked);
        const auto* const offsets = reinterpret_cast<const std::int32_t*>(place);
        return std::any_of(offsets, offsets + entries, [&](std::int32_t offset) {
            const std::uintptr_t target = place + static_cast<std::uintptr_t>(std::intptr_t{offset});
            return code.begin <= target && target < code.end;
        });
    }

    void consider(const Instruction& instruction, std::uintptr_t at, const FunctionCode& code, std::uint8_t sum) {
        if (instruction.uses_thread_area) return conclude(Reach::thread_local_variable, at);
        const bool is_inside = code.begin <= instruction.place && instruction.place < code.end;
        switch (instruction.kind) {
        case Kind::unknown:
        case Kind::indirect:
            return conclude(Reach::unknown, at);
        case Kind::indirect_by_jump:
            // Compilers add the table's address to an offset from the table, for a jump in the
            // same function. A program may compute the address of a function like this, so
            // go_through looks for the table.
            if (instruction.target != sum) conclude(Reach::unknown, at);
            return;
        case Kind::direct:
            if (!is_inside) add(instruction.place, at);
            return;
        case Kind::through_slot:
            return add_slot(instruction.place, at);
        case Kind::other:
            break;
        }
        if (instruction.has_place && !is_inside) consider_place(instruction, at);
        const bool is_fixed = file_.base == 0; // the linker has written addresses as constants
        if (is_fixed && instruction.has_constant) add_if_function(instruction.constant, at);
    }

    // The instruction names a fixed place: it uses the place's address, or reads what is there.
    void consider_place(const Instruction& instruction, std::uintptr_t at) {
        if (!instruction.makes_address) add_if_function(value_at(instruction.place), at);
        else if (is_code(instruction.place)) add(instruction.place, at);
    }
    // A number that may be an address, or may be any other.
    void add_if_function(std::uintptr_t number, std::uintptr_t from) {
        if (!is_code(number)) return;
        FunctionCode code;
        (void)probe::trace::frame_rule(number, tables_, &code);
        if (code.begin != 0) add(number, from);
    }
    // 0: there is no pointer of the file's.
    std::uintptr_t value_at(std::uintptr_t place) const {
        const bool is_whole = place % sizeof place == 0 && end_of_segment(place) - place >= sizeof place;
        if (!is_whole) return 0;
        return __atomic_load_n(reinterpret_cast<const std::uintptr_t*>(place), __ATOMIC_RELAXED);
    }

    const Loaded& file_;
    const void* tables_;
    std::optional<Finding> found_;
    Named named_[Addresses::kMost];
    std::size_t count_ = 0, next_ = 0;
    std::size_t functions_ = 0, bytes_ = 0; // that were looked at
    bool has_exported_ = false;
    Addresses seen_;
};

} // namespace

bool can_follow_code() { return true; }

Finding find_reach(const Loaded& file, const void* function) {
    void* const memory = std::malloc(sizeof(Walk));
    if (memory == nullptr) return {Reach::unknown, 0};
    Walk* const walk = ::new (memory) Walk(file);
    const Finding finding = walk->run(reinterpret_cast<std::uintptr_t>(function));
    std::free(memory);
    return finding;
}

} // namespace teff::preempt
