// SPDX-License-Identifier: Apache-2.0
// The functions that ran inside a site, by samples.
import { element } from '../base/dom';
import { baseName, formatCount, formatPercent } from '../base/format';
import type { Inside, Ran } from '../model/site';

/** A smaller part of a function's samples in the kernel is not told. */
const LEAST_IN_KERNEL = 0.01;

export function insideView({ samples, kernel_unplaced, functions, more }: Inside): HTMLElement {
  const share = (part: number) => formatPercent(part / Math.max(samples, 1));
  const rows: [string, string, string][] = functions.map((ran) => [share(ran.samples), nameOf(ran), kernelOf(ran)]);
  if (kernel_unplaced > 0) rows.push([share(kernel_unplaced), 'in the kernel', '']);
  const list = element('dl');
  for (const [part, name, kernel] of rows)
    list.append(element('dt', {}, name, ...(kernel ? [element('small', {}, kernel)] : [])), element('dd', {}, part));
  const number = `${formatCount(samples)} ${samples === 1 ? 'sample' : 'samples'}`;
  const rest = more > 0 ? [element('p', { class: 'hint' }, `and ${formatCount(more)} more`)] : [];
  return element(
    'section',
    { class: 'inside', 'aria-label': 'Functions that ran inside' },
    element('h3', {}, 'Inside ', element('small', {}, `by ${number}`)),
    list,
    ...rest,
  );
}

/** Names a function as the report does: "solve (a.c:10)", or "memset (libc.so.6)". */
function nameOf({ function: name, object, file, line }: Ran): string {
  const place = file && line > 0 ? `${baseName(file)}:${line}` : object;
  if (!name) return place || '(unknown)';
  return place ? `${name} (${place})` : name;
}

function kernelOf({ samples, kernel }: Ran): string {
  const share = kernel / Math.max(samples, 1);
  return share < LEAST_IN_KERNEL ? '' : ` ${formatPercent(share)} of it in the kernel`;
}
