// SPDX-License-Identifier: Apache-2.0
// The choice of what colours grains, and of the problem that is shown alone.
import { element } from '../base/dom';
import { formatCount, formatPercent } from '../base/format';
import { hasCores } from '../model/cores';
import { counterColour } from '../model/counters';
import type { ColourBy } from '../model/metrics';
import { affected, PROBLEM_WORDS, PROBLEMS, type Problem, unknownText } from '../model/problems';
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

type Option = [value: string, text: string, disabled?: 'disabled'];

/** Returns the two lists of the legend: colours and problems. */
export function choices(store: Store): HTMLElement {
  const counted = store.model.grain.stall.length > 0 && hasStalls(store.model);
  const cores = hasCores(store.model);
  const counters = store.model.counters.map((event, at): [ColourBy, string] => [counterColour(at), event]);
  const known = COLOURS.filter(([by]) => (counted || !by.startsWith('stall')) && (cores || by !== 'core'));
  const colours = [...known, ...counters];
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

/**
 * Returns the problems that some grain has, with the number of these grains and their shares of all
 * grains and of all work. A problem that this recording or page cannot show stands last.
 */
function problems({ model }: Store): Option[] {
  const shown: Option[] = [['', 'all grains alike']];
  const unknown: Option[] = [];
  for (const name of PROBLEMS) {
    const { label } = PROBLEM_WORDS[name];
    const why = unknownText(model, name);
    if (why) unknown.push([name, `${label} (${why})`, 'disabled']);
    const { grains, grainsShare, workShare } = affected(model, name);
    const shares = `${formatPercent(grainsShare)} of grains, ${formatPercent(workShare)} of work`;
    if (grains > 0 && !why) shown.push([name, `${label} (${formatCount(grains)}: ${shares})`]);
  }
  return [...shown, ...unknown];
}

function select(label: string, name: string, options: readonly Option[], choose: (value: string) => void) {
  const unknown = options.filter(([, , disabled]) => disabled);
  const known = options.filter(([, , disabled]) => !disabled);
  const option = ([value, text, disabled]: Option) =>
    element('option', { value, disabled: disabled !== undefined }, text);
  const input = element(
    'select',
    { name, 'aria-label': label },
    ...known.map(option),
    ...(unknown.length > 0 ? [element('optgroup', { label: 'Not in this recording' }, ...unknown.map(option))] : []),
  );
  input.addEventListener('change', () => choose(input.value));
  return { input, root: element('label', {}, `${label} `, input) };
}
