// SPDX-License-Identifier: Apache-2.0
// A program in C++ that does not know Teff: spread_cxx SPREAD NODES, with the arguments of judge.h.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "judge.h"

static std::vector<double> before_main(400000, 1.5);

struct alignas(64) Line {
    double values[8];
};

template <class Vector> static void judge_vector(const char* name, const Vector& vector) {
    judge_block(name, vector.data(), vector.size() * sizeof vector[0]);
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    judge_start("C++", argv[1], argv[2]);
    judge_vector("a vector before main", before_main);
    const std::vector<int> ints(1000000, 7);
    judge_vector("a vector", ints);
    const std::unique_ptr<Line[]> lines(new Line[50000]());
    judge_block("an array of aligned elements", lines.get(), 50000 * sizeof(Line));
    std::vector<float> made_by_a_thread;
    std::thread([&] { made_by_a_thread.assign(900000, 2.5f); }).join();
    judge_vector("a vector of a thread", made_by_a_thread);
    return judge_end();
}
