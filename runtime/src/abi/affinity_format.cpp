// SPDX-License-Identifier: Apache-2.0
#include "abi/affinity_format.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

#include "abi/current.h"
#include "abi/omp_routines.h"
#include "base/report.h"
#include "base/uncancelled.h"
#include "sync/mutex.h"
#include "topo/processors.h"

namespace teff::abi {

namespace {

constinit bool as_libomp = false;
constinit sync::Mutex format_lock;
char* set_format TEFF_GUARDED_BY(format_lock) = nullptr; // null: never set

std::string_view process_format() TEFF_REQUIRES(format_lock) {
    return set_format != nullptr ? std::string_view(set_format) : icv::global().affinity_format;
}

// Counts the bytes of all texts that are added, and keeps in the buffer those that fit.
class Text {
  public:
    Text(char* buffer, std::size_t size) : buffer_(buffer), size_(size) {}

    void add(std::string_view text) {
        if (length_ < size_) std::memcpy(buffer_ + length_, text.data(), std::min(text.size(), size_ - length_));
        length_ += text.size();
    }

    void repeat(char c, std::size_t times) {
        while (times-- > 0)
            add({&c, 1});
    }

    std::size_t length() const { return length_; }

  private:
    char* buffer_;
    std::size_t size_;
    std::size_t length_ = 0;
};

// One field of a format: %[0][.][width]type, where type is a letter or a name in braces.
struct Field {
    bool zeros = false, right = false;
    std::size_t width = 0;
    char type = '\0'; // '\0': an unknown type
};

struct LongName {
    std::string_view name;
    char type;
};

constexpr LongName kLongNames[] = {
    {"team_num", 't'},         {"num_teams", 'T'},       {"nesting_level", 'L'}, {"thread_num", 'n'},
    {"num_threads", 'N'},      {"ancestor_tnum", 'a'},   {"host", 'H'},          {"process_id", 'P'},
    {"native_thread_id", 'i'}, {"thread_affinity", 'A'},
};

char take(std::string_view& text) {
    if (text.empty()) return '\0';
    const char c = text.front();
    text.remove_prefix(1);
    return c;
}

bool take_if(std::string_view& text, char wanted) {
    if (!text.starts_with(wanted)) return false;
    text.remove_prefix(1);
    return true;
}

char take_type(std::string_view& text) {
    if (!take_if(text, '{')) return take(text);
    const std::size_t end = std::min(text.find('}'), text.size());
    const std::string_view name(text.data(), end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto* found = std::ranges::find(kLongNames, name, &LongName::name);
    return found == std::end(kLongNames) ? '\0' : found->type;
}

Field take_field(std::string_view& text) {
    Field field;
    const bool has_zero = take_if(text, '0'); // libgomp refuses one without a point, in libomp it has no effect
    field.right = take_if(text, '.');
    field.zeros = has_zero && field.right;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9')
        field.width = std::min<std::size_t>(field.width * 10 + static_cast<std::size_t>(take(text) - '0'), 4096);
    field.type = take_type(text);
    return field;
}

// Adds a value with the padding of its field. Padding zeros follow the sign or the 0x.
void add_padded(Text& text, const Field& field, std::string_view value) {
    const std::size_t padding = field.width > value.size() ? field.width - value.size() : 0;
    if (field.zeros) {
        const std::size_t prefix = value.starts_with("0x") ? 2 : value.starts_with('-') ? 1 : 0;
        text.add({value.data(), prefix});
        text.repeat('0', padding);
        value.remove_prefix(prefix);
        return text.add(value);
    }
    if (field.right) text.repeat(' ', padding);
    text.add(value);
    if (!field.right) text.repeat(' ', padding);
}

// Writes the processors that the calling thread may use, such as 0-3,8. Not inlined, because the
// set is large for a stack.
[[gnu::noinline]] std::size_t write_processors(char* buffer, std::size_t size) {
    constexpr unsigned kEnd = topo::ProcessorSet::kCapacity;
    const topo::ProcessorSet mask = topo::affinity_mask();
    Text text(buffer, size);
    for (unsigned first = mask.next(0); first < kEnd;) {
        unsigned last = first;
        while (mask.has(last + 1))
            ++last;
        char range[32];
        const char between = last == first + 1 && as_libomp ? ',' : '-';
        const int length = last == first ? std::snprintf(range, sizeof range, "%u", first)
                                         : std::snprintf(range, sizeof range, "%u%c%u", first, between, last);
        if (text.length() != 0) text.add(",");
        text.add({range, static_cast<std::size_t>(length)});
        first = last + 1 < kEnd ? mask.next(last + 1) : kEnd;
    }
    return std::min(text.length(), size);
}

std::size_t write_number(char* buffer, std::size_t size, int number) {
    return static_cast<std::size_t>(std::snprintf(buffer, size, "%d", number));
}

std::size_t write_native_number(char* buffer, std::size_t size) {
    if (as_libomp) return write_number(buffer, size, gettid());
    return static_cast<std::size_t>(std::snprintf(buffer, size, "0x%" PRIxPTR, std::uintptr_t{pthread_self()}));
}

std::size_t write_host(char* buffer, std::size_t size) {
    return gethostname(buffer, size) == 0 ? strnlen(buffer, size) : 0;
}

// The specification requires "undefined" for unknown values.
std::size_t write_value(char* buffer, std::size_t size, char type) {
    const Place place = current_place();
    switch (type) {
    case 't':
        return write_number(buffer, size, omp_get_team_num());
    case 'T':
        return write_number(buffer, size, omp_get_num_teams());
    case 'L':
        return write_number(buffer, size, to_int(place.level));
    case 'n':
        return write_number(buffer, size, to_int(place.number));
    case 'N':
        return write_number(buffer, size, to_int(place.size));
    case 'a':
        return write_number(buffer, size, omp_get_ancestor_thread_num(to_int(place.level) - 1));
    case 'P':
        return write_number(buffer, size, getpid());
    case 'i':
        return write_native_number(buffer, size);
    case 'H':
        return write_host(buffer, size);
    case 'A':
        return write_processors(buffer, size);
    default:
        return static_cast<std::size_t>(std::snprintf(buffer, size, "undefined"));
    }
}

void add_field(Text& text, const Field& field) {
    char value[512];
    add_padded(text, field, {value, write_value(value, sizeof value, field.type)});
}

std::size_t write(char* buffer, std::size_t size, std::string_view format) {
    Text text(buffer, size);
    while (!format.empty()) {
        const std::size_t plain = std::min(format.find('%'), format.size());
        text.add({format.data(), plain});
        format.remove_prefix(plain);
        if (!take_if(format, '%')) break;
        if (take_if(format, '%')) text.add("%");
        else add_field(text, take_field(format));
    }
    return text.length();
}

} // namespace

void write_affinity_as(icv::Precedence runtime) { as_libomp = runtime == icv::Precedence::of_libomp; }

void set_affinity_format(std::string_view format) {
    char* copy = strndup(format.data(), format.size());
    if (copy == nullptr) base::fatal(ENOMEM, "no memory for the affinity format");
    const sync::MutexGuard guard(format_lock);
    char* before = set_format;
    set_format = copy; // one store, so that a child forked meanwhile has either the old or the new format
    std::free(before);
}

void forget_affinity_format_users() { ::new (&format_lock) sync::Mutex; }

std::size_t copy_affinity_format(char* buffer, std::size_t size) {
    const sync::MutexGuard guard(format_lock);
    Text text(buffer, size);
    text.add(process_format());
    return text.length();
}

std::size_t write_affinity(char* buffer, std::size_t size, std::string_view format) {
    first_use();
    if (!format.empty()) return write(buffer, size, format);
    const sync::MutexGuard guard(format_lock);
    return write(buffer, size, process_format());
}

void print_affinity(std::string_view format) {
    const base::Uncancelled whole;
    const std::size_t room = write_affinity(nullptr, 0, format);
    auto* line = static_cast<char*>(std::malloc(room + 1)); // not on the stack, which may be small
    if (line == nullptr) return;
    const std::size_t length = std::min(write_affinity(line, room, format), room);
    line[length] = '\n';
    std::fwrite(line, 1, length + 1, as_libomp ? stdout : stderr);
    std::free(line);
}

} // namespace teff::abi
