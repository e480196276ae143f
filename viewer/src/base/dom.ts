// SPDX-License-Identifier: Apache-2.0
// Builds elements without a framework.
type Attributes = Record<string, string | number | boolean | undefined>;
type Child = Node | string;

/** An element with attributes (`true` sets an empty one, `false` and `undefined` none) and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children);
  return node;
}

export function button(label: string, title: string, onClick: () => void): HTMLButtonElement {
  const node = element('button', { type: 'button', title }, label);
  if (label.length < 3) node.setAttribute('aria-label', title);
  node.addEventListener('click', onClick);
  return node;
}
