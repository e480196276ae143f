// SPDX-License-Identifier: Apache-2.0
#include "device/mpi_launcher.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <poll.h>
#include <string_view>
#include <unistd.h>

#include "base/clock.h"

namespace teff::device::mpi {

namespace {

// Hydra sets both. Slurm sets the first, too, but may expect another version of the protocol.
constexpr const char* kDescriptorVariable = "PMI_FD";
constexpr const char* kHydraVariable = "MPI_LOCALNRANKS";
constexpr std::string_view kQuestion = "cmd=barrier_in\n", kAnswer = "cmd=barrier_out";
constexpr std::int64_t kLimit_ms = 10'000; // longer than the host waits for the ends of devices

int descriptor = -1; // set before the program's main, then only read

bool await_answer(std::uint64_t start_ns) {
    for (;;) {
        const auto passed_ms = static_cast<std::int64_t>((base::monotonic_ns() - start_ns) / 1'000'000);
        pollfd one = {descriptor, POLLIN, 0};
        const int ready = poll(&one, 1, static_cast<int>(std::max<std::int64_t>(kLimit_ms - passed_ms, 0)));
        if (ready >= 0 || errno != EINTR) return ready > 0;
    }
}

// Returns the length of the line, which `line` may be too short for; 0 if none comes.
std::size_t read_line(char* line, std::size_t size) {
    const std::uint64_t start_ns = base::monotonic_ns();
    for (std::size_t length = 0; await_answer(start_ns);) {
        char next;
        const ssize_t got = read(descriptor, &next, 1); // what follows the line is not for us
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        if (next == '\n') return length;
        if (length < size) line[length] = next;
        ++length;
    }
    return 0;
}

} // namespace

bool find_launcher() {
    const char* const text = std::getenv(kDescriptorVariable);
    if (text == nullptr || std::getenv(kHydraVariable) == nullptr) return false;
    descriptor = std::atoi(text);
    return descriptor > 0;
}

bool wait_at_launcher() {
    if (write(descriptor, kQuestion.data(), kQuestion.size()) != static_cast<ssize_t>(kQuestion.size())) return false;
    char line[kAnswer.size()];
    return read_line(line, sizeof line) >= sizeof line && kAnswer == std::string_view(line, sizeof line);
}

} // namespace teff::device::mpi
