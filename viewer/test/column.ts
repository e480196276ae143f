// SPDX-License-Identifier: Apache-2.0
// Columns of numbers in the format of a view model.
type ColumnType = 'u8' | 'u16' | 'u32' | 'f32' | 'f64';
const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };

export function column(type: ColumnType, values: ArrayLike<number>): { type: string; data: string } {
  const array = ARRAYS[type].from(values);
  return { type, data: Buffer.from(array.buffer).toString('base64') };
}
