// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/frame_rules.h"

#include <cstddef>
#include <cstring>

namespace teff::probe::trace {

namespace {

// Numbers of registers in the tables.
constexpr std::uint64_t kRbp = 6, kRsp = 7, kReturn = 16;

// How pointers are written: DW_EH_PE_*.
constexpr std::uint8_t kSigned4 = 0x0b, kUnsigned4 = 0x03, kSigned8 = 0x0c, kUnsigned8 = 0x04, kWord = 0x00;
constexpr std::uint8_t kFromHere = 0x10, kFromHeader = 0x30, kFormat = 0x0f, kOmitted = 0xff;

// Bytes of the tables, up to an end. Beyond it there are zeros.
class Bytes {
  public:
    Bytes() = default;
    Bytes(const std::uint8_t* at, std::size_t bytes) : at_(at), end_(at + bytes) {}

    bool is_over() const { return at_ >= end_; }
    const std::uint8_t* at() const { return at_; }
    template <class Number> Number number() {
        Number value = 0;
        if (static_cast<std::size_t>(end_ - at_) < sizeof value) return at_ = end_, Number{0};
        std::memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    std::uint8_t byte() { return number<std::uint8_t>(); }
    std::uint64_t unsigned_leb() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; !is_over(); shift += 7) {
            const std::uint8_t next = byte();
            if (shift < 64) value |= static_cast<std::uint64_t>(next & 0x7fu) << shift;
            if ((next & 0x80u) == 0) break;
        }
        return value;
    }
    std::int64_t signed_leb() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; !is_over();) {
            const std::uint8_t next = byte();
            if (shift < 64) value |= static_cast<std::uint64_t>(next & 0x7fu) << shift;
            shift += 7;
            if ((next & 0x80u) != 0) continue;
            if (shift < 64 && (next & 0x40u) != 0) value |= ~std::uint64_t{0} << shift;
            break;
        }
        return static_cast<std::int64_t>(value);
    }
    void skip(std::uint64_t bytes) { at_ = bytes > static_cast<std::uint64_t>(end_ - at_) ? end_ : at_ + bytes; }
    Bytes take(std::uint64_t bytes) {
        const std::uint8_t* const from = at_;
        skip(bytes);
        return {from, static_cast<std::size_t>(at_ - from)};
    }

  private:
    const std::uint8_t* at_ = nullptr;
    const std::uint8_t* end_ = nullptr;
};

std::uintptr_t address_of(const std::uint8_t* at) { return reinterpret_cast<std::uintptr_t>(at); }

// A pointer in one of the forms that linkers write. 0: it is in another.
std::uintptr_t read_pointer(Bytes& bytes, std::uint8_t encoding, std::uintptr_t header = 0) {
    const std::uintptr_t here = address_of(bytes.at());
    std::uintptr_t value = 0;
    switch (encoding & kFormat) {
    case kSigned4:
        value = static_cast<std::uintptr_t>(std::int64_t{bytes.number<std::int32_t>()});
        break;
    case kUnsigned4:
        value = bytes.number<std::uint32_t>();
        break;
    case kWord:
    case kSigned8:
    case kUnsigned8:
        value = bytes.number<std::uint64_t>();
        break;
    default:
        return 0;
    }
    const unsigned from = encoding & 0x70u;
    if (from == kFromHere) return here + value;
    if (from == kFromHeader) return header + value;
    return from == 0 ? value : 0;
}

// The address of a function's table of exceptions. 0: it has none.
std::uintptr_t read_exceptions(Bytes data, std::uint8_t encoding) {
    if (encoding == kOmitted) return 0;
    Bytes same = data;
    return read_pointer(same, encoding & kFormat) == 0 ? 0 : read_pointer(data, encoding);
}

