// SPDX-License-Identifier: Apache-2.0
#include "audit/names.h"

#include <gtest/gtest.h>

namespace {

using teff::audit::is_libomptarget;
using teff::audit::is_runtime;

TEST(AuditNames, KnowsRuntimesByTheirNamesAndByThoseOfCopies) {
    for (const char* name : {"libgomp.so.1", "libgomp.so.1.0.0", "/usr/lib/libgomp.so.1", "libgomp-e985bcbb.so.1.0.0",
                             "/a-b/scikit_learn.libs/libgomp-a34b3233.so.1", "$ORIGIN/libgomp-24e2ab19.so.1.0.0",
                             "libomp.so.5", "/usr/lib/llvm-19/lib/libomp.so.5", "libomp.so", "libomp5.so",
                             "libomp-8a2bcdef.so.5", "libiomp5.so", "/mkl/libiomp5.so", "libiomp5-0123abcd.so"})
        EXPECT_TRUE(is_runtime(name)) << name;
}

TEST(AuditNames, LeavesOtherLibrariesAlone) {
    for (const char* name : {"",
                             "/",
                             "libgomp",
                             "libgomp.so",
                             "libgomp.so.2",
                             "libgomp.so.10",
                             "libgomp.so.1.debug",
                             "libgomp-.so.1",
                             "libgomp-plugin-nvptx.so.1",
                             "libgomp-add.so.1",
                             "libgomp-e985bcbb.so.2",
                             "libgompx.so.1",
                             "libomp.so.6",
                             "libompd.so",
                             "libomptarget.so",
                             "libomptarget.so.19.1",
                             "libompt.so.5",
                             "libiomp5_db.so",
                             "libiompstubs5.so",
                             "libnvomp.so",
                             "/libgomp.so.1/libm.so.6",
                             "mylibgomp.so.1"})
        EXPECT_FALSE(is_runtime(name)) << name;
}

TEST(AuditNames, KnowsTheLibraryForDevices) {
    EXPECT_TRUE(is_libomptarget("/usr/lib/llvm-19/lib/libomptarget.so.19.1"));
    EXPECT_FALSE(is_libomptarget("libomp.so.5"));
}

} // namespace
