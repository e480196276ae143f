// SPDX-License-Identifier: Apache-2.0
//
// C++ in target regions: objects, lambdas, exceptions, containers and virtual functions.
#include <cstdio>
#include <omp.h>
#include <stdexcept>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual int area() const = 0;
};
struct Square : Shape {
    explicit Square(int side) : side(side) {}
    int area() const override { return side * side; }
    int side;
};

struct Vector {
    int* data;
    int size;

    int sum() {
        int result = 0;
#pragma omp target map(to : data[0 : size]) map(tofrom : result)
        for (int i = 0; i < size; ++i)
            result += data[i];
        return result;
    }
};

static int failures = 0;
static void check(bool holds, const char* what) {
    if (holds) return;
    std::printf("wrong: %s\n", what);
    ++failures;
}

int main() {
    int caught = 0, area = 0, size = 0;
#pragma omp target map(from : caught, area, size)
    {
        try {
            throw std::runtime_error("inside");
        } catch (const std::exception& error) {
            caught = error.what()[0];
        }
        const Shape* const shape = new Square(5);
        area = shape->area();
        delete shape;
        std::vector<int> made_here(3, 1);
        made_here.push_back(2);
        size = static_cast<int>(made_here.size());
    }
    check(caught == 'i', "an exception");
    check(area == 25, "a virtual function of an object made in the region");
    check(size == 4, "a vector made in the region");

    int factor = 3, result = 0;
    const auto multiply = [factor](int x) { return factor * x; };
#pragma omp target map(from : result)
    result = multiply(7);
    check(result == 21, "a lambda");

    int numbers[4] = {1, 2, 3, 4};
    Vector vector = {numbers, 4};
    check(vector.sum() == 10, "a member's section");

    Square square(6);
#pragma omp target map(to : square) map(from : result)
    {
        const Shape& shape = square;
        result = shape.area();
    }
    check(result == 36, "a virtual function of a mapped object");
    check(square.area() == 36, "the object is unchanged");
    std::printf("%d devices, %s\n", omp_get_num_devices(), failures == 0 ? "ok" : "wrong");
    return failures;
}
