// SPDX-License-Identifier: Apache-2.0
// The choice of what colours grains, and of the problem that is shown alone.
import { element } from '../base/dom';
import { formatCount } from '../base/format';
import { hasCores } from '../model/cores';
import { grainRow } from '../model/ids';
import type { ColourBy } from '../model/metrics';
import { PROBLEM_WORDS, PROBLEMS, type Problem, severities } from '../model/problems';
import { hasStalls } from '../model/stall';
import type { Store } from '../state/store';

const COLOURS: readonly [ColourBy, string][] = [
  ['kind', 'kind and low benefit'],
  ['site', 'site'],
  ['worker', 'worker'],
  ['core', 'core'],
  ['work', 'work'],
  ['wait', 'wait'],
  ['creation', 'creation cost'],
  ['benefit', 'parallel benefit'],
  ['stall-time', 'waits for memory, time'],
  ['stall-share', 'waits for memory, share'],
];

/** Returns the two lists of the legend: colours and problems. */
export function choices(store: Store): HTMLElement {
  const counted = store.model.grain.stall.length > 0 && hasStalls(store.model);
  const cores = hasCores(store.model);
  const colours = COLOURS.filter(([by]) => (counted || !by.startsWith('stall')) && (cores || by !== 'core'));
  const colour = select('Colour by', 'colour', colours, (value) => store.colour(value as ColourBy));
  const problem = select('Show', 'problem', problems(store), (value) =>
    store.problem.set(value === '' ? undefined : (value as Problem)),
  );
  const show = () => {
    colour.input.value = store.colourBy.value;
    problem.input.value = store.problem.value ?? '';
    problem.root.title = store.problem.value ? PROBLEM_WORDS[store.problem.value].explanation : '';
  };
  store.colourBy.listen(show);
  store.problem.listen(show);
  show();
  return element('div', { class: 'choices' }, problem.root, colour.root);
}

/** Returns the problems that some grain has, with the number of grains that have each. */
function problems(store: Store): [string, string][] {
  const { model } = store;
  const entries: [string, string][] = [['', 'all grains alike']];
  for (const name of PROBLEMS) {
    const severity = severities(model, name);
    let count = 0;
    for (let grain = grainRow(0); grain < model.grain.kind.length; grain++)
      if (severity(grain) > 0) count += model.grain.count[grain]!;
    if (count > 0) entries.push([name, `${PROBLEM_WORDS[name].label} (${formatCount(count)})`]);
  }
  return entries;
}

function select(label: string, name: string, options: readonly [string, string][], choose: (value: string) => void) {
  const input = element(
    'select',
    { name, 'aria-label': label },
    ...options.map(([value, text]) => element('option', { value }, text)),
  );
  input.addEventListener('change', () => choose(input.value));
  return { input, root: element('label', {}, `${label} `, input) };
}
