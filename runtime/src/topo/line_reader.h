// SPDX-License-Identifier: Apache-2.0
// Reads a small file of the kernel line by line. It skips lines longer than the buffer: the lines
// that are looked for are shorter. A file that cannot be read has no lines.
//
// Owner: one thread. It owns its file descriptor and its buffer, which is not on the stack, as the
// stack may be small.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace teff::topo {

class LineReader {
  public:
    explicit LineReader(const char* path)
        : buffer_(static_cast<char*>(std::malloc(kBytes))),
          file_(buffer_ != nullptr ? open(path, O_RDONLY | O_CLOEXEC) : -1) {}
    ~LineReader() {
        if (file_ >= 0) close(file_);
        std::free(buffer_);
    }
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    // The next line without its end; valid until the next call.
    std::optional<std::string_view> next() {
        for (;;) {
            if (file_ < 0) return std::nullopt;
            const char* const line = buffer_ + begin_;
            if (const void* const found = std::memchr(line, '\n', end_ - begin_)) {
                const std::size_t size = static_cast<std::size_t>(static_cast<const char*>(found) - line);
                begin_ += size + 1;
                if (!std::exchange(skipping_, false)) return std::string_view(line, size);
            } else if (!fill()) {
                return last_line();
            }
        }
    }

  private:
    // Reads on behind the part of a line that is there. False at the end of the file.
    bool fill() {
        if (begin_ == 0 && end_ == kBytes) {
            skipping_ = true; // too long: what is left of it goes, too
            end_ = 0;
        }
        std::memmove(buffer_, buffer_ + begin_, end_ - begin_);
        end_ -= std::exchange(begin_, 0);
        const ssize_t got = read(file_, buffer_ + end_, kBytes - end_);
        if (got <= 0) return false;
        end_ += static_cast<std::size_t>(got);
        return true;
    }

    std::optional<std::string_view> last_line() {
        const std::size_t begin = std::exchange(begin_, end_);
        if (begin == end_ || skipping_) return std::nullopt;
        return std::string_view(buffer_ + begin, end_ - begin);
    }

    static constexpr std::size_t kBytes = 4096;

    char* buffer_;
    int file_;
    bool skipping_ = false;
    std::size_t begin_ = 0; // buffer_[begin_, end_) was read and not yet returned
    std::size_t end_ = 0;
};

} // namespace teff::topo
