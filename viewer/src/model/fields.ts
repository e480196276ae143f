// SPDX-License-Identifier: Apache-2.0
// Reads plain JSON objects and lists, and checks their types.
import { fail, ok, type Result } from '../base/result';
import { isRecord } from './columns';

export type FieldType = 'string' | 'number' | 'boolean';

/** Copies the named fields of a record, checking their types. `null` stands for a number that is not finite. */
export function decodeFields(
  value: unknown,
  fields: Readonly<Record<string, FieldType>>,
  name: string,
): Result<Record<string, unknown>> {
  if (!isRecord(value)) return fail(`${name}: expected an object.`);
  const result: Record<string, unknown> = {};
  for (const [field, type] of Object.entries(fields)) {
    const given = type === 'number' && value[field] === null ? Number.NaN : value[field];
    if (typeof given !== type) return fail(`${name}.${field}: expected a ${type}, found ${typeof given}.`);
    result[field] = given;
  }
  return ok(result);
}

export function decodeList<T>(value: unknown, fields: Readonly<Record<string, FieldType>>, name: string): Result<T[]> {
  if (!Array.isArray(value)) return fail(`${name}: expected a list.`);
  const list: T[] = [];
  for (const [row, entry] of value.entries()) {
    const decoded = decodeFields(entry, fields, `${name}[${row}]`);
    if (!decoded.ok) return decoded;
    list.push(decoded.value as T);
  }
  return ok(list);
}

export function decodeTexts(value: unknown, name: string): Result<string[]> {
  if (!Array.isArray(value) || value.some((text) => typeof text !== 'string'))
    return fail(`${name}: expected a list of strings.`);
  return ok(value);
}
