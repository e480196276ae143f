// SPDX-License-Identifier: Apache-2.0
// Tasks with C++ objects by value, and an exception that stays inside its task.

#include <atomic>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

int main() {
    std::vector<std::string> words(100);
    std::atomic<int> caught{0};
#pragma omp parallel
#pragma omp single
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string word = "word " + std::to_string(i);
#pragma omp task firstprivate(word, i) shared(words, caught)
        try {
            words[i] = word;
            if (i % 10 == 0) throw std::runtime_error(word);
        } catch (const std::runtime_error& error) {
            if (error.what() == word) ++caught;
        }
    }
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i] != "word " + std::to_string(i)) return 1;
    std::cout << caught << " caught\n";
}
