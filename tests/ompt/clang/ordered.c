// SPDX-License-Identifier: Apache-2.0
// Ordered loops: those whose iterations the runtime hands out, and a nest with cross-iteration
// dependences, of which a sink without an iteration has no event.
//
// count: work.loop*.begin 2*T
// count: work.loop*.end 2*T
// count: acquire.ordered 6
// count: acquired.ordered 6
// count: released.ordered 6
// count: dependences 4+3

int main(void) {
    int last = -1, wrong = 0;
#pragma omp parallel
    {
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 6; ++i) {
#pragma omp ordered
            {
                wrong += last != i - 1;
                last = i;
            }
        }
#pragma omp for ordered(1) schedule(static)
        for (int i = 0; i < 4; ++i) {
#pragma omp ordered depend(sink : i - 1)
            wrong += last != i + (i == 0 ? 5 : 9);
            last = i + 10;
#pragma omp ordered depend(source)
        }
    }
    return wrong;
}
