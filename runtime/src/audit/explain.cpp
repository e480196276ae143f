// SPDX-License-Identifier: Apache-2.0
#include "audit/explain.h"

#include <fcntl.h>
#include <linux/limits.h>

#include "audit/names.h"
#include "base/system_call.h"

namespace teff::audit::explain {

namespace {

constexpr char kVariable[] = "_TEFF_EXPLAIN=";
constexpr int kStandardError = 2;

bool is_on = false;

class Line {
  public:
    Line& operator<<(const char* text) {
        for (; *text != '\0' && bytes_ < sizeof text_ - 1; ++text)
            text_[bytes_++] = *text;
        return *this;
    }
    void print() {
        text_[bytes_++] = '\n';
        base::call(SYS_write, kStandardError, text_, bytes_);
    }

  private:
    char text_[2 * PATH_MAX];
    unsigned bytes_ = 0;
};

const char* words_for(const link_map* map) { return map->l_name[0] != '\0' ? map->l_name : "the program"; }

// Finds the variable in a text of lines that end with zeros, which comes in pieces.
class Search {
  public:
    void take(char letter) {
        if (letter == '\0') {
            at_ = 0;
            return;
        }
        if (at_ == kLost) return;
        at_ = kVariable[at_] == letter ? at_ + 1 : kLost;
        if (kVariable[at_ == kLost ? 0 : at_] != '\0') return;
        found_ = true;
        at_ = kLost;
    }
    bool found() const { return found_; }

  private:
    static constexpr unsigned kLost = ~0u; // until the next line
    unsigned at_ = 0;
    bool found_ = false;
};

} // namespace

void begin() {
    const long file = base::call(SYS_openat, AT_FDCWD, "/proc/self/environ", O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) return;
    Search search;
    char piece[512];
    for (long got; (got = base::call(SYS_read, file, piece, sizeof piece)) > 0;)
        for (long at = 0; at < got; ++at)
            search.take(piece[at]);
    base::call(SYS_close, file);
    is_on = search.found();
}

void request(const link_map* asks, const char* name, const char* runtime) {
    if (!is_on) return;
    Line line;
    line << "teff: " << words_for(asks) << " asks for " << file_name(name);
    if (runtime != nullptr) line << ": it gets Teff, " << runtime;
    else line << ", and uses libomptarget: it keeps this runtime";
    line.print();
}

void loaded(const link_map* map) {
    if (!is_on || !is_runtime_of_any_kind(map->l_name)) return;
    Line line;
    line << "teff: another runtime was loaded: " << map->l_name;
    line.print();
}

} // namespace teff::audit::explain
