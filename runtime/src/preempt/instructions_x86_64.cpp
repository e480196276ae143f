// SPDX-License-Identifier: Apache-2.0
#include "preempt/instructions_x86_64.h"

#include <cstring>

namespace teff::preempt {

namespace {

// What follows an opcode. One letter for each opcode of a map:
//
//     .  nothing
//     m  a ModRM byte, with what it asks for: an index byte, a displacement
//     b  one byte               w  two bytes            e  three bytes (`enter`)
//     z  four bytes, or two with the prefix 66
//     q  as z, but eight bytes with REX.W (`mov` to a register)
//     o  an address of eight bytes, or four with the prefix 67
//     M  m and b                Z  m and z
//     T  m, and b if the ModRM byte names the operation `test` (opcode f6); U  the same with z
//     j  a jump by one byte     J  a jump or call by four bytes
//     f  opcode ff: m, calls and jumps among its operations
//     -  not known
constexpr char kOneByte[] = "mmmmbz--mmmmbz--"  // 00: add, or; 06 and 0e are invalid, 0f is a map
                            "mmmmbz--mmmmbz--"  // 10
                            "mmmmbz--mmmmbz--"  // 20: the prefixes 26, 2e ... are read before
                            "mmmmbz--mmmmbz--"  // 30
                            "----------------"  // 40: REX
                            "................"  // 50: push, pop
                            "---m----zZbM...."  // 60: 63 is movsxd
                            "jjjjjjjjjjjjjjjj"  // 70
                            "MZ-Mmmmmmmmmmmmm"  // 80: 8f is tested for XOP
                            "..........-....."  // 90: nop, xchg; 9a is invalid
                            "oooo....bz......"  // a0: mov to and from an address
                            "bbbbbbbbqqqqqqqq"  // b0: mov of constants
                            "MMw.--MZe.--.b--"  // c0: c4 and c5 are VEX; far returns are not known
                            "mmmm---.mmmmmmmm"  // d0: d4, d5, d6 are invalid; d8... are of the x87
                            "jjjjbbbbJJ-j...."  // e0: loop, in, out, call, jmp
                            "-.--..TU......mf"; // f0

constexpr char kTwoBytes[] = "mmmm-.....-.-m--"  // 00: 0e and 0f are 3DNow!
                             "mmmmmmmmmmmmmmmm"  // 10
                             "mmmm----mmmmmmmm"  // 20
                             "......-.--------"  // 30: 38 and 3a are maps
                             "mmmmmmmmmmmmmmmm"  // 40: cmov
                             "mmmmmmmmmmmmmmmm"  // 50
                             "mmmmmmmmmmmmmmmm"  // 60
                             "MMMMmmm.mm--mmmm"  // 70: 78 and 79 are tested for SSE4a
                             "JJJJJJJJJJJJJJJJ"  // 80
                             "mmmmmmmmmmmmmmmm"  // 90: setcc
                             "...mMm--...mMmmm"  // a0
                             "mmmmmmmmmmMmmmmm"  // b0
                             "mmMmMMMm........"  // c0: c7 is cmpxchg8b; bswap
                             "mmmmmmmmmmmmmmmm"  // d0
                             "mmmmmmmmmmmmmmmm"  // e0
                             "mmmmmmmmmmmmmmmm"; // f0

// The maps of three bytes: 0f38 and 0f3a.
constexpr char kThreeBytes38 = 'm', kThreeBytes3a = 'M';

static_assert(sizeof kOneByte == 257 && sizeof kTwoBytes == 257);

enum class Map : std::uint8_t { one, two, three_38, three_3a };

constexpr std::uint8_t kRexW = 8, kRexX = 2, kRexB = 1;

class Decoder {
  public:
    Decoder(std::span<const std::uint8_t> code, std::uintptr_t address) : code_(code), address_(address) {}

    Instruction run() {
        read_prefixes();
        read_opcode();
        const char form = form_of();
        read_rest(form);
        if (is_bad_ || at_ > kLongest) return {};
        found_.length = static_cast<std::uint8_t>(at_);
        classify();
        return found_;
    }

  private:
    using Kind = Instruction::Kind;
    static constexpr std::size_t kLongest = 15;

    std::uint8_t byte() {
        if (at_ >= code_.size()) return is_bad_ = true, std::uint8_t{0};
        return code_[at_++];
    }
    // A number of this many bytes, with its sign.
    std::int64_t number(unsigned bytes) {
        std::uint64_t value = 0;
        if (code_.size() - at_ < bytes) return is_bad_ = true, 0;
        std::memcpy(&value, &code_[at_], bytes);
        at_ += bytes;
        const unsigned unused = 64 - 8 * bytes;
        return static_cast<std::int64_t>(value << unused) >> unused;
    }
    std::uint8_t peek(std::size_t ahead = 0) const { return at_ + ahead < code_.size() ? code_[at_ + ahead] : 0; }

