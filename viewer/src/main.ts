// SPDX-License-Identifier: Apache-2.0
// Starts the page: finds the view model, in the page itself or beside it, and shows it or says what
// is wrong.
import { element } from './base/dom';
import { fail, ok, type Result } from './base/result';
import { decodeText } from './model/decode';
import { type App, showApp } from './views/app';
import './views/style.css';

declare global {
  interface Window {
    /** For tests and for the console. */
    teff?: App;
  }
}

async function findData(): Promise<Result<string>> {
  const embedded = document.getElementById('teff-data')?.textContent?.trim();
  if (embedded) return ok(embedded);
  try {
    const response = await fetch('data.json');
    if (!response.ok) return fail(`data.json: the server answers ${response.status} ${response.statusText}.`);
    return ok(await response.text());
  } catch (error) {
    return fail(`This page holds no recording, and there is no data.json beside it (${(error as Error).message}).`);
  }
}

function showProblem(root: HTMLElement, problem: string): void {
  root.replaceChildren(
    element(
      'div',
      { class: 'problem', role: 'alert' },
      element('h1', {}, 'The recording cannot be shown'),
      element('p', {}, problem),
      element(
        'p',
        { class: 'hint' },
        'Make the page again with ',
        element('code', {}, 'teff view --html'),
        ', or open it with ',
        element('code', {}, 'teff view'),
        '.',
      ),
    ),
  );
}

async function start(root: HTMLElement): Promise<void> {
  root.replaceChildren(element('p', { class: 'loading', role: 'status' }, 'Reading the recording…'));
  // Lets the browser paint the line above before the work begins.
  await new Promise((resolve) => setTimeout(resolve, 0));
  const data = await findData();
  const model = data.ok ? decodeText(data.value) : data;
  if (model.ok) {
    const app = showApp(root, model.value);
    await app.ready;
    window.teff = app;
  } else showProblem(root, model.error);
}

void start(document.getElementById('app')!);
