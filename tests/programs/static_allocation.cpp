// SPDX-License-Identifier: Apache-2.0
// Checks big allocations before main, and by the operators of C++: their values are right. If an
// argument is given, each also has the memory policy that the argument names (see allocations.c).
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

static std::vector<double> before_main(1 << 20, 1.5);

static bool has_policy(const void* address, const char* expected) {
    char line[4096], policy[64] = "none", found[64];
    std::FILE* maps = std::fopen("/proc/self/numa_maps", "r");
    unsigned long begin;
    while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr)
        if (std::sscanf(line, "%lx %63[^: \n]", &begin, found) == 2 &&
            begin <= reinterpret_cast<std::uintptr_t>(address))
            std::strcpy(policy, found);
    if (maps != nullptr) std::fclose(maps);
    if (std::strcmp(policy, expected) != 0) std::printf("%s instead of %s\n", policy, expected);
    return std::strcmp(policy, expected) == 0;
}

struct alignas(256) Wide {
    double values[32];
};

int main(int argc, char** argv) {
    std::vector<int> growing;
    for (int i = 0; i < 3000000; ++i)
        growing.push_back(i);
    Wide* const wide = new Wide[20000];
    wide[19999].values[31] = 2.5;
    bool good = before_main[before_main.size() - 1] == 1.5 && growing[2999999] == 2999999 &&
                reinterpret_cast<std::uintptr_t>(wide) % 256 == 0;
    const void* const blocks[] = {&before_main[5000], &growing[5000], wide + 5000};
    for (const void* block : blocks)
        good = (argc < 2 || has_policy(block, argv[1])) && good;
    delete[] wide;
    return good ? 0 : 1;
}
