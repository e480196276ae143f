// SPDX-License-Identifier: Apache-2.0
// Uses features of C++: tasks that throw and catch exceptions, a reduction over a class, and loops
// over iterators.
//
// count: task_create.explicit 12
// count: schedule.complete 12
// count: work.loop_dynamic.begin T

#include <stdexcept>
#include <string>
#include <vector>

struct Longest {
    std::string text;
    void take(const std::string& other) {
        if (other.size() > text.size()) text = other;
    }
};
#pragma omp declare reduction(longest : Longest : omp_out.take(omp_in.text))

int main() {
    std::vector<std::string> words;
    for (int i = 0; i < 12; ++i)
        words.push_back(std::string(1 + i * 5 % 12, 'x'));
    Longest longest;
#pragma omp parallel for schedule(dynamic) reduction(longest : longest)
    for (auto word = words.begin(); word < words.end(); ++word)
        longest.take(*word);
    int caught = 0;
#pragma omp parallel
#pragma omp single
    for (auto& word : words) {
#pragma omp task shared(caught, word)
        try {
            if (word.size() % 2) throw std::runtime_error(word);
        } catch (const std::runtime_error&) {
#pragma omp atomic
            ++caught;
        }
    }
    return longest.text.size() != 12 || caught != 6;
}
