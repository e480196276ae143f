// SPDX-License-Identifier: Apache-2.0
//
// Reads the small files below /sys/devices/system, in which the kernel describes the machine.
// `root` is prepended to each path: "" for the real files, another folder for the files of a test.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string_view>

#include "topo/line_reader.h"
#include "topo/processor_set.h"

namespace teff::topo {

class SystemPath {
  public:
    template <class... Numbers> SystemPath(const char* root, const char* format, Numbers... numbers) {
        const int used = std::snprintf(text_.data(), text_.size(), "%s/sys/devices/system/", root);
        const auto prefix = static_cast<std::size_t>(used);
        if (used < 0 || prefix >= text_.size()) text_[0] = '\0';
        else std::snprintf(text_.data() + prefix, text_.size() - prefix, format, numbers...);
    }
    const char* c_str() const { return text_.data(); }

  private:
    std::array<char, 512> text_;
};

inline std::optional<ProcessorSet> read_list(const SystemPath& path) {
    LineReader file(path.c_str());
    const auto line = file.next();
    return line ? parse_processor_list(*line) : std::nullopt;
}

inline unsigned read_number(const SystemPath& path) {
    LineReader file(path.c_str());
    const std::string_view line = file.next().value_or(std::string_view());
    unsigned value = 0;
    for (const char c : line) {
        if (c < '0' || c > '9' || value > 1000) return 0;
        value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value;
}

} // namespace teff::topo
