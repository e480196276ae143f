# SPDX-License-Identifier: Apache-2.0
#
# zydis_library and zydis_include: Zydis, which reads instructions, as a shared library in any
# prefix; or false, where there is none.

find_library(zydis_library libZydis.so)
find_path(zydis_include Zydis/Zydis.h)
