// SPDX-License-Identifier: Apache-2.0
// The values of ids that stand for "none" in the columns of a view model.

/** Row number that means "none". */
export const NONE = 0xffffffff;

/** Number of a worker or core that means "none", or "not known". */
export const NOBODY = 0xffff;
