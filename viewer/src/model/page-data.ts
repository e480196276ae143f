// SPDX-License-Identifier: Apache-2.0
// Reads the text of a page's data: a view model, a set of several, or two that are compared.
import { fail, type Result } from '../base/result';
import { isRecord } from './columns';
import { decodeModel } from './decode';
import type { Model } from './model';
import { decodePair, type Pair } from './pair';
import { decodeSet, type RunSet } from './run-set';

export type PageData = Model | Pair | RunSet;

export function decodeText(text: string): Result<PageData> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return fail(`The data is not JSON (${(error as Error).message}). Was the file cut short?`);
  }
  if (isRecord(json) && 'pair' in json) return decodePair(json);
  return isRecord(json) && 'set' in json ? decodeSet(json) : decodeModel(json);
}

export const isPair = (data: PageData): data is Pair => 'sides' in data;
export const isSet = (data: PageData): data is RunSet => 'points' in data;
