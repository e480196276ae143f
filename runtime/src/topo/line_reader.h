// SPDX-License-Identifier: Apache-2.0
// Reads a small file of the kernel line by line. The reader skips lines longer than its buffer: the
// lines that callers look for are shorter. A file that cannot be read counts as a file without
// lines.
//
// A LineReader is used by one thread. It owns its file descriptor and its buffer. The buffer is on
// the heap, because the stack may be small.
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

    // Returns the next line without its newline, or nothing at the end of the file. The line is
    // valid until the next call.
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
    // Reads more bytes and puts them behind the incomplete line in the buffer. Returns false at the
    // end of the file or after an error.
    bool fill() {
        if (begin_ == 0 && end_ == kBytes) {
            skipping_ = true; // the line is too long: the rest of the line is skipped, too
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
    std::size_t begin_ = 0; // buffer_[begin_, end_) is read and not yet returned
    std::size_t end_ = 0;
};

} // namespace teff::topo
