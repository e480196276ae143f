// SPDX-License-Identifier: Apache-2.0
#include "processes/instructions.h"

#include <Zydis/Zydis.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <link.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base/mapped_file.h"
#include "processes/aside.h"
#include "processes/flush.h"
#include "processes/layout.h"
#include "processes/link.h"
#include "processes/locks.h"
#include "processes/memory.h"
#include "processes/modules.h"
#include "processes/report.h"
#include "processes/team.h"

namespace teff::processes::instructions {

namespace {

constexpr std::byte kTrap{0xcc};
constexpr std::size_t kSlot = 32;

struct Site {
    std::uintptr_t address, slot;
    std::uint8_t length;
    bool is_fence;
    bool of_library; // what it changes may be the library's own
};
constinit List<Site> sites; // by address within a module, modules in the loader's order
struct sigaction program_action;
constinit std::uint64_t mask_between_traps = 0;

struct Found {
    std::uintptr_t address;
    ZydisDecodedInstruction instruction;
    bool is_fence;
};

bool writes_memory(const ZydisDecodedInstruction& instruction) {
    return (instruction.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 && instruction.raw.modrm.mod != 3;
}

// `lock or $0, (%rsp)` is how compilers write a fence.
bool is_fence(const ZydisDecodedInstruction& instruction) {
    if (instruction.mnemonic == ZYDIS_MNEMONIC_MFENCE) return true;
    const bool at_stack = instruction.raw.sib.base == 4 && instruction.raw.modrm.rm == 4;
    return instruction.mnemonic == ZYDIS_MNEMONIC_OR && at_stack && instruction.raw.imm[0].size != 0 &&
           instruction.raw.imm[0].value.u == 0;
}

bool is_atomic(const ZydisDecodedInstruction& instruction) {
    if ((instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0) return true;
    if (instruction.mnemonic == ZYDIS_MNEMONIC_XCHG) return writes_memory(instruction); // locks without a prefix
    return instruction.mnemonic == ZYDIS_MNEMONIC_MFENCE;
}

void search(std::uintptr_t start, std::size_t bytes, List<Found>& found) {
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    const auto* const code = reinterpret_cast<const std::byte*>(start);
    for (std::size_t at = 0; at < bytes;) {
        ZydisDecodedInstruction instruction;
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, nullptr, code + at, bytes - at, &instruction))) {
            ++at;
            continue;
        }
        if (is_atomic(instruction)) found.push({start + at, instruction, is_fence(instruction)});
        at += instruction.length;
    }
}

// Room near the code, since instructions may name memory by its distance.
std::byte* room_near(std::uintptr_t code, std::size_t bytes) {
    constexpr std::uintptr_t kStep = 1 << 20, kReach = 1ull << 30;
    for (std::uintptr_t distance = kStep; distance < kReach; distance += kStep) {
        const std::uintptr_t hint = (code & ~(kStep - 1)) - distance;
        if (hint > code || hint < (1 << 16)) break;
        void* const made = mmap(reinterpret_cast<void*>(hint), bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (made == reinterpret_cast<void*>(hint)) return static_cast<std::byte*>(made);
        if (made != MAP_FAILED) munmap(made, bytes);
    }
    for (std::uintptr_t hint = (code + kReach / 2) & ~(kStep - 1); hint < code + kReach; hint += kStep) {
        void* const made = mmap(reinterpret_cast<void*>(hint), bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (made == reinterpret_cast<void*>(hint)) return static_cast<std::byte*>(made);
        if (made != MAP_FAILED) munmap(made, bytes);
    }
    fail("no addresses near the program's code, for its atomic instructions");
}

void copy_instruction(const Found& one, std::byte* slot) {
    const ZydisDecodedInstruction& instruction = one.instruction;
    std::memcpy(slot, reinterpret_cast<const void*>(one.address), instruction.length);
    slot[instruction.length] = kTrap;
    const bool by_distance =
        writes_memory(instruction) && instruction.raw.modrm.mod == 0 && instruction.raw.modrm.rm == 5;
    if (!by_distance) return;
    std::int32_t distance;
    std::memcpy(&distance, slot + instruction.raw.disp.offset, sizeof distance);
    distance +=
        static_cast<std::int32_t>(static_cast<std::int64_t>(one.address) - reinterpret_cast<std::int64_t>(slot));
    std::memcpy(slot + instruction.raw.disp.offset, &distance, sizeof distance);
}

void put_traps(const List<Found>& found, std::uintptr_t start, std::uintptr_t end) {
    const std::uintptr_t first = start & ~(kPage - 1);
    if (mprotect(reinterpret_cast<void*>(first), end - first, PROT_READ | PROT_WRITE) != 0)
        fail_errno("cannot change the program's atomic instructions");
    for (const Found& one : found)
        *reinterpret_cast<std::byte*>(one.address) = kTrap;
    if (mprotect(reinterpret_cast<void*>(first), end - first, PROT_READ | PROT_EXEC) != 0)
        fail_errno("cannot change the program's atomic instructions");
}

void drop_fences(List<Found>& found) {
    std::size_t kept = 0;
    for (const Found& one : found)
        if (!one.is_fence) found[kept++] = one;
    found.resize(kept);
}

void patch_section(std::uintptr_t start, std::size_t bytes, bool of_library) {
    List<Found> found;
    search(start, bytes, found);
    if (of_library) drop_fences(found);
    if (found.empty()) return;
    const std::size_t room_bytes = (found.size() * kSlot + kPage - 1) & ~(kPage - 1);
    std::byte* const room = room_near(start, room_bytes);
    for (std::size_t i = 0; i < found.size(); ++i) {
        copy_instruction(found[i], room + i * kSlot);
        sites.push({found[i].address, reinterpret_cast<std::uintptr_t>(room + i * kSlot), found[i].instruction.length,
                    found[i].is_fence, of_library});
    }
    if (mprotect(room, room_bytes, PROT_READ | PROT_EXEC) != 0) fail_errno("cannot make room for atomic instructions");
    put_traps(found, start, start + bytes);
}

int patch_module(dl_phdr_info* info, std::size_t, void*) {
    const bool of_library = modules::is_private(info->dlpi_name);
    if (of_library && !modules::counts_references(info->dlpi_name)) return 0;
    const base::MappedFile file(info->dlpi_name[0] == '\0' ? "/proc/self/exe" : info->dlpi_name);
    for (const ElfW(Shdr) & section : file.sections())
        if (section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_EXECINSTR) != 0)
            patch_section(info->dlpi_addr + section.sh_addr, section.sh_size, of_library);
    return 0;
}

const Site* site_at(std::uintptr_t address) {
    for (const Site& site : sites)
        if (site.address == address) return &site;
    return nullptr;
}
const Site* site_of_slot(std::uintptr_t behind) {
    for (const Site& site : sites)
        if (site.slot + site.length == behind) return &site;
    return nullptr;
}

void pass_to_program(int signal, siginfo_t* info, void* context) {
    if ((program_action.sa_flags & SA_SIGINFO) != 0) return program_action.sa_sigaction(signal, info, context);
    if (program_action.sa_handler != SIG_DFL && program_action.sa_handler != SIG_IGN)
        return program_action.sa_handler(signal);
    sigaction(signal, &program_action, nullptr);
    raise(signal);
}

// The lock stays until changes are sent: see locks::kLease. A handler of the program's that
// interrupts the runtime amid a message can have none: what it does is atomic in this process
// alone.
void take_lease() {
    if (!region::has_others() || link::has_lease() || is_aside()) return;
    Request request = {};
    request.op = Op::lock;
    request.a = locks::kLease;
    link::ask(request, link::Sync::memory);
}

constexpr struct {
    ZydisRegister name;
    int place;
} kRegisters[] = {{ZYDIS_REGISTER_RAX, REG_RAX}, {ZYDIS_REGISTER_RBX, REG_RBX}, {ZYDIS_REGISTER_RCX, REG_RCX},
                  {ZYDIS_REGISTER_RDX, REG_RDX}, {ZYDIS_REGISTER_RSI, REG_RSI}, {ZYDIS_REGISTER_RDI, REG_RDI},
                  {ZYDIS_REGISTER_RBP, REG_RBP}, {ZYDIS_REGISTER_RSP, REG_RSP}, {ZYDIS_REGISTER_R8, REG_R8},
                  {ZYDIS_REGISTER_R9, REG_R9},   {ZYDIS_REGISTER_R10, REG_R10}, {ZYDIS_REGISTER_R11, REG_R11},
                  {ZYDIS_REGISTER_R12, REG_R12}, {ZYDIS_REGISTER_R13, REG_R13}, {ZYDIS_REGISTER_R14, REG_R14},
                  {ZYDIS_REGISTER_R15, REG_R15}};

bool changes_shared_memory(const Site& site, const mcontext_t& machine) {
    ZydisDecoder decoder;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, reinterpret_cast<const void*>(site.slot), site.length,
                                             &instruction, operands)))
        return true;
    ZydisRegisterContext registers = {};
    for (const auto& one : kRegisters)
        registers.values[one.name] = static_cast<ZyanU64>(machine.gregs[one.place]);
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const ZydisDecodedOperand& operand = operands[i];
        ZyanU64 address;
        if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
            ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(&instruction, &operand, site.slot, &registers, &address)))
            return memory::is_shared(reinterpret_cast<const void*>(address));
    }
    return true;
}

