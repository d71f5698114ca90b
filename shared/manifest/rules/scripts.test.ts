import { expect, it } from 'vitest';
import { findings, withTool } from '../testing/lint.ts';

const SITE = 'host_match: "https://a.test/*"\nlogin_redirect: /login\n';
const yaml = (script: string, more = '') => SITE + withTool(`${more}script: |\n${script.replace(/^/gm, '  ')}`);

it.each([
  ['submits a form', 'document.forms[0].submit(); return 1', 'submits a form'],
  ['asks a form to submit', 'document.querySelector("form")?.requestSubmit(); return 1', 'submits a form'],
  [
    'clicks a submit button',
    `document.querySelector('button[type=submit]').click(); return 1`,
    'clicks a submit button',
  ],
  [
    'clicks it later',
    'const b = document.querySelector("input[type=\'submit\']");\nb.click();\nreturn 1',
    'clicks a submit button',
  ],
  ['posts', 'return (await fetch("/x", { method: "POST" })).status', 'sends a POST request'],
  ['posts in small letters', 'return (await fetch("/x", { method: "post" })).status', 'sends a POST request'],
  [
    'deletes by way of a function',
    'const go = (o) => fetch("/x", o); return go({ method: "DELETE" })',
    'sends a DELETE request',
  ],
  ['opens a request', 'const r = new XMLHttpRequest(); r.open("PUT", "/x"); return 1', 'sends a PUT request'],
  ['uses jQuery', 'return $.post("/x")', 'sends a POST request'],
  ['sends a beacon', 'return navigator.sendBeacon("/x", "y")', 'sends a beacon'],
])('K-64 warns about a script that %s and does not say so', (_title, script, what) => {
  const found = findings(yaml(script));
  expect(found).toEqual([expect.stringContaining(`the script ${what}, and nobody is asked before it runs`)]);
  expect(found[0]).toMatch(/^warning script-writes/);
  expect(findings(yaml(script, 'destructive: true\n'))).toEqual([]);
  expect(findings(yaml(script, 'destructive: false\n'))).toEqual([]);
  expect(findings(yaml(script, 'read_only: true\n'))).toEqual([
    expect.stringMatching(new RegExp(`reading .*the script ${what}, and the tool says read_only`)),
  ]);
});

it.each([
  'return (await fetch("/x")).json()',
  'return (await fetch("/x", { method: "GET" })).json()',
  'document.querySelector(".more").click(); return 1',
  'return { method: "phone", type: "button" }',
  'return window.open("/x")',
])('K-64 takes %s', (script) => {
  expect(findings(yaml(script))).toEqual([]);
});

it.each(['document.title', '[1].map((x) => { return x })', 'return', 'if (args.x) return;', ''])(
  'C-50 warns about a script that returns nothing: %s',
  (script) => {
    expect(findings(yaml(`${script}\n// end`))).toEqual([
      expect.stringContaining('the script returns nothing, so its result is always null'),
    ]);
  },
);

it.each(['if (args.x) { return 1 }', 'for (const x of [1]) try { return x } catch {}', 'return null'])(
  'C-50 takes %s',
  (script) => {
    expect(findings(yaml(script))).toEqual([]);
  },
);

it('says where in the script it is', () => {
  const found = findings(yaml('const a = 1;\ndocument.forms[0].submit();\nreturn a'));
  expect(found).toEqual([expect.stringContaining('warning script-writes 12:')]);
});
