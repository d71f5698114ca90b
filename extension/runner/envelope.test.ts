import { describe, expect, it } from 'vitest';
import { buildEnvelope, type EnvelopeInput } from './envelope.ts';
import { readOutcome, type Outcome } from './outcome.ts';
import { createPageRealm } from './testing/page-realm.ts';

const NONCE = '0123456789abcdef';

/** Runs a script as a browser would, in a realm that `page` has prepared first. */
async function run(script: string, input: Partial<EnvelopeInput> = {}, page = ''): Promise<Outcome> {
  const envelope = buildEnvelope({
    script,
    runs: ['{}'],
    mayLeave: false,
    settings: '{}',
    nonce: NONCE,
    maxResultBytes: 1000,
    loginSelector: null,
    ...input,
  });
  const raw = await createPageRealm(NONCE, page).execute(envelope.code);
  return readOutcome(raw, NONCE, envelope);
}

const VALUES: [script: string, json: string][] = [
  ['return 1', '1'],
  ['return "é\\u2028"', '"é\u2028"'],
  ['', 'null'],
  ['return undefined', 'null'],
  ['return null', 'null'],
  ['return {a: [1, {b: undefined}], d: new Date(0)}', '{"a":[1,{}],"d":"1970-01-01T00:00:00.000Z"}'],
  ['return await Promise.resolve([NaN])', '[null]'],
  ['return Promise.resolve(2)', '2'],
  ['return {then: (go) => go(3)}', '3'],
  ['return 1 // a comment at the end', '1'],
  ['return {nodeType: 1, nodeName: "DIV"}', '{"nodeType":1,"nodeName":"DIV"}'],
  ['return typeof N + typeof J + typeof run', '"undefinedundefinedundefined"'],
  ['return this === globalThis', 'true'],
];

describe('C-43 C-44 C-50 what a script returns', () => {
  it.each(VALUES)('%s gives %s', async (script, json) => {
    expect(await run(script)).toMatchObject({ kind: 'value', text: json });
  });

  it.each([
    ['return [args.n]', true],
    ['return new Promise((go) => go(1))', false],
    ['return {then: (go) => go(3)}', false],
    ['if (args.n) await 0; return 1', false],
  ])('knows whether %s ran in one go: %s', async (script, isQuick) => {
    expect(await run(script)).toMatchObject({ kind: 'value', isQuick });
  });

  it('hands on args and settings as they are', async () => {
    const args = JSON.stringify({ text: 'a`${1}"\\\n\u2028</script>', list: [1] });
    expect(await run('return [args, settings.site]', { runs: [args], settings: '{"site":"x"}' })).toMatchObject({
      kind: 'value',
      text: `[${JSON.stringify(JSON.parse(args))},"x"]`,
    });
  });

  it.each(['{"__proto__":{"admin":true}}', '{"\\u005f_proto__":{"admin":true}}'])(
    'a key in args cannot become a prototype: %s',
    async (args) => {
      expect(await run('return [args.admin, Object.keys(args)]', { runs: [args] })).toMatchObject({
        kind: 'value',
        text: '[null,["__proto__"]]',
      });
    },
  );

  it.each([
    ['return () => 1', 'it is a function'],
    ['return {rows: [{go() {}}]}', 'it.rows[0].go is a function'],
    ['return Symbol("x")', 'it is a symbol'],
    ['return {el: [new FakeNode()]}', 'it.el[0] is a DOM node'],
    ['return 10n', expect.stringContaining('BigInt')],
    ['const a = {}; a.a = a; return a', expect.stringContaining('circular')],
    ['return {toJSON() { throw new Error("no") }}', 'no'],
  ])('C-44 %s is not JSON', async (script, reason) => {
    expect(await run(script)).toEqual({ kind: 'not_json', reason });
  });

  it('a result above the limit stays in the page', async () => {
    expect(await run('return "x".repeat(2000)')).toEqual({ kind: 'too_large', characters: 2002 });
  });

  it('a result above the limit is not copied to look for what JSON drops', async () => {
    const outcome = await run('return { text: "x".repeat(2000), f: () => 1 }');
    expect(outcome).toEqual({ kind: 'too_large', characters: 2011 });
  });

  it('a login page is found before the script starts', async () => {
    expect(await run('throw new Error("ran")', { loginSelector: '#in' })).toEqual({ kind: 'login' });
    expect(await run('return 1', { loginSelector: '#out' })).toMatchObject({ kind: 'value', text: '1' });
  });
});

