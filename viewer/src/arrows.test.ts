// SPDX-License-Identifier: Apache-2.0
// Checks the imports of src: an import between folders follows the arrows below, and no file
// imports itself through other files. Imports of types count, too.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ARROWS: Record<string, readonly string[]> = {
  base: [],
  model: ['base'],
  draw: ['model', 'base'],
  state: ['model', 'base'],
  views: ['draw', 'model', 'state', 'base'],
};

const SRC = new URL('.', import.meta.url).pathname;

/** The files of src that are no tests, each with the files of src that it imports. Paths are relative to src. */
const IMPORTS = new Map(
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => [file, importsOf(file)]),
);

function importsOf(file: string): string[] {
  const imports = readFileSync(join(SRC, file), 'utf8').matchAll(/(?:from|import) '(\.[^'?]*)/g);
  const paths = [...imports].map(([, path]) => relative(SRC, resolve(SRC, dirname(file), path!)));
  return paths.filter((path) => !path.endsWith('.css')).map((path) => `${path}.ts`);
}

const folderOf = (file: string): string => file.split('/')[0]!;

/** The files of a circle in the order of their imports, the first one at both ends; undefined: there is no circle. */
function circle(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    path.push(file);
    for (const next of imports.get(file) ?? []) {
      const found = visit(next);
      if (found) return found;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const found = visit(file);
    if (found) return found;
  }
  return undefined;
}

it.each(Object.keys(ARROWS))('%s imports only what it may', (folder) => {
  const wrong: string[] = [];
  for (const [file, imports] of IMPORTS)
    for (const path of folderOf(file) === folder ? imports : [])
      if (folderOf(path) !== folder && !ARROWS[folder]!.includes(folderOf(path))) wrong.push(`${file} -> ${path}`);
  expect(wrong).toEqual([]);
});

it('has no circle of imports', () => {
  for (const imports of IMPORTS.values()) for (const path of imports) expect([...IMPORTS.keys()]).toContain(path);
  expect(circle(IMPORTS)).toBeUndefined();
});

it('finds a circle where there is one', () => {
  const imports = new Map([
    ['a', ['b', 'c']],
    ['b', []],
    ['c', ['d', 'b']],
    ['d', ['c']],
  ]);
  expect(circle(imports)).toEqual(['c', 'd', 'c']);
});
