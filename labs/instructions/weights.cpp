// SPDX-License-Identifier: Apache-2.0
//
// A block begins after its hook. It ends at the next hook, at a conditional branch to another
// block, at an indirect jump, or at a return; direct jumps are followed. A conditional branch whose
// target has no hook was added by the compiler inside the block, and is assumed not to be taken. A
// call adds the instructions that the directly called function executes before its own first hook.
//
// The hooks are not part of the program, so three things must not be counted: the calls of hooks,
// the instructions that load their arguments, and the saving of values in memory during the calls.
// The saved values cannot be distinguished from values that the plain program also saves, so no
// moves between a register and the stack are counted. Copies between registers are not counted
// either, because most of them save values that a call may change.
#include "weights.h"

#include <Zydis/Zydis.h>
#include <algorithm>
#include <link.h>

#include "hook_addresses.h"

namespace teff::instructions {

constinit std::atomic<std::uint64_t> blocks[1u << kBlockBits];

namespace {

constexpr unsigned kLongest = 4096; // the largest number of instructions examined for one block
// The same limit before the first hook of a function. This hook is in the first block, after the
// prologue. Most called functions have no hook, because they belong to libraries.
constexpr unsigned kLongestPrologue = 256;
constexpr unsigned kFewProbes = 8;

struct Instruction {
    ZydisDecodedInstruction code;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

    bool is(ZydisInstructionCategory category) const { return code.meta.category == category; }
    bool is_register(unsigned i) const { return operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER; }
    bool is_on_stack(unsigned i) const {
        return operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY && operands[i].mem.base == ZYDIS_REGISTER_RSP;
    }
};

ZydisDecoder decoder;

// Runs before the constructors of the program, which may have hooks.
[[gnu::constructor(101)]] void initialise() {
    (void)ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

// A part of a module, as the linker has mapped it.
struct Segment {
    std::uintptr_t begin = 0, end = 0;
    bool has(std::uintptr_t address) const { return address >= begin && address < end; }
};

struct Search {
    std::uintptr_t address;
    ElfW(Word) flags;
    Segment found;
};

int look_in_module(dl_phdr_info* module, std::size_t, void* of) {
    auto& search = *static_cast<Search*>(of);
    for (const ElfW(Phdr)* header = module->dlpi_phdr; header != module->dlpi_phdr + module->dlpi_phnum; ++header) {
        if (header->p_type != PT_LOAD || (header->p_flags & search.flags) != search.flags) continue;
        const std::uintptr_t begin = module->dlpi_addr + header->p_vaddr;
        const Segment segment = {begin, begin + header->p_memsz};
        if (segment.has(search.address)) return search.found = segment, 1;
    }
    return 0;
}

Segment find(std::uintptr_t address, ElfW(Word) flags) {
    Search search = {address, flags, {}};
    (void)dl_iterate_phdr(look_in_module, &search);
    return search.found;
}

thread_local Segment code; // the segment of the last instruction of the examined block

// The bytes after a call or a jump may be data, which may look like calls and jumps to any address.
// So only the code of modules is read.
bool decode(std::uintptr_t at, Instruction& instruction) {
    if (!code.has(at)) code = find(at, PF_R | PF_X);
    if (!code.has(at)) return false;
    const std::size_t bytes = std::min<std::size_t>(code.end - at, ZYDIS_MAX_INSTRUCTION_LENGTH);
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, reinterpret_cast<const void*>(at), bytes, &instruction.code,
                                               instruction.operands));
}

std::uintptr_t in_slot(std::uintptr_t address) {
    constexpr std::size_t kBytes = sizeof(std::uintptr_t);
    const Segment segment = find(address, PF_R);
    if (address % kBytes != 0 || !segment.has(address) || segment.end - address < kBytes) return 0;
    return *reinterpret_cast<const std::uintptr_t*>(address);
}

// The target of a call or jump that is direct, or goes through a slot of the linker; 0 if not
// known.
std::uintptr_t target(const Instruction& instruction, std::uintptr_t at) {
    ZyanU64 address = 0;
    const ZydisDecodedOperand& operand = instruction.operands[0];
    if (ZYAN_FAILED(ZydisCalcAbsoluteAddress(&instruction.code, &operand, at, &address))) return 0;
    if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) return address;
    const bool is_slot = operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.base == ZYDIS_REGISTER_RIP;
    return is_slot ? in_slot(address) : 0;
}

// The called function, to which the linker's stub leads.
std::uintptr_t called(const Instruction& call, std::uintptr_t at) {
    std::uintptr_t to = target(call, at);
    Instruction first;
    for (int stubs = 0; stubs < 2 && to != 0 && decode(to, first); ++stubs) {
        if (first.code.mnemonic == ZYDIS_MNEMONIC_ENDBR64) {
            to += first.code.length;
            if (!decode(to, first)) break;
        }
        if (first.code.mnemonic != ZYDIS_MNEMONIC_JMP || first.is_register(0)) break;
        const std::uintptr_t next = target(first, to);
        if (next == 0) break;
        to = next;
    }
    return to;
}

bool is_move(const Instruction& instruction) { return instruction.is(ZYDIS_CATEGORY_DATAXFER); }

