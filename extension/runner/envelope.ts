import helpers from './page-helpers.js?raw';

/** What a script needs to run in a page and to come back as one string. */
export interface EnvelopeInput {
  readonly script: string;
  /** JSON texts: the arguments of each run, and the settings of them all. */
  readonly runs: readonly string[];
  readonly settings: string;
  /** The answers come together, and a run that has to wait is left in the page; without it there is one run, which is waited for. */
  readonly mayLeave: boolean;
  /** Random: an answer without it did not come from an envelope of ours. */
  readonly nonce: string;
  readonly maxResultBytes: number;
  /** That element on the page means logged out; looked for before the script starts. */
  readonly loginSelector: string | null;
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
 * The part around a script. It uses what the page cannot reach (operators, own properties of strings, `await`) and takes the few
 * built-ins it needs before the script first runs. A page that has replaced those spoils the answers to its own calls, nothing else.
 * What JSON drops in silence (functions, DOM nodes) cannot be cloned either, and cloning is the quick way to know: only a value that
 * cannot is walked through. Each answer is the nonce, a letter, and text: v value, w value that had to be waited for, n not JSON, l too large, g login page, e thrown.
 * Runs that may be left answer together: the nonce, m, and the answers behind their lengths. One that has to wait stays in the page (p),
 * to be fetched by itself, and those behind it have not begun. Between two runs the page gets to do what the first has put off for a moment.
 */
const FRAME = `(async(run,N,A,S,H,L,M,P)=>{
const cut=t=>{if(typeof t!=="string")return"";if(t.length<=4000)return t;let s="";for(let i=0;i<4000;i++)s+=t[i];return s};
const told=e=>{try{
if(e!==null&&(typeof e==="object"||typeof e==="function"))return cut(e.name)+"\\0"+cut(e.message)+"\\0"+cut(e.stack);
return"\\0"+(typeof e==="symbol"?"a symbol":cut(""+e))+"\\0"}catch{return"\\0\\0"}};
try{
const J=JSON.stringify,K=Object.keys,I=Array.isArray,O=Object.hasOwn,C=globalThis.structuredClone,T=globalThis.performance;
const odd=v=>{const k=typeof v;
if(k==="function"||k==="symbol")return" is a "+k;
if(k!=="object"||v===null||typeof v.toJSON==="function")return"";
if(typeof v.nodeType==="number"&&!O(v,"nodeType"))return" is a DOM node";
if(I(v)){for(let i=0;i<v.length;i++){const t=odd(v[i]);if(t!=="")return"["+i+"]"+t}return""}
const n=K(v);for(let i=0;i<n.length;i++){const t=odd(v[n[i]]);if(t!=="")return"."+n[i]+t}return""};
const text=(k,v)=>{
if(v===undefined)return N+k+"null";
let t,why="";
try{t=J(v)}catch(e){return N+"n"+told(e)}
if(typeof t==="string"&&t.length>M)return N+"l"+t.length;
try{C(v)}catch{try{why=odd(v)}catch{why=""}}
if(why!=="")return N+"n\\0it"+cut(why)+"\\0";
if(typeof t!=="string")return N+"n\\0it has no JSON form\\0";
return N+k+t};
const late=async r=>{try{return text("w",await r)}catch(e){return N+"e"+told(e)}};
const left=w=>{let n=0;while(P+n in globalThis)n++;globalThis[P+n]=w;return N+"p"+n};
const now=()=>{try{return+T.now()}catch{return 0}},end=now()+${BUSY_MS};
let sizes="",all="";
for(let i=0;i<A.length;i++){
let t,w=null;
try{
if(L!==null&&document.querySelector(L)!==null)t=N+"g";
else{const r=run(A[i](),S(),H===null?undefined:H());
if(r!==null&&typeof r==="object"&&typeof r.then==="function")w=late(r);else t=text("v",r)}
}catch(e){t=N+"e"+told(e)}
if(P===null)return w===null?t:await w;
if(w!==null)t=left(w);
sizes+=t.length+",";all+=t;
if(w!==null||i===A.length-1||all.length>${MANY_CHARACTERS}||now()>end)break;
await null}
return N+"m"+sizes+all
}catch(e){return N+"e"+told(e)}
})`;

/** The whole program for one run or several. The script stands in a function of its own, where it sees the page and its parameters only. */
export function buildEnvelope(input: EnvelopeInput): Envelope {
  const { script, nonce } = input;
  // A script that waits for nothing runs in one go, and its answer says so.
  const kind = /\bawait\b/.test(script) ? 'async function' : 'function';
  const before = `${FRAME}(${kind}(args,settings,forge){\n`;
  const rest = [
    JSON.stringify(nonce),
    `[${input.runs.map((args) => `()=>(${literal(args)})`).join(',')}]`,
    `()=>(${literal(input.settings)})`,
    // Most scripts need no helper, and then none is sent.
    /\bforge\b/.test(script) ? helperFactory() : 'null',
    JSON.stringify(input.loginSelector),
    String(input.maxResultBytes),
    input.mayLeave ? JSON.stringify(placeName(nonce)) : 'null',
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

/** Fetches the end of a run that was left in the page. */
export function buildFetch(nonce: string, place: number): string {
  const name = JSON.stringify(`${placeName(nonce)}${place}`);
  return `(async()=>{const w=globalThis[${name}];delete globalThis[${name}];return w})()`;
}

/** What a run that is left in a page is found by. */
function placeName(nonce: string): string {
  return `forge-${nonce}-`;
}

/**
 * JSON as JavaScript. Written out it cannot be changed by a page that replaced JSON.parse; but a key `__proto__`, however it is
 * spelled, would then set a prototype.
 */
function literal(json: string): string {
  return /__proto__|\\u/.test(json) ? `JSON.parse(${JSON.stringify(json)})` : json;
}

function helperFactory(): string {
  return `()=>{${helpers.replace('export default', 'return')}}`;
}