// An entry of .eh_frame, behind its length. Empty: it has none, or more than 4 GiB.
Bytes entry_at(const std::uint8_t* at) {
    std::uint32_t length;
    std::memcpy(&length, at, sizeof length);
    if (length == 0xffff'ffffu) length = 0;
    return {at + sizeof length, length};
}

// What the entries of several functions have in common.
struct Common {
    bool is_known = false;
    bool has_data = false; // in each function's entry, with its length before it
    std::uint8_t pointers = kWord;
    std::uint8_t exceptions = kOmitted; // how the address of each function's table is written
    std::uint64_t code_unit = 1;
    std::int64_t data_unit = 1;
    Bytes instructions;
};

Common read_common(const std::uint8_t* at) {
    Common common;
    Bytes bytes = entry_at(at);
    if (bytes.number<std::uint32_t>() != 0) return common;
    const std::uint8_t version = bytes.byte();
    if (version != 1 && version != 3) return common;
    char augmentation[8] = {};
    for (char& letter : augmentation)
        if ((letter = static_cast<char>(bytes.byte())) == '\0') break;
    common.code_unit = bytes.unsigned_leb();
    common.data_unit = bytes.signed_leb();
    const std::uint64_t of_return = version == 1 ? bytes.byte() : bytes.unsigned_leb();
    if (of_return != kReturn || augmentation[sizeof augmentation - 1] != '\0') return common;
    common.is_known = true;
    if (augmentation[0] == '\0') return common.instructions = bytes, common;
    if (augmentation[0] != 'z') return common.is_known = false, common;
    common.has_data = true;
    Bytes data = bytes.take(bytes.unsigned_leb());
    common.instructions = bytes;
    for (const char* letter = augmentation + 1; *letter != '\0'; ++letter) {
        if (*letter == 'R') common.pointers = data.byte();
        else if (*letter == 'L') common.exceptions = data.byte();
        else if (*letter == 'P') (void)read_pointer(data, data.byte());
        else common.is_known = false; // 'S': a signal's frame
    }
    return common;
}

// Where a value is, as far as rules tell it.
struct Row {
    FrameRule rule;
    bool is_outermost = false;
};

// Goes through a function's instructions up to one address.
class Interpreter {
  public:
    Interpreter(const Common& common, std::uintptr_t begin, std::uintptr_t wanted)
        : common_(common), at_(begin), wanted_(wanted) {}

    // False: there is something that rules do not tell.
    bool run(Bytes bytes) {
        while (!bytes.is_over() && at_ <= wanted_)
            if (!step(bytes)) return false;
        return true;
    }
    void keep_as_first() { first_ = row_; }
    const Row& row() const { return row_; }

  private:
    using Cfa = FrameRule::Cfa;
    using Saved = FrameRule::Saved;

    bool step(Bytes& bytes) {
        const std::uint8_t code = bytes.byte();
        const std::uint8_t low = code & 0x3fu;
        switch (code & 0xc0u) {
        case 0x40: // advance_loc
            return advance(low);
        case 0x80: // offset
            return saved(low, unsigned_offset(bytes));
        case 0xc0: // restore
            return restore(low);
        default:
            return extended(low, bytes);
        }
    }

    bool extended(std::uint8_t code, Bytes& bytes) {
        std::uint64_t which;
        switch (code) {
        case 0x00: // nop
            return true;
        case 0x01: // set_loc
            at_ = read_pointer(bytes, common_.pointers);
            return at_ != 0;
        case 0x02: // advance_loc1
            return advance(bytes.byte());
        case 0x03: // advance_loc2
            return advance(bytes.number<std::uint16_t>());
        case 0x04: // advance_loc4
            return advance(bytes.number<std::uint32_t>());
        case 0x05: // offset_extended
            which = bytes.unsigned_leb();
            return saved(which, unsigned_offset(bytes));
        case 0x06: // restore_extended
            return restore(bytes.unsigned_leb());
        case 0x07: // undefined
            return undefined(bytes.unsigned_leb());
        case 0x08: // same_value
            return same(bytes.unsigned_leb());
        case 0x09: // register
            which = bytes.unsigned_leb();
            bytes.unsigned_leb();
            return is_ignored(which);
        case 0x0a: // remember_state
            if (depth_ == kMostDepth) return false;
            return remembered_[depth_++] = row_, true;
        case 0x0b: // restore_state
            if (depth_ == 0) return false;
            return row_ = remembered_[--depth_], true;
        case 0x11: // offset_extended_sf
            which = bytes.unsigned_leb();
            return saved(which, bytes.signed_leb() * common_.data_unit);
        case 0x14: // val_offset
        case 0x15: // val_offset_sf
            which = bytes.unsigned_leb();
            bytes.unsigned_leb();
            return is_ignored(which);
        case 0x10: // expression
            which = bytes.unsigned_leb();
            return saved_by_expression(which, bytes.take(bytes.unsigned_leb()));
        case 0x16: // val_expression
            which = bytes.unsigned_leb();
            bytes.skip(bytes.unsigned_leb());
            return is_ignored(which);
        case 0x2e: // GNU_args_size
            return bytes.unsigned_leb(), true;
        default:
            return define_cfa(code, bytes);
        }
    }

    bool define_cfa(std::uint8_t code, Bytes& bytes) {
        switch (code) {
        case 0x0c: // def_cfa
            return cfa_register(bytes.unsigned_leb()) && cfa_offset(static_cast<std::int64_t>(bytes.unsigned_leb()));
        case 0x0d: // def_cfa_register
            return cfa_register(bytes.unsigned_leb());
        case 0x0e: // def_cfa_offset
            return cfa_offset(static_cast<std::int64_t>(bytes.unsigned_leb()));
        case 0x0f: // def_cfa_expression
            return cfa_expression(bytes.take(bytes.unsigned_leb()));
        case 0x12: // def_cfa_sf
            return cfa_register(bytes.unsigned_leb()) && cfa_offset(bytes.signed_leb() * common_.data_unit);
        case 0x13: // def_cfa_offset_sf
            return cfa_offset(bytes.signed_leb() * common_.data_unit);
        default:
            return false;
        }
    }

    bool advance(std::uint64_t units) { return at_ += units * common_.code_unit, true; }

    std::int64_t unsigned_offset(Bytes& bytes) const {
        return static_cast<std::int64_t>(bytes.unsigned_leb()) * common_.data_unit;
    }

    // A register of which nothing has to be known. The return address has to stand where a call
    // puts it.
    static bool is_ignored(std::uint64_t which) { return which != kRbp && which != kRsp && which != kReturn; }

    bool saved(std::uint64_t which, std::int64_t offset) {
        if (which == kReturn) return offset == -std::int64_t{sizeof(void*)};
        if (which != kRbp) return is_ignored(which);
        return saved_frame(Saved::kAtCfa, offset);
    }
    bool saved_frame(Saved is, std::int64_t offset) {
        row_.rule.saved_is = is;
        row_.rule.saved = static_cast<std::int16_t>(offset);
        return row_.rule.saved == offset;
    }
    bool restore(std::uint64_t which) {
        if (which != kRbp) return is_ignored(which);
        row_.rule.saved_is = first_.rule.saved_is;
        row_.rule.saved = first_.rule.saved;
        return true;
    }
    bool undefined(std::uint64_t which) {
        if (which == kReturn) row_.is_outermost = true;
        return true;
    }
    bool same(std::uint64_t which) {
        if (which == kRbp) row_.rule.saved_is = Saved::kInRegister;
        return which != kReturn;
    }

    // The offset of a register that rules do not follow is kept until the next one is named.
    bool cfa_register(std::uint64_t which) {
        row_.rule.cfa_is = which == kRsp ? Cfa::kOfStack : which == kRbp ? Cfa::kOfFrame : Cfa::kUnknown;
        return true;
    }
    bool cfa_offset(std::int64_t offset) {
        row_.rule.cfa = static_cast<std::int32_t>(offset);
        return row_.rule.cfa == offset;
    }

    // %rbp and an offset, with nothing behind them but `rest`.
    static bool is_frame_and_offset(Bytes expression, std::int64_t& offset, bool with_load) {
        constexpr std::uint8_t kLoad = 0x06, kRegisterAndOffset = 0x70;
        if (expression.byte() != kRegisterAndOffset + kRbp) return false;
        offset = expression.signed_leb();
        if (with_load && expression.byte() != kLoad) return false;
        return expression.is_over();
    }
    bool cfa_expression(Bytes expression) {
        std::int64_t offset = 0;
        const bool is_known = is_frame_and_offset(expression, offset, true);
        row_.rule.cfa_is = is_known ? Cfa::kAtFrame : Cfa::kUnknown;
        return cfa_offset(offset);
    }
    bool saved_by_expression(std::uint64_t which, Bytes expression) {
        if (which != kRbp) return is_ignored(which);
        std::int64_t offset = 0;
        return is_frame_and_offset(expression, offset, false) && saved_frame(Saved::kAtFrame, offset);
    }

    static constexpr unsigned kMostDepth = 8;
    const Common& common_;
    std::uintptr_t at_;
    std::uintptr_t wanted_;
    Row row_, first_;
    Row remembered_[kMostDepth];
    unsigned depth_ = 0;
};

// The linker's table of functions, in order: offsets from its own header.
struct Function {
    std::int32_t begin;
    std::int32_t entry;
};

const std::uint8_t* find_entry(std::uintptr_t address, const std::uint8_t* header) {
    constexpr std::uint8_t kVersion = 1, kSortedTable = kFromHeader | kSigned4;
    if (header[0] != kVersion || header[1] == kOmitted || header[3] != kSortedTable) return nullptr;
    constexpr std::size_t kMostHeaderBytes = 20;
    Bytes bytes(header + 4, kMostHeaderBytes);
    (void)read_pointer(bytes, header[1]);
    std::uintptr_t count = read_pointer(bytes, header[2]);
    const auto* const table = bytes.at();
    const std::uintptr_t base = address_of(header);
    std::uintptr_t first = 0;
    Function function{};
    const auto begin_of = [&](std::uintptr_t which) {
        std::memcpy(&function, table + which * sizeof function, sizeof function);
        return base + static_cast<std::uintptr_t>(std::int64_t{function.begin});
    };
    if (count == 0 || address < begin_of(0)) return nullptr;
    while (count > 1) {
        const std::uintptr_t half = count / 2;
        if (begin_of(first + half) <= address) first += half, count -= half;
        else count = half;
    }
    (void)begin_of(first);
    return header + function.entry;
}

} // namespace