// Whether the instruction may save or restore a value that is kept during a hook.
bool keeps(const Instruction& instruction) {
    if (!is_move(instruction) || instruction.code.operand_count_visible != 2) return false;
    if (instruction.is_on_stack(0)) return instruction.is_register(1);
    if (instruction.is_on_stack(1)) return instruction.is_register(0);
    return instruction.is_register(0) && instruction.is_register(1) &&
           instruction.code.mnemonic != ZYDIS_MNEMONIC_MOVSXD && instruction.code.mnemonic != ZYDIS_MNEMONIC_MOVZX;
}

// The argument of a hook that the instruction may load, as a bit; 0 if none.
unsigned argument_of(const Instruction& instruction) {
    if (!instruction.is_register(0)) return 0;
    if (!is_move(instruction) && instruction.code.mnemonic != ZYDIS_MNEMONIC_LEA) return 0;
    switch (ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, instruction.operands[0].reg.value)) {
    case ZYDIS_REGISTER_RDI:
        return 1;
    case ZYDIS_REGISTER_RSI:
        return 2;
    case ZYDIS_REGISTER_RDX:
        return 4;
    default:
        return 0;
    }
}

bool begins_block(std::uintptr_t at) {
    Instruction instruction;
    while (at != 0 && decode(at, instruction)) {
        if (instruction.is(ZYDIS_CATEGORY_CALL)) return is_block_hook(called(instruction, at));
        if (!instruction.is(ZYDIS_CATEGORY_NOP) && !instruction.is(ZYDIS_CATEGORY_WIDENOP)) return false;
        at += instruction.code.length;
    }
    return false;
}

std::uint64_t before_first_hook(std::uintptr_t function);

// Counts from `at` to the next block.
class Walk {
  public:
    explicit Walk(std::uintptr_t at) : at_(at) {}

    std::uint64_t to_next_block(unsigned longest) {
        for (unsigned i = 0; i < longest && step(); ++i) {
        }
        give_arguments();
        return count_;
    }

    bool met_block() const { return met_block_; }
    void into_calls(bool wanted) { into_calls_ = wanted; }

  private:
    // The loads were instructions of the program.
    void give_arguments() { count_ += static_cast<unsigned>(__builtin_popcount(arguments_)); }

    // Returns false at the end of the block.
    bool step() {
        Instruction instruction;
        if (!decode(at_, instruction)) return false;
        if (instruction.is(ZYDIS_CATEGORY_CALL)) return call(instruction);
        if (instruction.is(ZYDIS_CATEGORY_RET)) return ++count_, false;
        if (instruction.is(ZYDIS_CATEGORY_UNCOND_BR)) return jump(instruction);
        if (instruction.is(ZYDIS_CATEGORY_COND_BR) && begins_block(target(instruction, at_))) return ++count_, false;
        at_ += instruction.code.length;
        if (instruction.is(ZYDIS_CATEGORY_NOP) || instruction.is(ZYDIS_CATEGORY_WIDENOP)) return true;
        const unsigned argument = argument_of(instruction);
        if (argument != 0) arguments_ |= argument;
        else count_ += keeps(instruction) ? 0 : 1;
        return true;
    }

    bool call(const Instruction& instruction) {
        const std::uintptr_t to = called(instruction, at_);
        at_ += instruction.code.length;
        if (is_block_hook(to)) return met_block_ = true, false;
        if (!is_hook(to)) {
            give_arguments();
            count_ += 1 + (into_calls_ ? before_first_hook(to) : 0);
        } else if (is_atomic(to)) ++count_;
        arguments_ = 0;
        return true;
    }

    bool jump(const Instruction& instruction) {
        ++count_;
        const std::uintptr_t to = target(instruction, at_);
        if (to == 0 || instruction.operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE) return false;
        at_ = to;
        return true;
    }

    std::uintptr_t at_;
    std::uint64_t count_ = 0;
    unsigned arguments_ = 0; // registers that were loaded since the last call, and may be a hook's arguments
    bool met_block_ = false;
    bool into_calls_ = true;
};

std::uint64_t before_first_hook(std::uintptr_t function) {
    if (function == 0) return 0;
    Walk walk(function);
    walk.into_calls(false);
    const std::uint64_t count = walk.to_next_block(kLongestPrologue);
    return walk.met_block() ? count : 0; // without hooks, the function is not counted
}

} // namespace

std::uint64_t weight_of(std::uintptr_t address) {
    const std::uint64_t place = block_place(address);
    for (unsigned probe = 0; probe < kFewProbes; ++probe) {
        const std::uint64_t block = blocks[(place + probe) % (1u << kBlockBits)].load(std::memory_order_relaxed);
        if (block >> kWeightBits == address) return block & kMostWeight;
    }
    code = {}; // the module may have been unloaded since the last call
    std::uint64_t weight = Walk(address).to_next_block(kLongest);
    if (weight > kMostWeight) weight = kMostWeight;
    const std::uint64_t block = address << kWeightBits | weight;
    for (unsigned probe = 0; probe < kFewProbes; ++probe) {
        std::uint64_t empty = 0;
        std::atomic<std::uint64_t>& word = blocks[(place + probe) % (1u << kBlockBits)];
        if (word.compare_exchange_strong(empty, block, std::memory_order_relaxed)) break;
    }
    return weight;
}

} // namespace teff::instructions