    void read_prefixes() {
        for (;; ++at_) {
            switch (peek()) {
            case 0x66:
                has_66_ = true;
                continue;
            case 0x67:
                has_67_ = true;
                continue;
            case 0x64:
                has_fs_ = true;
                continue;
            case 0xf2:
                has_f2_ = true;
                continue;
            case 0xf3:
                has_f3_ = true;
                continue;
            case 0x65: // gs: Linux has nothing there in user programs
            case 0x26:
            case 0x2e:
            case 0x36:
            case 0x3e:
            case 0xf0: // lock
                continue;
            default:
                break;
            }
            break;
        }
        if ((peek() & 0xf0u) == 0x40) rex_ = byte() & 0x0fu;
    }

    void read_opcode() {
        opcode_ = byte();
        if (opcode_ == 0xc5) return read_vex2();
        if (opcode_ == 0xc4) return read_vex3();
        if (opcode_ == 0x62) return read_evex();
        if (opcode_ != 0x0f) return;
        map_ = Map::two;
        opcode_ = byte();
        if (opcode_ != 0x38 && opcode_ != 0x3a) return;
        map_ = opcode_ == 0x38 ? Map::three_38 : Map::three_3a;
        opcode_ = byte();
    }

    void read_vex2() {
        is_vector_ = true;
        map_ = Map::two;
        byte();
        opcode_ = byte();
    }
    void read_vex3() {
        is_vector_ = true;
        const std::uint8_t first = byte();
        choose_map(first & 0x1fu);
        rex_ |= (~first >> 5) & (kRexX | kRexB);
        byte();
        opcode_ = byte();
    }
    void read_evex() {
        is_vector_ = true;
        const std::uint8_t first = byte(), second = byte();
        const std::uint8_t map = first & 0x0fu;
        constexpr std::uint8_t kHalf5 = 5, kHalf6 = 6;            // arithmetic with numbers of 16 bits
        if (map == kHalf5 || map == kHalf6) map_ = Map::three_38; // the same form: no constants
        else choose_map(map);
        rex_ |= (~first >> 5) & (kRexX | kRexB);
        if ((second & 4u) == 0) is_bad_ = true; // APX
        byte();
        opcode_ = byte();
    }
    void choose_map(std::uint8_t number) {
        if (number == 1) map_ = Map::two;
        else if (number == 2) map_ = Map::three_38;
        else if (number == 3) map_ = Map::three_3a;
        else is_bad_ = true;
    }

    char form_of() const {
        switch (map_) {
        case Map::one:
            return kOneByte[opcode_];
        case Map::two:
            return is_vector_ ? vector_form() : kTwoBytes[opcode_];
        case Map::three_38:
            return kThreeBytes38;
        case Map::three_3a:
            return kThreeBytes3a;
        }
        return '-';
    }
    // Some opcodes of the map of two bytes are others behind VEX and EVEX.
    char vector_form() const {
        constexpr std::uint8_t kZeroUpper = 0x77;
        if (opcode_ == kZeroUpper) return '.';
        const char form = kTwoBytes[opcode_];
        return form == 'M' ? 'M' : 'm';
    }

    void read_rest(char form) {
        switch (form) {
        case '.':
            return;
        case 'm':
        case 'f':
            return read_operand();
        case 'b':
            return skip(1);
        case 'w':
            return skip(2);
        case 'e':
            return skip(3);
        case 'z':
            return read_constant(has_66_ && !is_wide() ? 2 : 4);
        case 'q':
            return read_constant(is_wide() ? 8 : has_66_ ? 2 : 4);
        case 'o':
            return skip(has_67_ ? 4 : 8);
        case 'M':
            return read_operand(), skip(1);
        case 'Z':
            return read_operand(), read_constant(has_66_ && !is_wide() ? 2 : 4);
        case 'T':
        case 'U':
            return read_test(form == 'T');
        case 'j':
            return read_jump(1);
        case 'J':
            return read_jump(4);
        default:
            is_bad_ = true;
        }
    }

    bool is_wide() const { return (rex_ & kRexW) != 0; }
    void skip(unsigned bytes) {
        if (code_.size() - at_ < bytes) is_bad_ = true;
        else at_ += bytes;
    }
    void read_constant(unsigned bytes) {
        const auto value = static_cast<std::uint64_t>(number(bytes));
        found_.has_constant = bytes >= 4;
        found_.constant = bytes == 4 ? value & 0xffff'ffffu : value;
    }
    void read_test(bool is_byte) {
        read_operand();
        constexpr unsigned kTests = 2; // operations 0 and 1
        if (operation() >= kTests) return;
        if (is_byte) skip(1);
        else read_constant(has_66_ && !is_wide() ? 2 : 4);
    }
    void read_jump(unsigned bytes) {
        if (has_66_ && bytes == 4 && !is_wide()) is_bad_ = true; // processors disagree on its length
        const std::int64_t distance = number(bytes);
        found_.kind = Kind::direct;
        found_.has_place = true;
        found_.place = address_ + at_ + static_cast<std::uintptr_t>(distance);
    }

