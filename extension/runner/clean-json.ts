/**
 * Runs in the page, in front of a script: writes values as JSON, and waits for promises, without calling anything that a page can replace.
 * `{...v}` takes an object's own properties without asking anybody; the length of a list, unlike that of other objects, cannot be deleted;
 * and a property that a class adds to what its parent returns goes round every setter. A promise that is sealed this way is waited for by
 * the browser itself, or its `then` is called, and then the page has a hand in it. X says so, and Y that a value contains itself.
 */
export const CLEAN_JSON = String.raw`
const hex="0123456789abcdef",low="\0\x01\x02\x03\x04\x05\x06\x07\b\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f";
const control=c=>{let i=0;while(low[i]!==c)i++;return"\\u00"+hex[i>>4]+hex[i&15]};
const quote=s=>{
const n=s.length;let i=0;
for(;i<n;i++){const c=s[i];if(c<" "||c==='"'||c==="\\")break}
if(i===n)return'"'+s+'"';
let t='"';
for(i=0;i<n;i++){const c=s[i];switch(c){
case'"':t+='\\"';break;case"\\":t+="\\\\";break;case"\n":t+="\\n";break;case"\r":t+="\\r";break;
case"\t":t+="\\t";break;case"\b":t+="\\b";break;case"\f":t+="\\f";break;default:t+=c<" "?control(c):c}}
return t+'"'};
let plain=true,odd=false;
const own=v=>plain?{...v}:{__proto__:null,...v};
const isList=(v,c)=>typeof v.length==="number"&&!("length"in c)&&!(delete v.length);
const isNode=(v,c)=>typeof v.nodeType==="number"&&!("nodeType"in c);
const write=(v,up,k,isFinal)=>{
switch(typeof v){
case"string":return quote(v);
case"number":return v-v===0?""+v:"null";
case"boolean":return v?"true":"false";
case"undefined":return"null";
case"object":if(v===null)return"null";break;
default:odd=true;return"null"}
for(let u=up;u!==null;u=u.up)if(u.v===v)throw Y;
const c=own(v),here={__proto__:null,v,up};
let t="";
if(isList(v,c)){for(let i=0;i<v.length;i++)t+=(i===0?"":",")+(i in c?write(c[i],here,""+i,false):"null");return"["+t+"]"}
if(!isFinal&&typeof v.toJSON==="function")return write(v.toJSON(k),up,k,true);
if(isNode(v,c)){odd=true;return"{}"}
for(const p in c){const x=c[p];
if(typeof x==="function"||typeof x==="symbol")odd=true;
else if(x!==undefined)t+=(t===""?"":",")+quote(p)+":"+write(x,here,p,false)}
return"{"+t+"}"};
const why=v=>{const k=typeof v;
if(k==="function"||k==="symbol")return" is a "+k;
if(k==="bigint")return" is a BigInt";
if(k!=="object"||v===null)return"";
const c=own(v);
if(isList(v,c)){for(let i=0;i<v.length;i++){const t=why(c[i]);if(t!=="")return"["+i+"]"+t}return""}
if(typeof v.toJSON==="function")return"";
if(isNode(v,c))return" is a DOM node";
for(const p in c){const t=why(c[p]);if(t!=="")return"."+p+t}
return""};
const json=v=>{
if("toJSON"in{})throw X;
plain=!("length"in{});for(const p in{})plain=false;
odd=false;
const text=write(v,null,"",false);
return{__proto__:null,text,why:odd?why(v):""}};
class Seal extends function(o){return o}{constructor(o){super(o)}["constructor"]=(async()=>{})().constructor;then=(_,no)=>no(X)}
const sealed=p=>new Seal(p);`;