std::uintptr_t carry_out(const Site& site, const mcontext_t& machine) {
    if (site.of_library && !changes_shared_memory(site, machine)) return site.slot;
    if (!site.is_fence) return take_lease(), site.slot;
    if (!is_aside()) flush();
    return site.address + site.length;
}

// Handlers are kept out from the time that the lease is looked at until the instruction has run:
// between the two traps, too, since one that flushes would give the lease back. Of a mask in a
// signal's frame the kernel has the first word alone.
static_assert(sizeof mask_between_traps == _NSIG / 8);
void keep_handlers_out(ucontext_t& machine) {
    const sigset_t others = others_while_handling();
    std::memcpy(&mask_between_traps, &machine.uc_sigmask, sizeof mask_between_traps);
    std::memcpy(&machine.uc_sigmask, &others, sizeof mask_between_traps);
}
void let_handlers_in(ucontext_t& machine) {
    std::memcpy(&machine.uc_sigmask, &mask_between_traps, sizeof mask_between_traps);
}

void on_trap(int signal, siginfo_t* info, void* context) {
    const int before = errno;
    auto* const machine = static_cast<ucontext_t*>(context);
    greg_t& next = machine->uc_mcontext.gregs[REG_RIP];
    const Interrupted interrupted(static_cast<std::uintptr_t>(machine->uc_mcontext.gregs[REG_RSP]));
    const auto trap = static_cast<std::uintptr_t>(next) - 1;
    if (const Site* const site = site_at(trap)) {
        next = static_cast<greg_t>(carry_out(*site, machine->uc_mcontext));
        if (!site->is_fence) keep_handlers_out(*machine);
    } else if (const Site* const done = site_of_slot(trap)) {
        let_handlers_in(*machine);
        next = static_cast<greg_t>(done->address + done->length);
    } else {
        pass_to_program(signal, info, context);
    }
    errno = before;
}

} // namespace

void patch() {
    dl_iterate_phdr(patch_module, nullptr);
    if (sites.empty()) return;
    struct sigaction action = {};
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    action.sa_mask = others_while_handling();
    sigaction(SIGTRAP, &action, &program_action);
}

} // namespace teff::processes::instructions