FrameRule frame_rule(std::uintptr_t address, const void* tables, FunctionCode* function) {
    if (tables == nullptr) return {};
    const std::uint8_t* const entry = find_entry(address, static_cast<const std::uint8_t*>(tables));
    if (entry == nullptr) return {};
    Bytes bytes = entry_at(entry);
    const std::uint8_t* const here = bytes.at();
    const std::uint32_t back = bytes.number<std::uint32_t>();
    if (back == 0) return {};
    const Common common = read_common(here - back);
    if (!common.is_known) return {};
    const std::uintptr_t begin = read_pointer(bytes, common.pointers);
    const std::uintptr_t length = read_pointer(bytes, common.pointers & kFormat);
    if (address < begin || address - begin >= length) return {};
    if (function != nullptr) *function = {begin, begin + length};
    if (common.has_data) {
        Bytes data = bytes.take(bytes.unsigned_leb());
        if (function != nullptr) function->exceptions = read_exceptions(data, common.exceptions);
    }
    Interpreter interpreter(common, begin, address);
    if (!interpreter.run(common.instructions)) return {};
    interpreter.keep_as_first();
    if (!interpreter.run(bytes)) return {};
    FrameRule rule = interpreter.row().rule;
    if (interpreter.row().is_outermost) rule.cfa_is = FrameRule::Cfa::kOutermost;
    return rule;
}

} // namespace teff::probe::trace
