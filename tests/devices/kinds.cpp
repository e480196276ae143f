// SPDX-License-Identifier: Apache-2.0
//
// The map kinds of C++: references, members of objects, and sections without elements of them.
#include <cstdio>
#include <omp.h>

namespace {

int failures = 0;

void check(bool holds, const char* what) {
    if (holds) return;
    std::printf("wrong: %s\n", what);
    ++failures;
}

class Numbers {
  public:
    Numbers(int* data, int count) : data_(data), other_(data), count_(count) {}
    int sum() {
        int result = 0;
#pragma omp target map(to : data_[0 : count_]) map(to : other_[ : 0]) map(from : result)
        {
            result = 0;
            for (int i = 0; i < count_; ++i)
                result += data_[i] + other_[i];
        }
        return result;
    }
    void keep() {
#pragma omp target enter data map(to : data_[0 : count_])
    }
    int sum_of_kept() {
        int result = 0;
#pragma omp target map(to : data_[ : 0]) map(tofrom : result)
        for (int i = 0; i < count_; ++i)
            result += data_[i];
        return result;
    }
    void forget() {
#pragma omp target exit data map(from : data_[0 : count_])
    }

  private:
    int* data_;
    int* other_;
    int count_;
};

void change(int*& pointer, int& number, int (&array)[4], int count) {
#pragma omp target map(tofrom : pointer[0 : count], number, array)
    {
        pointer[1] = 10;
        number = 20;
        array[2] = 30;
    }
}

int first_of_present(int*& pointer, int none) {
    int result = -1;
#pragma omp target data map(to : pointer[0 : 4])
    {
#pragma omp target map(to : pointer[0 : none]) map(from : result)
        result = pointer[0];
    }
    return result;
}

int through_device_address(int (&array)[4]) {
    int result = -1;
#pragma omp target data map(to : array) use_device_addr(array)
    {
#pragma omp target has_device_addr(array) map(from : result)
        result = array[2];
    }
    return result;
}

} // namespace

int main() {
    int data[4] = {1, 2, 3, 4}, array[4] = {5, 6, 7, 8}, number = 0;
    int* pointer = data;
    Numbers numbers(data, 4);
    check(numbers.sum() == 20, "sections of members");
    numbers.keep();
    check(numbers.sum_of_kept() == 10, "a member's section without elements");
    numbers.forget();
    change(pointer, number, array, 4);
    check(data[1] == 10 && number == 20 && array[2] == 30 && pointer == data, "references");
    check(first_of_present(pointer, 0) == 1, "a reference's section without elements");
    check(through_device_address(array) == 30, "has_device_addr");
    std::printf("%d devices, %s\n", omp_get_num_devices(), failures == 0 ? "ok" : "failed");
    return failures != 0;
}
