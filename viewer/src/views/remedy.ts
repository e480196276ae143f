// SPDX-License-Identifier: Apache-2.0
// The advice of a finding. Commands and settings in it are not broken across lines, and those that
// can be typed are copied by a click.
import { button, element } from '../base/dom';

/** What stands between backticks, and a variable with its value. */
const PARTS = /`([^`]+)`|\b([A-Z][A-Z0-9_]{2,}=[^\s,;)]*[^\s,;.)])/g;

/** Returns the text with its commands and settings as elements of their own. */
export function remedy(text: string): HTMLElement {
  const node = element('p', { class: 'remedy' });
  const settings: string[] = [];
  let at = 0;
  for (const part of text.matchAll(PARTS)) {
    node.append(text.slice(at, part.index));
    const words = part[1] ?? part[2]!;
    node.append(element('code', {}, words));
    if (part[2]) settings.push(words);
    at = part.index + part[0].length;
  }
  node.append(text.slice(at));
  if (settings.length > 0) node.append(' ', copyButton(settings.join(' ')));
  return node;
}

function copyButton(words: string): HTMLElement {
  const copy = button('copy', `Copy ${words}`, () => {
    // A page that is a file may not be allowed to write there.
    const copied = navigator.clipboard?.writeText(words) ?? Promise.reject(new Error('no clipboard'));
    copied.then(
      () => copy.replaceChildren('copied'),
      () => copy.replaceChildren('not allowed by the browser'),
    );
  });
  copy.className = 'link copy';
  return copy;
}
