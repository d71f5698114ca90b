/** Makes an element; texts are texts, whatever they hold. */
export function element(
  tag: string,
  options: { text?: string; className?: string } = {},
  ...children: Node[]
): HTMLElement {
  const node = document.createElement(tag);
  if (options.text !== undefined) node.textContent = options.text;
  if (options.className !== undefined) node.className = options.className;
  node.append(...children);
  return node;
}
