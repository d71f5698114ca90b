import type { Order } from './orders.ts';

const STYLE = `
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { max-width: 640px; margin: 48px auto; padding: 0 16px; }
  table { width: 100%; border-collapse: collapse; }
  th, td { padding: 8px; border-bottom: 1px solid color-mix(in srgb, currentcolor 20%, transparent); text-align: left; }
  form { display: grid; gap: 12px; max-width: 280px; }
  label { display: grid; gap: 4px; }
  input, button { padding: 6px 8px; font: inherit; }
`;

export function loginPage(user: string, password: string, problem: string): string {
  return page(
    'Log in to the demo shop',
    `<p>The user is <b>${user}</b>, the password <b>${password}</b>.</p>
    ${problem === '' ? '' : `<p role="alert">${escaped(problem)}</p>`}
    <form method="post" action="/login">
      <label>User <input name="user" autocomplete="username" required></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
      <button>Log in</button>
    </form>`,
  );
}

export function ordersPage(orders: readonly Order[]): string {
  const rows = orders.map(
    ({ number, customer, item, status, total }) =>
      `<tr data-order="${number}"><th scope="row">${number}</th>${[customer, item, status, total].map((text) => `<td>${escaped(text)}</td>`).join('')}</tr>`,
  );
  return page(
    'Orders',
    `<table>
      <thead><tr>${['Order', 'Customer', 'Item', 'Status', 'Total'].map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead>
      <tbody>${rows.join('')}</tbody>
    </table>`,
  );
}

function page(title: string, content: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title} – Demo shop</title><style>${STYLE}</style><h1>${title}</h1>${content}</html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
