// SPDX-License-Identifier: Apache-2.0
// Times: instants since the start of the recording, and durations.
import type { Brand, Column64 } from './brand';

/** A time in nanoseconds. */
export type Ns = Brand<'Ns'>;
export type NsColumn = Column64<Ns>;

/** Takes a number as a time in nanoseconds, such as the difference of two times. */
export function ns(value: number): Ns {
  return value as Ns;
}
