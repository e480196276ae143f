// SPDX-License-Identifier: Apache-2.0
//
// Cases of C++'s library: streams that several threads use.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "case.h"

static int writes() {
    std::ofstream file("written");
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
#pragma omp critical
        file << i << " of the forty\n";
    }
    return 1;
}

static int writes_own() {
#pragma omp parallel
    {
        std::ofstream file("written" + std::to_string(omp_get_thread_num()));
#pragma omp for
        for (int i = 0; i < 40; i++)
            file << i << " of the forty\n";
    }
    return 1;
}

static int prints() {
    std::ios::sync_with_stdio(false);
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 400; i++) {
#pragma omp critical
        std::cout << i << "\n";
    }
    std::cout << "end\n";
    std::exit(0);
}

static int reads() {
    long count = 0, sum = 0, in_order = 1;
    std::ios::sync_with_stdio(false);
#pragma omp parallel
    {
        int number, more = 1;
#pragma omp barrier
        while (more) {
#pragma omp critical
            {
                more = static_cast<bool>(std::cin >> number);
                if (more) {
                    in_order &= number == count;
                    count++;
                    sum += number;
                }
            }
        }
    }
    std::cout << count << " " << sum << "\n";
    std::exit(in_order ? 0 : 1);
}

static const a_case cases[] = {
    {"writes", writes},
    {"writes_own", writes_own},
    {"prints", prints},
    {"reads", reads},
};

int main(int argc, char** argv) { return argc == 2 ? run_case(cases, sizeof cases / sizeof *cases, argv[1]) : 2; }
