/** `(2) Activity – Forge`: what waits comes first, where a narrow tab still shows it. */
export function titleWords(name: string, waiting: number): string {
  const words = name === '' ? 'Forge' : `${name} – Forge`;
  return waiting === 0 ? words : `(${waiting}) ${words}`;
}

/** The icon of the tab, with a dot while something waits. */
export function iconUrl(waiting: number): string {
  const dot = waiting === 0 ? '' : '<circle cx="25" cy="7" r="7" fill="#e0a93b"/>';
  const mark = '<path d="M11 8h12v4h-7v3h6v4h-6v6h-5z" fill="#1c1b19"/>';
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#e0703a"/>${mark}${dot}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(picture)}`;
}
