// SPDX-License-Identifier: Apache-2.0
// The folders are the architecture: an import may only follow these arrows.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ARROWS: Record<string, readonly string[]> = {
  base: [],
  model: ['base'],
  draw: ['model', 'base'],
  state: ['model', 'base'],
  views: ['draw', 'model', 'state', 'base'],
};

const SRC = new URL('.', import.meta.url).pathname;

it.each(Object.keys(ARROWS))('%s imports only what it may', (folder) => {
  const wrong: string[] = [];
  const files = readdirSync(join(SRC, folder), { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /\.ts$/.test(name) && !name.endsWith('.test.ts'))) {
    const text = readFileSync(join(SRC, folder, file), 'utf8');
    for (const [, path] of text.matchAll(/from '(\.[^']*)'/g)) {
      const target = new URL(path!, `file://${join(SRC, folder, file)}`).pathname.slice(SRC.length).split('/')[0]!;
      if (target !== folder && !ARROWS[folder]!.includes(target)) wrong.push(`${folder}/${file} -> ${path}`);
    }
  }
  expect(wrong).toEqual([]);
});
