// SPDX-License-Identifier: Apache-2.0
// Situation: regions in handlers of atexit, in static destructors, and in a library's destructor, after the initial thread's main
// Catches: a runtime that ends its pool at exit, before the program has ended.
// library: at_exit.so at_exit.c
// flags: {dir}/at_exit.so -Wl,-rpath,{dir}

#include "../use_openmp.h"

extern "C" int at_exit_loaded(void);

namespace {

void at_exit() {
    use_openmp(4);
    use_nested_openmp(2, 2);
}

struct Static {
    Static() { use_openmp(2); }
    ~Static() { use_openmp(3); }
} object;

} // namespace

int main() {
    std::atexit(at_exit);
    use_openmp(3);
    return at_exit_loaded() == 1 ? 0 : 1;
}
