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
    store: null,
    ownOrigins: ['http://127.0.0.1:8403', 'http://localhost:8403'],
    settings: '{}',
    nonce: NONCE,
    maxResultBytes: 1000,
    loginSelector: null,
    expect: null,
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

describe('a page that is not what the tool expects', () => {
  const load = (status: number) =>
    `performance = { now: () => 0, getEntriesByType: () => [{ responseStatus: ${status} }] }`;
  const expect_ = (ok_status: number[], selector: string | null = null) => ({ expect: { ok_status, selector } });

  it.each([400, 404, 500, 503])('runs nothing in a page with status %i', async (status) => {
    const outcome = await run('throw new Error("ran")', expect_([]), load(status));
    expect(outcome).toEqual({ kind: 'page_failed', status });
  });

  it.each([
    [0, []],
    [200, []],
    [304, []],
    [404, [404]],
    [600, []],
  ])('runs in a page with status %i where %j are allowed', async (status, allowed) => {
    expect(await run('return 1', expect_(allowed), load(status))).toMatchObject({ kind: 'value', text: '1' });
  });

  it.each(['performance = undefined', 'performance.getEntriesByType = () => { throw 1 }', load(404)])(
    'asks nothing of a page that nobody expects anything of: %s',
    async (page) => {
      expect(await run('return 1', {}, page)).toMatchObject({ kind: 'value', text: '1' });
    },
  );

  const appears = 'document.querySelector = (s) => (s === "#list" && globalThis.drawn ? {} : null)';
  it.each([
    ['return []', 'element_missing'],
    ['await 0; return []', 'element_missing'],
    ['globalThis.drawn = true; return []', 'value'],
    ['await 0; globalThis.drawn = true; return []', 'value'],
  ])('wants its element before or after the script: %s gives %s', async (script, kind) => {
    expect(await run(script, expect_([], '#list'), appears)).toMatchObject({ kind });
  });

  it('takes an element that the script has removed', async () => {
    const page = `${appears}; globalThis.drawn = true`;
    expect(await run('globalThis.drawn = false; return 1', expect_([], '#list'), page)).toMatchObject({
      kind: 'value',
    });
  });

  it('says what a script threw, element or not', async () => {
    expect(await run('throw new Error("no")', expect_([], '#list'))).toMatchObject({ kind: 'threw', message: 'no' });
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

describe('S15 a page that has replaced what scripts are made of', () => {
  const RETURNED = { kind: 'value', text: '{"a":[1,"x\\n"],"b":{"c":true}}' };
  const EVIL = 'function () { return "stolen" }';
  it.each([
    'JSON.stringify = () => { throw new Error("mine") }',
    'JSON.stringify = () => "stolen"',
    'JSON = undefined',
    'JSON.parse = () => "stolen"',
    'Promise = function () { throw new Error("mine") }',
    'Promise.prototype.then = () => { throw new Error("mine") }',
    'Array.prototype.map = Array.prototype.join = Array.prototype.push = null',
    'Array.prototype[Symbol.iterator] = null; Array.isArray = () => false',
    'Array.prototype.toJSON = () => "stolen"; String.prototype.toJSON = Number.prototype.toJSON = () => "stolen"',
    'String.prototype.slice = String.prototype.charAt = String.prototype.replace = null',
    'Object.keys = Object.entries = () => ["stolen"]; Object.hasOwn = null; Reflect = null',
    'Object.defineProperty(Object.prototype, "nodeType", {value: 1})',
    'Object.prototype.stolen = 1; Array.prototype.stolen = 1',
    'Object.prototype.length = 0',
    'Object.defineProperty(Object.prototype, "a", { set() {}, get() { return "stolen" } })',
    'Array.prototype[0] = "stolen"; Object.prototype[1] = "stolen"',
    `for (const name of Object.getOwnPropertyNames(Function.prototype)) try { Function.prototype[name] = ${EVIL} } catch {}`,
    `for (const type of [Array, String, Number, Boolean, Object, Map, Set, WeakMap, RegExp, Symbol])
       for (const name of Object.getOwnPropertyNames(type.prototype)) {
         if (name !== 'constructor' && name !== 'length') try { type.prototype[name] = ${EVIL} } catch {}
       }`,
    'structuredClone = () => { throw 1 }',
    'globalThis.globalThis = { performance: { now: () => "stolen" } }',
    'performance = undefined',
    'document.querySelector = () => { throw new Error("mine") }',
  ])('changes nothing by %s', async (page) => {
    expect(await run('return args', { runs: ['{"a":[1,"x\\n"],"b":{"c":true}}'] }, page)).toMatchObject(RETURNED);
    // The same where it was waited for.
    expect(await run('await 0; return args', { runs: ['{"a":[1,"x\\n"],"b":{"c":true}}'] }, page)).toMatchObject(
      RETURNED,
    );
  });

  it('is noticed where it could change what is returned', async () => {
    const toJson = 'Object.prototype.toJSON = () => "stolen"';
    expect(await run('return args', {}, toJson)).toEqual({ kind: 'interfered', what: 'Object.prototype.toJSON' });
    const thief = 'function (ok) { ok("stolen") }';
    const constructor = `const { then } = Promise.prototype;
      Object.defineProperty(Promise.prototype, 'constructor', { get: () => class {} });
      Promise.prototype.then = ${thief}`;
    const envelope = buildEnvelope({
      ...{ script: 'await 0; return args', runs: ['{}'], settings: '{}', nonce: NONCE, maxResultBytes: 1000 },
      ...{ store: null, ownOrigins: [], loginSelector: null, expect: null },
    });
    // The realm of this test waits for promises as the page would have it, so the program is looked at from inside.
    const realm = createPageRealm(NONCE);
    realm.look(
      `seen = []; const { then } = Promise.prototype; read = (promise) => Reflect.apply(then, promise, [(text) => seen.push(text)])`,
    );
    realm.look(constructor.replace('const { then } = Promise.prototype;', ''));
    realm.look(`read(${envelope.code.replace(/\n\/\/# sourceURL.*$/, '')})`);
    await expect.poll(() => realm.look('seen.length')).toBe(1);
    expect(readOutcome(realm.look('seen[0]'), NONCE, envelope)).toEqual({ kind: 'interfered', what: 'Promise' });
  });

  it.each([
    ['return args.__proto__.admin', '{"__proto__":{"admin":"{\\"__proto__\\":1}"}}', '"{\\"__proto__\\":1}"'],
    [
      'return args',
      '{"a":"\\u0000\\u001f\\u007f\\ud83d\\ude00\\u2028"}',
      JSON.stringify({ a: '\0\u001f\u007f😀\u2028' }),
    ],
  ])('has no hand in the arguments either: %s with %s', async (script, args, text) => {
    expect(await run(script, { runs: [args] }, 'JSON.parse = () => "stolen"')).toMatchObject({ kind: 'value', text });
  });

  it.each([
    ['[1,,3]', '[1,null,3]'],
    ['Object.assign([1, 2], { more: 3 })', '[1,2]'],
    ['Object.freeze([1])', '[1]'],
    ['Object.freeze({ length: 2 })', '{"length":2}'],
    ['new Proxy([1, [2]], {})', '[1,[2]]'],
    ['new (class { a = 1; get b() { return 2 } })()', '{"a":1}'],
    ['Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } })', '{"own":2}'],
    ['Object.create(null)', '{}'],
    ['new Uint8Array(2)', '{"0":0,"1":0}'],
    ['new Map([[1, 2]])', '{}'],
    ['[-0, 1e21, 1e-7, Infinity, 0.1]', '[0,1e+21,1e-7,null,0.1]'],
    ['({ a: undefined, toJSON: undefined, "": 1, "é\\"": 2 })', '{"":1,"é\\"":2}'],
    ['({ toJSON(key) { return this.x ?? [key] } })', '[""]'],
    ['({ a: { toJSON(key) { return this } }, b: { toJSON: (key) => key } })', '{"a":{},"b":"b"}'],
    ['(() => { const shared = {}; return [shared, shared] })()', '[{},{}]'],
  ])('%s is written as JSON.stringify would', async (script, text) => {
    const outcome = await run(`return ${script}`);
    expect(outcome).toMatchObject({ kind: 'value', text });
    expect(text).toBe(createPageRealm(NONCE).look(`JSON.stringify(${script})`));
  });

  it('cannot answer in place of a script without having seen the nonce', () => {
    const envelope = buildEnvelope({
      script: '',
      store: null,
      ownOrigins: [],
      runs: ['{}'],
      settings: '{}',
      nonce: NONCE,
      maxResultBytes: 9,
      loginSelector: null,
      expect: null,
    });
    expect(readOutcome('vfake', NONCE, envelope)).toEqual({ kind: 'nothing' });
    expect(readOutcome(`${NONCE}?`, NONCE, envelope)).toEqual({ kind: 'nothing' });
    expect(readOutcome({ toString: () => NONCE }, NONCE, envelope)).toEqual({ kind: 'nothing' });
  });
});

describe('S1 Forge’s own page', () => {
  it.each([
    ['location = { origin: "http://127.0.0.1:8403" }', 'own_page'],
    ['location = { origin: "null" }; origin = "http://localhost:8403"', 'own_page'],
    ['location = { origin: "http://127.0.0.1:8404" }; origin = "http://127.0.0.1:8404"', 'value'],
    ['', 'value'],
  ])('nothing runs where the page says %s: %s', async (page, kind) => {
    const realm = createPageRealm(NONCE, `ran = false; ${page}`);
    const envelope = buildEnvelope({
      ...{ script: 'ran = true', runs: ['{}'], settings: '{}', nonce: NONCE, maxResultBytes: 1000 },
      ...{
        store: null,
        ownOrigins: ['http://127.0.0.1:8403', 'http://localhost:8403'],
        loginSelector: null,
        expect: null,
      },
    });
    expect(readOutcome(await realm.execute(envelope.code), NONCE, envelope)).toMatchObject({ kind });
    expect(realm.look('ran')).toBe(kind === 'value');
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