describe('C-48 what a script throws', () => {
  it.each([
    ['throw new TypeError("no")', 'TypeError', 'no', 1],
    ['\n\nnull.x', 'TypeError', expect.stringContaining('null'), 3],
    ['\nawait 0;\nconst go = () => {\n  missing();\n};\ngo();', 'ReferenceError', 'missing is not defined', 4],
    ['throw "text"', '', 'text', null],
    ['throw undefined', '', 'undefined', null],
    ['throw Symbol("x")', '', 'a symbol', null],
    ['throw {get message() { throw 1 }}', '', '', null],
    ['return Promise.reject(new Error("late"))', 'Error', 'late', 1],
    ['throw new Error("x".repeat(5000))', 'Error', 'x'.repeat(4000), null],
  ])('%s', async (script, name, message, line) => {
    expect(await run(script)).toEqual({ kind: 'threw', name, message, line });
  });

  it('the line is right when args take several lines', async () => {
    expect(await run('\nnull.x', { runs: ['{\n"a":\n1}'] })).toMatchObject({ kind: 'threw', line: 2 });
  });

  it.each(['return (', 'return 1 /* open', '}; escaped(', 'const a = 1; const a = 2'])(
    '%s answers nothing',
    async (script) => {
      expect(await run(script)).toEqual({ kind: 'nothing' });
    },
  );
});

describe('a page that has replaced what scripts are made of', () => {
  it.each([
    ['JSON.stringify = () => { throw new Error("mine") }', { kind: 'not_json', reason: 'mine' }],
    ['JSON.stringify = () => ({ toString: () => "1" })', { kind: 'not_json', reason: 'it has no JSON form' }],
    ['JSON.stringify = () => "nonsense"', { kind: 'value', text: 'nonsense' }],
    ['JSON.parse = () => "stolen"', { kind: 'value', text: '{"a":[1]}' }],
    ['Promise = function () { throw new Error("mine") }', { kind: 'value', text: '{"a":[1]}' }],
    ['Promise.prototype.then = () => { throw new Error("mine") }', { kind: 'value', text: '{"a":[1]}' }],
    ['Array.prototype.map = Array.prototype.join = Array.prototype.push = null', { kind: 'value', text: '{"a":[1]}' }],
    ['Array.prototype[Symbol.iterator] = null; Array.isArray = null', { kind: 'value', text: '{"a":[1]}' }],
    ['String.prototype.slice = String.prototype.charAt = null', { kind: 'value', text: '{"a":[1]}' }],
    ['Object.prototype.toJSON = () => "mine"', { kind: 'value', text: '"mine"' }],
    ['Object.keys = () => { throw 1 }; Object.hasOwn = null', { kind: 'value', text: '{"a":[1]}' }],
    ['Object.defineProperty(Object.prototype, "nodeType", {value: 1})', { kind: 'value', text: '{"a":[1]}' }],
    ['structuredClone = () => { throw 1 }', { kind: 'value', text: '{"a":[1]}' }],
    ['structuredClone = undefined', { kind: 'value', text: '{"a":[1]}' }],
    [
      'JSON = undefined',
      { kind: 'threw', name: 'TypeError', message: expect.stringContaining('stringify'), line: null },
    ],
    ['document.querySelector = () => { throw new Error("mine") }', { kind: 'value', text: '{"a":[1]}' }],
  ])('%s', async (page, outcome) => {
    expect(await run('return args', { runs: ['{"a":[1]}'] }, page)).toMatchObject(outcome);
  });

  it('cannot answer in place of a script without having seen the nonce', () => {
    const envelope = buildEnvelope({
      script: '',
      mayLeave: false,
      runs: ['{}'],
      settings: '{}',
      nonce: NONCE,
      maxResultBytes: 9,
      loginSelector: null,
    });
    expect(readOutcome('vfake', NONCE, envelope)).toEqual({ kind: 'nothing' });
    expect(readOutcome(`${NONCE}?`, NONCE, envelope)).toEqual({ kind: 'nothing' });
    expect(readOutcome({ toString: () => NONCE }, NONCE, envelope)).toEqual({ kind: 'nothing' });
  });
});

describe('helpers', () => {
  it('are there for a script that names them', async () => {
    expect(await run('return Object.keys(forge)')).toMatchObject({
      kind: 'value',
      text: '["queryDeep","waitFor","scroll"]',
    });
  });
});
