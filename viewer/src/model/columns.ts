// SPDX-License-Identifier: Apache-2.0
// Decodes columns, {"type": "f64", "data": "<base64, little-endian>"}, to typed arrays.
import { decodeBase64 } from '../base/base64';
import { fail, ok, type Result } from '../base/result';

const ARRAYS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

export type ColumnType = keyof typeof ARRAYS;
export type Column<T extends ColumnType> = InstanceType<(typeof ARRAYS)[T]>;
/** The type of a column in a view model, from the type of that column in memory. */
type TypeOf<C> = { [T in ColumnType]: C extends Tagged<Column<T>> ? T : never }[ColumnType];
type Tagged<C extends Column<ColumnType>> = { readonly [Symbol.toStringTag]: C[typeof Symbol.toStringTag] };
/** The columns of a table, from the type of that table in memory. */
export type Layout<T> = { readonly [Name in keyof T]: TypeOf<T[Name]> };

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One column. `name` is where it stands in the file, for messages. */
export function decodeColumn<T extends ColumnType>(value: unknown, type: T, name: string): Result<Column<T>> {
  if (!isRecord(value)) return fail(`${name}: the column is missing.`);
  if (value.type !== type) return fail(`${name}: expected a column of ${type}, found ${String(value.type)}.`);
  const bytes = typeof value.data === 'string' ? decodeBase64(value.data) : undefined;
  if (!bytes) return fail(`${name}: the data is not base64.`);
  const ArrayType = ARRAYS[type];
  if (bytes.length % ArrayType.BYTES_PER_ELEMENT !== 0)
    return fail(`${name}: ${bytes.length} bytes are not a whole number of ${type} values.`);
  return ok(new ArrayType(bytes.buffer) as Column<T>);
}

/** A table of columns, all of the same length. What kinds of numbers its columns hold is said by T. */
export function decodeTable<T>(value: unknown, layout: Layout<T>, name: string): Result<T> {
  if (!isRecord(value)) return fail(`${name}: the table is missing.`);
  const table: Record<string, unknown> = {};
  let rows: { count: number; column: string } | undefined;
  for (const [column, type] of Object.entries<ColumnType>(layout)) {
    const decoded = decodeColumn(value[column], type, `${name}.${column}`);
    if (!decoded.ok) return decoded;
    const { length } = decoded.value;
    rows ??= { count: length, column };
    if (length !== rows.count)
      return fail(`${name}.${column}: ${length} rows, but ${name}.${rows.column} has ${rows.count}.`);
    table[column] = decoded.value;
  }
  return ok(table as T);
}
