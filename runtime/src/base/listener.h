// SPDX-License-Identifier: Apache-2.0
// For tests: while a Listener lives, standard error is a pipe that the test can read.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace teff::base {

class Listener {
  public:
    Listener() : before_(dup(STDERR_FILENO)) {
        EXPECT_EQ(pipe2(ends_, O_NONBLOCK), 0);
        dup2(ends_[1], STDERR_FILENO);
    }
    ~Listener() {
        dup2(before_, STDERR_FILENO);
        for (const int end : {before_, ends_[0], ends_[1]})
            close(end);
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    std::string heard() {
        std::string text(1 << 17, ' ');
        const ssize_t bytes = read(ends_[0], text.data(), text.size());
        text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
        return text;
    }
    // Fills the pipe and makes it blocking: from now on a write to standard error would wait.
    void fill() {
        const std::string piece(4096, 'x');
        while (write(ends_[1], piece.data(), piece.size()) > 0) {
        }
        fcntl(ends_[1], F_SETFL, 0);
    }

  private:
    int ends_[2] = {};
    int before_;
};

} // namespace teff::base
