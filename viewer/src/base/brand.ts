// SPDX-License-Identifier: Apache-2.0
// Branded numbers: kinds of numbers that only the compiler distinguishes. At run time a branded
// number is a plain number. A branded number can be used as a number; a plain number becomes a
// branded number by the constructor of its kind.

declare const KINDS: unique symbol;

/** A number of the kind `Name`. A number of two kinds, such as NONE in model/ids.ts, fits both. */
export type Brand<Name extends string> = number & { readonly [KINDS]: { readonly [Kind in Name]: true } };

/** A column of unsigned 16-bit numbers of the kind T. */
export interface Column16<T extends number> extends Uint16Array {
  [row: number]: T;
  [Symbol.iterator](): ArrayIterator<T>;
  entries(): ArrayIterator<[number, T]>;
  at(row: number): T | undefined;
  find(wanted: (value: T, row: number, column: this) => boolean): T | undefined;
}

/** A column of unsigned 32-bit numbers of the kind T. */
export interface Column32<T extends number> extends Uint32Array {
  [row: number]: T;
  [Symbol.iterator](): ArrayIterator<T>;
  entries(): ArrayIterator<[number, T]>;
  at(row: number): T | undefined;
  find(wanted: (value: T, row: number, column: this) => boolean): T | undefined;
  filter(wanted: (value: T, row: number, column: this) => unknown): Column32<T> & Uint32Array<ArrayBuffer>;
  some(wanted: (value: T, row: number, column: this) => unknown): boolean;
  subarray(from?: number, to?: number): Column32<T>;
}

/** A column of double-precision numbers of the kind T. */
export interface Column64<T extends number> extends Float64Array {
  [row: number]: T;
  [Symbol.iterator](): ArrayIterator<T>;
  entries(): ArrayIterator<[number, T]>;
  at(row: number): T | undefined;
}
