// SPDX-License-Identifier: Apache-2.0
// A few lines of the source around one line, with what they cost.
import { element } from '../base/dom';
import type { FileCosts } from '../model/lines';
import { COLUMNS, figures } from './source-view';

/** The number of lines that are shown before the line, and after it. */
const AROUND = 2;

/** Returns the lines around a line; undefined: the page does not have their text. */
export function snippet(file: FileCosts | undefined, line: number): HTMLElement | undefined {
  if (!file?.text || line < 1) return undefined;
  const text = file.text.split('\n');
  if (text.at(-1) === '') text.pop();
  if (line > text.length) return undefined;
  const first = Math.max(1, line - AROUND);
  const shown = text.slice(first - 1, line + AROUND);
  const indent = commonIndent(shown);
  const rows = shown.map((code, at) => {
    const number = first + at;
    const costs = file.lines.get(number);
    return { number, code: code.slice(indent), cells: costs ? figures(costs) : COLUMNS.map(() => '') };
  });
  const columns = [...COLUMNS.keys()].filter((column) => rows.some(({ cells }) => cells[column] !== ''));
  const head = columns.map((column) => element('th', { scope: 'col' }, COLUMNS[column]!));
  const body = rows.map(({ number, code, cells }) =>
    element(
      'tr',
      { class: number === line && 'chosen' },
      element('th', { scope: 'row' }, String(number)),
      ...columns.map((column) => element('td', {}, cells[column]!)),
      element('td', {}, element('code', {}, code)),
    ),
  );
  const names = element('tr', {}, element('th', { scope: 'col' }, 'Line'), ...head, element('td'));
  const label = `Source around line ${line}`;
  return element(
    'table',
    { class: 'snippet', 'aria-label': label, title: file.note },
    element('thead', {}, names),
    element('tbody', {}, ...body),
  );
}

/** Returns the number of characters of white space with which all lines begin. */
function commonIndent(lines: readonly string[]): number {
  const first = lines.find((line) => line.trim() !== '') ?? '';
  let indent = first.length - first.trimStart().length;
  for (const line of lines) {
    if (line.trim() === '') continue;
    while (!line.startsWith(first.slice(0, indent))) indent--;
  }
  return indent;
}
