import type { PageExpected } from '../../shared/bridge.ts';
import { CLEAN_JSON } from './clean-json.ts';
import helpers from './page-helpers.js?raw';

/** What a script needs to run in a page and to come back as one string. */
export interface EnvelopeInput {
  readonly script: string;
  /** JSON texts: the arguments of each run, and the settings of them all. */
  readonly runs: readonly string[];
  readonly settings: string;
  /**
   * What stands in the page for runs that have to wait: the answers of the others come at once. Without it there is one run, which is
   * waited for.
   */
  readonly store: Store | null;
  /** The origins of Forge's own page, in which nothing runs. */
  readonly ownOrigins: readonly string[];
  /** Random: an answer without it did not come from an envelope of ours. */
  readonly nonce: string;
  readonly maxResultBytes: number;
  /** That element on the page means logged out; looked for before the script starts. */
  readonly loginSelector: string | null;
  /** What the page must be for the result to count; null: anything. */
  readonly expect: PageExpected | null;
}

/** Where runs that have to wait are left. `isNew`: the document has none yet. */
export interface Store {
  readonly name: string;
  readonly isNew: boolean;
}

export interface Envelope {
  readonly code: string;
  /** Lines before the script's first one. */
  readonly lineOffset: number;
  /** Lines of the script itself. */
  readonly lineCount: number;
}

/** A program that has run for so long, or has so many characters to hand over, begins no further run of the script. */
const BUSY_MS = 8;
const MANY_CHARACTERS = 1024 * 1024;

/**
 * The part around a script. It is made of what the page cannot replace: operators, own properties of strings, spread, `await` of a sealed
 * promise. Of the page's own functions it calls only the clock. Each answer is the nonce, a letter, and text: v value, w value that had to
 * be waited for, n not JSON, l too large, g login page, e thrown, t the page has a hand in it, o Forge's own page, where nothing runs, h a page with an error status, k the expected element is not there.
 * Runs that may be left answer together: the nonce, m, and the answers behind their lengths. One that has to wait stays in the page (p),
 * to be fetched by itself, and those behind it have not begun. Between two runs the page gets to do what the first has put off for a moment.
 */
const FRAME = `(async(run,N,A,S,H,L,M,Q,B,W,E)=>{
const X={__proto__:null},Y={__proto__:null};
const cut=t=>{if(typeof t!=="string")return"";if(t.length<=4000)return t;let s="";for(let i=0;i<4000;i++)s+=t[i];return s};
const told=e=>{try{
if(e!==null&&(typeof e==="object"||typeof e==="function"))return cut(e.name)+"\\0"+cut(e.message)+"\\0"+cut(e.stack);
return"\\0"+(typeof e==="symbol"?"a symbol":cut(""+e))+"\\0"}catch{return"\\0\\0"}};
try{
const at=globalThis.location;
for(let i=0;i<W.length;i++)if(globalThis.origin===W[i]||at!==undefined&&at.origin===W[i])return N+"o";
${CLEAN_JSON}
const seen=()=>E===null||E.selector===null||document.querySelector(E.selector)!==null;
let had=true;
const text=(k,v)=>{
if(!had&&!seen())return N+"k";
if(v===undefined)return N+k+"null";
let t;
try{t=json(v)}catch(e){return e===X?N+"tObject.prototype.toJSON":N+"n"+(e===Y?"\\0it is circular\\0":told(e))}
if(t.text.length>M)return N+"l"+t.text.length;
if(t.why!=="")return N+"n\\0it"+cut(t.why)+"\\0";
return N+k+t.text};
const ended=async r=>{try{return text("w",await(B?sealed(r):r))}catch(e){return e===X?N+"tPromise":N+"e"+told(e)}};
const left=w=>{let n=0;while(n in Q)n++;Q[n]=w;return N+"p"+n};
const T=globalThis.performance,now=()=>{try{return+T.now()}catch{return 0}},end=now()+${BUSY_MS};
const refused=()=>{try{
const s=+T.getEntriesByType("navigation")[0].responseStatus;
if(E===null||!(s>=400&&s<600))return 0;
for(let i=0;i<E.ok_status.length;i++)if(E.ok_status[i]===s)return 0;
return s}catch{return 0}};
const status=refused();
let sizes="",all="";
for(let i=0;i<A.length;i++){
let t,w=null;
try{
if(L!==null&&document.querySelector(L)!==null)t=N+"g";
else if(status!==0)t=N+"h"+status;
else{had=seen();const r=run(A[i](),S(),H===null?undefined:H());
if(B||r!==null&&typeof r==="object"&&typeof r.then==="function")w=r;else t=text("v",r)}
}catch(e){t=N+"e"+told(e)}
if(w!==null)t=Q===null?await sealed(ended(w)):left(ended(w));
if(Q===null&&A.length===1)return t;
sizes+=t.length+",";all+=t;
if(w!==null||i===A.length-1||all.length>${MANY_CHARACTERS}||now()>end)break;
await null}
return N+"m"+sizes+all
}catch(e){return e===X?N+"tPromise":N+"e"+told(e)}
})`;

/** The whole program for one run or several. The script stands in a function of its own, where it sees the page and its parameters only. */
export function buildEnvelope(input: EnvelopeInput): Envelope {
  const { script, nonce, store } = input;
  // A script that waits for nothing runs in one go, and its answer says so.
  const isAsync = /\bawait\b/.test(script);
  const before = `${store?.isNew === true ? newStore(store.name) : ''}${FRAME}(${isAsync ? 'async function' : 'function'}(args,settings,forge){\n`;
  const rest = [
    JSON.stringify(nonce),
    `[${input.runs.map((args) => `()=>(${literal(args)})`).join(',')}]`,
    `()=>(${literal(input.settings)})`,
    // Most scripts need no helper, and then none is sent.
    /\bforge\b/.test(script) ? helperFactory() : 'null',
    JSON.stringify(input.loginSelector),
    String(input.maxResultBytes),
    store === null ? 'null' : `typeof ${store.name}==="object"?${store.name}:null`,
    String(isAsync),
    JSON.stringify(input.ownOrigins),
    JSON.stringify(input.expect),
  ];
  return {
    code: `${before}${script}\n},${rest.join(',')})\n//# sourceURL=${sourceName(nonce)}`,
    lineOffset: before.split('\n').length - 1,
    lineCount: script.split('\n').length,
  };
}

/** The name stack traces show for a script. */
export function sourceName(nonce: string): string {
  return `forge-${nonce}.js`;
}

/**
 * Makes the place for runs that are left in a page. It is a constant of the program, not a property of the window: a page that does not know
 * its name can neither find nor replace it.
 */
function newStore(name: string): string {
  return `const ${name}={__proto__:null};`;
}

/** Fetches the end of a run that was left in the page. The browser waits for it; an async function would ask the page for its `then`. */
export function buildFetch(store: string, place: number): string {
  return `(()=>{const w=${store}[${place}];delete ${store}[${place}];return w})()`;
}

/**
 * JSON as JavaScript. Written out it cannot be changed by a page that replaced JSON.parse; but a key `__proto__`, however it is
 * spelled, would then set a prototype unless it is computed.
 */
function literal(json: string): string {
  if (!/__proto__|\\u/.test(json)) return json;
  return JSON.stringify(JSON.parse(json)).replaceAll(/([{,])"__proto__":/g, '$1["__proto__"]:');
}

function helperFactory(): string {
  return `()=>{${helpers.replace('export default', 'return')}}`;
}
