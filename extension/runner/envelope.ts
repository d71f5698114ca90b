import helpers from './page-helpers.js?raw';

/** What a script needs to run in a page and to come back as one string. */
export interface EnvelopeInput {
  readonly script: string;
  /** JSON texts. */
  readonly args: string;
  readonly settings: string;
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

/**
 * The part around a script. It uses what the page cannot reach (operators, own properties of strings, `await`) and takes the few
 * built-ins it needs before the script runs. A page that has replaced those spoils the answer to its own call, nothing else.
 * What JSON drops in silence (functions, DOM nodes) cannot be cloned either, and cloning is the quick way to know: only a value that
 * cannot is walked through. Each answer is the nonce, a letter, and text: v value, w value that had to be waited for, n not JSON, l too large, g login page, e thrown.
 */
const FRAME = `(async(run,N,A,S,H,L,M)=>{
const cut=t=>{if(typeof t!=="string")return"";if(t.length<=4000)return t;let s="";for(let i=0;i<4000;i++)s+=t[i];return s};
const told=e=>{try{
if(e!==null&&(typeof e==="object"||typeof e==="function"))return cut(e.name)+"\\0"+cut(e.message)+"\\0"+cut(e.stack);
return"\\0"+(typeof e==="symbol"?"a symbol":cut(""+e))+"\\0"}catch{return"\\0\\0"}};
try{
const J=JSON.stringify,K=Object.keys,I=Array.isArray,O=Object.hasOwn;
const odd=v=>{const k=typeof v;
if(k==="function"||k==="symbol")return" is a "+k;
if(k!=="object"||v===null||typeof v.toJSON==="function")return"";
if(typeof v.nodeType==="number"&&!O(v,"nodeType"))return" is a DOM node";
if(I(v)){for(let i=0;i<v.length;i++){const t=odd(v[i]);if(t!=="")return"["+i+"]"+t}return""}
const n=K(v);for(let i=0;i<n.length;i++){const t=odd(v[n[i]]);if(t!=="")return"."+n[i]+t}return""};
if(L!==null&&document.querySelector(L)!==null)return N+"g";
const r=run(A(),S(),H===null?undefined:H());
const k=r!==null&&typeof r==="object"&&typeof r.then==="function"?"w":"v";
const v=await r;
if(v===undefined)return N+k+"null";
let t,why="";
try{t=J(v)}catch(e){return N+"n"+told(e)}
if(typeof t==="string"&&t.length>M)return N+"l"+t.length;
try{structuredClone(v)}catch{try{why=odd(v)}catch{why=""}}
if(why!=="")return N+"n\\0it"+cut(why)+"\\0";
if(typeof t!=="string")return N+"n\\0it has no JSON form\\0";
return N+k+t
}catch(e){return N+"e"+told(e)}
})`;

/** The whole program for one run. The script stands in a function of its own, where it sees the page and its parameters only. */
export function buildEnvelope(input: EnvelopeInput): Envelope {
  const { script, nonce } = input;
  // A script that waits for nothing runs in one go, and its answer says so.
  const kind = /\bawait\b/.test(script) ? 'async function' : 'function';
  const before = `${FRAME}(${kind}(args,settings,forge){\n`;
  const rest = [
    JSON.stringify(nonce),
    `()=>(${literal(input.args)})`,
    `()=>(${literal(input.settings)})`,
    // Most scripts need no helper, and then none is sent.
    /\bforge\b/.test(script) ? helperFactory() : 'null',
    JSON.stringify(input.loginSelector),
    String(input.maxResultBytes),
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
 * JSON as JavaScript. Written out it cannot be changed by a page that replaced JSON.parse; but a key `__proto__`, however it is
 * spelled, would then set a prototype.
 */
function literal(json: string): string {
  return /__proto__|\\u/.test(json) ? `JSON.parse(${JSON.stringify(json)})` : json;
}

function helperFactory(): string {
  return `()=>{${helpers.replace('export default', 'return')}}`;
}
