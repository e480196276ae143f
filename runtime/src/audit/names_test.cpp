// SPDX-License-Identifier: Apache-2.0
#include "audit/names.h"

#include <gtest/gtest.h>

namespace {

using teff::audit::is_libgomp;

TEST(AuditNames, KnowsLibgompByItsNameAndByThoseOfCopies) {
    for (const char* name : {"libgomp.so.1", "libgomp.so.1.0.0", "/usr/lib/libgomp.so.1", "libgomp-e985bcbb.so.1.0.0",
                             "/a-b/scikit_learn.libs/libgomp-a34b3233.so.1", "$ORIGIN/libgomp-24e2ab19.so.1.0.0"})
        EXPECT_TRUE(is_libgomp(name)) << name;
}

TEST(AuditNames, LeavesOtherLibrariesAlone) {
    for (const char* name :
         {"", "/", "libgomp", "libgomp.so", "libgomp.so.2", "libgomp.so.10", "libgomp.so.1.debug", "libgomp-.so.1",
          "libgomp-plugin-nvptx.so.1", "libgomp-add.so.1", "libgomp-e985bcbb.so.2", "libgompx.so.1", "libomp.so.5",
          "libiomp5.so", "/libgomp.so.1/libm.so.6", "mylibgomp.so.1"})
        EXPECT_FALSE(is_libgomp(name)) << name;
}

} // namespace
