// SPDX-License-Identifier: Apache-2.0
// A library that is no tool.

int ompt_nothing(void) { return 0; }
