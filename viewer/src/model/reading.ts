// SPDX-License-Identifier: Apache-2.0
// What the server says while it reads a large recording: the first screen, and how far it has come.
import { fail, ok, type Result } from '../base/result';
import { isRecord } from './columns';

/** The sums that the recorder kept of one process. */
export interface FirstScreen {
  title: string;
  /** What the figures are, and how good. */
  about: string;
  /** Name, value and remark. */
  rows: [string, string, string][];
}

export interface Reading {
  state: 'reading' | 'ready' | 'failed';
  /** Why it failed. */
  problem: string;
  /** What is being done. */
  step: string;
  /** Of one process, in bytes. */
  read: number;
  bytes: number;
  first: FirstScreen[];
}

const isText = (value: unknown): value is string => typeof value === 'string';

function isRow(value: unknown): value is [string, string, string] {
  return Array.isArray(value) && value.length === 3 && value.every(isText);
}

function decodeFirst(value: unknown): Result<FirstScreen> {
  if (!isRecord(value)) return fail('a first screen is no object.');
  const { title, about, rows } = value;
  if (!isText(title) || !isText(about) || !Array.isArray(rows) || !rows.every(isRow))
    return fail('a first screen lacks its title, its text or its rows.');
  return ok({ title, about, rows });
}

/** Decodes the answer to reading.json. */
export function decodeReading(text: string): Result<Reading> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return fail(`reading.json is no JSON: ${(error as Error).message}`);
  }
  if (!isRecord(value)) return fail('reading.json is no object.');
  const { state, problem, step, read, bytes, first } = value;
  if (state !== 'reading' && state !== 'ready' && state !== 'failed') return fail('reading.json has no state.');
  if (!isText(problem) || !isText(step) || typeof read !== 'number' || typeof bytes !== 'number')
    return fail('reading.json lacks a field.');
  const screens: FirstScreen[] = [];
  for (const one of Array.isArray(first) ? first : []) {
    const screen = decodeFirst(one);
    if (!screen.ok) return screen;
    screens.push(screen.value);
  }
  return ok({ state, problem, step, read, bytes, first: screens });
}
