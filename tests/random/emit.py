# SPDX-License-Identifier: Apache-2.0
def emit(root):
    return ""
