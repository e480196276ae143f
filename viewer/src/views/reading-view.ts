// SPDX-License-Identifier: Apache-2.0
// The first screen of a large recording: the recorder's sums, and how far the reading has come. It
// stays until the page itself takes its place.
import { element } from '../base/dom';
import type { FirstScreen, Reading } from '../model/reading';

export interface ReadingView {
  show(reading: Reading): void;
}

export function readingView(root: HTMLElement): ReadingView {
  const bar = element('progress', { 'aria-label': 'How much of the recording has been read' });
  const step = element('span', {});
  const status = element('p', { class: 'status', role: 'status' }, bar, ' ', step);
  const screens = element('div', {});
  const view = element('div', { class: 'reading' }, status, screens);
  return {
    show(reading) {
      if (!view.isConnected) {
        screens.replaceChildren(...reading.first.map(screen));
        root.replaceChildren(view);
      }
      if (reading.step === 'reading' && reading.bytes > 0) {
        bar.max = reading.bytes;
        bar.value = reading.read;
      } else {
        bar.removeAttribute('value'); // it is not known how long the other steps take
      }
      step.textContent = `${reading.step}…`;
    },
  };
}

function screen({ title, about, rows }: FirstScreen): HTMLElement {
  const row = ([name, value, remark]: [string, string, string]) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      element('td', { class: 'value' }, value),
      element('td', {}, remark),
    );
  const body = element('tbody', {}, ...rows.map(row));
  return element('section', {}, element('h1', {}, title), element('p', {}, about), element('table', {}, body));
}