    unsigned mode() const { return modrm_ >> 6; }
    unsigned operation() const { return modrm_ >> 3 & 7u; }
    unsigned register_or_memory() const { return modrm_ & 7u; }

    void read_operand() {
        modrm_ = byte();
        has_modrm_ = true;
        if (mode() == 3) return;
        unsigned base = register_or_memory();
        bool has_index = false;
        constexpr unsigned kIndexByte = 4, kNoBase = 5;
        const bool has_index_byte = base == kIndexByte;
        if (has_index_byte) {
            const std::uint8_t scaled = byte();
            base = scaled & 7u;
            has_index = (scaled >> 3 & 7u) != 4 || (rex_ & kRexX) != 0;
        }
        if (mode() == 1) return skip(1);
        if (mode() == 2) return skip(4);
        if (base != kNoBase) return;
        const std::int64_t displacement = number(4);
        is_absolute_ = has_index_byte && !has_index;
        found_.has_place = !has_index_byte || !has_index;
        found_.place = static_cast<std::uintptr_t>(displacement);
        from_here_ = !has_index_byte;
    }

    void classify() {
        if (from_here_) found_.place += address_ + at_;
        if (found_.kind == Kind::unknown) found_.kind = Kind::other;
        if (map_ == Map::one && !is_vector_) classify_one_byte();
        if (map_ == Map::two && !is_vector_) classify_two_bytes();
        if (has_fs_ && !reads_stack_guard()) found_.uses_thread_area = true;
    }
    void classify_one_byte() {
        constexpr std::uint8_t kLea = 0x8d, kAddTo = 0x01, kAddFrom = 0x03, kGroup5 = 0xff, kXop = 0x8f;
        if (opcode_ == kXop && operation() != 0) found_ = {};
        found_.makes_address = opcode_ == kLea && found_.has_place;
        if (mode() == 3 && has_modrm_) {
            if (opcode_ == kAddTo) found_.sum = register_number();
            if (opcode_ == kAddFrom) found_.sum = static_cast<std::uint8_t>(operation() | (rex_ & 4u) << 1);
        }
        if (opcode_ == kGroup5) classify_group5();
    }
    std::uint8_t register_number() const {
        return static_cast<std::uint8_t>(register_or_memory() | (rex_ & kRexB) << 3);
    }
    void classify_group5() {
        constexpr unsigned kCall = 2, kFarCall = 3, kJump = 4, kFarJump = 5, kInvalid = 7;
        if (operation() == kFarCall || operation() == kFarJump || operation() == kInvalid) found_ = {};
        if (operation() != kCall && operation() != kJump) return;
        if (mode() == 3 && operation() == kJump) {
            found_.kind = Kind::indirect_by_jump;
            found_.target = register_number();
        } else {
            found_.kind = found_.has_place && mode() != 3 ? Kind::through_slot : Kind::indirect;
        }
    }
    void classify_two_bytes() {
        constexpr std::uint8_t kGroup15 = 0xae, kExtract = 0x78, kInsert = 0x79;
        // rdfsbase, wrfsbase
        const unsigned which = operation();
        if (opcode_ == kGroup15 && has_f3_ && mode() == 3 && (which == 0 || which == 2)) found_.uses_thread_area = true;
        if ((opcode_ == kExtract || opcode_ == kInsert) && (has_66_ || has_f2_)) found_ = {}; // SSE4a
    }
    bool reads_stack_guard() const {
        constexpr std::uintptr_t kGuard = 0x28;
        return has_modrm_ && is_absolute_ && found_.place == kGuard;
    }

    std::span<const std::uint8_t> code_;
    std::uintptr_t address_;
    std::size_t at_ = 0;
    bool is_bad_ = false;
    bool has_66_ = false, has_67_ = false, has_fs_ = false, has_f2_ = false, has_f3_ = false;
    bool is_vector_ = false; // behind VEX or EVEX
    bool has_modrm_ = false;
    bool is_absolute_ = false; // the operand is at an address that the instruction contains
    bool from_here_ = false;   // ... that counts from the instruction's end
    std::uint8_t rex_ = 0, opcode_ = 0, modrm_ = 0;
    Map map_ = Map::one;
    Instruction found_;
};

} // namespace

Instruction decode(std::span<const std::uint8_t> code, std::uintptr_t address) { return Decoder(code, address).run(); }

} // namespace teff::preempt
