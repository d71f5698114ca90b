/**
 * How a program text looks that can do nothing with an argument but read, change and print it. Which words run a text cannot be listed: a language has too
 * many (`timeit`, `getattr`, `readpipe`), and most let a name be put together (`"ev" + "al"`). So the words of plain code are listed instead.
 */
interface Language {
  programs: RegExp;
  /** Words that may stand outside of texts. */
  words: ReadonlySet<string>;
  /** All characters that may stand there besides words. */
  characters: RegExp;
  /** A text of which a part may be code. */
  living?: RegExp;
  /** Whatever else is not plain, wherever it stands. */
  never?: RegExp;
  /** A name is the code's own if one of these brings it into being. */
  binds?: RegExp;
  /** Names that begin so are variables. */
  sigils?: boolean;
}

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const LANGUAGES: readonly Language[] = [
  {
    programs: /^(?:python|pypy|ipython|jython|micropython)/,
    words: list(
      'import from as for in if else elif not and or is None True False lambda return while break continue pass try except finally with def del assert raise ' +
        'print len int str float bool list dict set tuple sorted reversed enumerate range zip map filter sum min max abs round any all repr chr ord hex bin isinstance open ' +
        'sys argv stdin stdout stderr exit write read readline readlines flush buffer json loads dumps load dump indent ensure_ascii sort_keys separators default ' +
        're match search findall sub fullmatch group groups math floor ceil sqrt pi log pow datetime date time timedelta now today utcnow strftime strptime fromisoformat isoformat ' +
        'base64 b64encode b64decode urlsafe_b64encode urlsafe_b64decode hashlib sha256 sha1 sha512 md5 hexdigest digest urllib parse quote unquote urlencode urlparse parse_qs ' +
        'os path join basename dirname exists isfile isdir getsize splitext abspath listdir getcwd sep csv reader writer writerow DictReader collections Counter OrderedDict ' +
        'itertools uuid uuid4 html escape unescape random choice randint textwrap fill wrap statistics mean median decimal Decimal string ' +
        'strip lstrip rstrip split rsplit splitlines replace upper lower title capitalize startswith endswith find rfind index count zfill ljust rjust center format encode decode ' +
        'append extend insert pop remove sort reverse copy keys values items get update setdefault add isdigit isalpha isalnum key end file sep Exception ValueError KeyError',
    ),
    characters: /^[\s()[\]{}.,:;+*/%=!<>|&^~-]*$/,
    binds: /\b([A-Za-z]\w*)\s*=[^=]|\b(?:for|as|lambda|def)\s+([A-Za-z]\w*)|,\s*([A-Za-z]\w*)\s+in\b/g,
    // A text with a prefix f holds code, and one between three quotes is not read here.
    never: /#|'''|"""|\b[rRbBuU]?[fF][rR]?['"]/,
  },
  {
    programs: /^(?:node|tsx|ts-node|bun|deno)/,
    words: list(
      'const let var for of in if else return while break continue true false null undefined new typeof try catch finally throw await async function ' +
        'console log error table info warn process argv env stdout stderr stdin write exit exitCode cwd platform require JSON parse stringify Math floor ceil round max min abs random ' +
        'String Number Boolean Array isArray from Date now toISOString getTime Map Set URL URLSearchParams searchParams hostname pathname href origin Buffer toString byteLength ' +
        'encodeURIComponent decodeURIComponent parseInt parseFloat isNaN fs path os url util crypto readFileSync existsSync readdirSync writeFileSync appendFileSync statSync size mtime basename dirname join resolve extname ' +
        'createHash update digest randomUUID inspect length map filter find some every reduce forEach flatMap flat sort reverse slice splice push pop shift concat includes indexOf ' +
        'keys values entries has get set add split trim trimStart trimEnd replace replaceAll toUpperCase toLowerCase padStart padEnd repeat startsWith endsWith substring toFixed Error message',
    ),
    characters: /^[\s()[\]{}.,:;+*%=!<>|&^~?-]*$/,
    living: /\$\{/,
    // A name in brackets may be put together. Modules are those that run nothing.
    never:
      /\[\s*[^\]\s\d'"][^\]]*\]|[\w)\]]\s*\[\s*(?!\d+\s*\])|\?\.\s*\[|\]\s*:|\}\s*=(?![=>])|\brequire\b(?!\(\s*(['"])(?:node:)?(?:fs|path|os|url|util|crypto)\1\s*\))/,
    binds:
      /\b(?:const|let|var|function)\s+([A-Za-z]\w*)|\(\s*([A-Za-z]\w*)\s*\)\s*=>|\b([A-Za-z]\w*)\s*=>|[{,]\s*([A-Za-z]\w*)\s*:|\bprocess\.env\.([A-Za-z]\w*)/g,
  },
  {
    programs: /^perl/,
    words: list(
      'print printf say join split my our use strict warnings utf8 scalar length uc lc ucfirst lcfirst sprintf foreach for if elsif unless else while keys values push shift pop int abs substr index rindex chomp chop ' +
        'defined exists exit die warn STDERR STDIN STDOUT ARGV and or not eq ne lt gt le ge x return reverse n',
    ),
    characters: /^[\s()[\]{};,.+*=!?:|$@%-]*$/,
    living: /[$@][^\w\s.,;:!?)]|[$@]\w+\s*(?:->|\{)|\\[cxNLUQEulo]/,
    sigils: true,
  },
  {
    programs: /^(?:j|truffle)?ruby/,
    words: list(
      'puts print p pp printf ARGV upcase downcase capitalize strip chomp to_i to_s to_f length size first last join split each map select reject sort uniq reverse sum min max do end if elsif else unless then while ' +
        'nil true false and or not require JSON parse pretty_generate generate start_with end_with include empty gsub sub count round abs inspect',
    ),
    characters: /^[\s()[\]{}.,;:+*=!?<>|-]*$/,
    living: /#\{/,
    never: /\brequire\b(?!\s*\(?\s*(['"])json\1)/,
    binds: /\b([a-z]\w*)\s*=[^=]|\|\s*([a-z]\w*)\s*\|/g,
  },
  {
    programs: /^php/,
    words: list(
      'echo print printf sprintf if else elseif foreach for as while return true false null count strlen strtoupper strtolower ucfirst trim ltrim rtrim explode implode json_encode json_decode PHP_EOL ' +
        'htmlspecialchars urlencode rawurlencode base64_encode base64_decode md5 sha1 number_format date time intval floatval round in_array array_keys array_values array_sum str_replace substr strpos',
    ),
    characters: /^[\s()[\]{}.,;:+*=!?<>|$-]*$/,
    living: /[{$]/,
    // What a variable names is called.
    never: /\$\w+(?:\[[^\]]*\]|\s)*\(|\]\s*\(|\)\s*\(|\$\s*[{$]/,
    sigils: true,
  },
  {
    programs: /^(?:lua|luajit|texlua)/,
    words: list(
      'print arg io write read lines tostring tonumber string format upper lower sub rep len gsub find match gmatch byte char reverse table concat insert remove unpack math floor ceil max min abs for in do end if then elseif else while ' +
        'local return ipairs pairs nil true false and or not os date time',
    ),
    characters: /^[\s()[\]{}.,;:+*/%^#=~<>-]*$/,
    never: /--|\[\[|\[=/,
    binds: /\blocal\s+([A-Za-z]\w*)|\bfor\s+([A-Za-z]\w*)|,\s*([A-Za-z]\w*)\s+in\b/g,
  },
];

const TEXT = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/gs;

/** What in a program text is not plain, or null if all of it is. Undefined for a language that is not listed. */
export function notPlainIn(code: string, program: string): string | null | undefined {
  const language = LANGUAGES.find(({ programs }) => programs.test(program));
  if (language === undefined) return undefined;
  const { words, characters, living, never, binds, sigils = false } = language;
  const odd = never?.exec(code)?.[0];
  if (odd !== undefined) return odd.trim();
  // A backtick is a text in one language alone; elsewhere it runs what stands in it.
  const bare = code.replace(TEXT, (text) => (living?.test(text) === true || isRun(text, program) ? ` ${text} ` : '""'));
  const own = new Set(binds === undefined ? [] : [...code.matchAll(binds)].flatMap((found) => found.slice(1)));
  const rest = bare.replaceAll('""', ' ').replaceAll(sigils ? /[$@%]\w+/g : /(?!)/g, ' ');
  const word = rest
    .match(/[A-Za-z_]\w*/g)
    ?.find((each) => !words.has(each) && (!own.has(each) || each.startsWith('_')));
  if (word !== undefined) return word;
  const left = rest.replaceAll(/\w+/g, '');
  return characters.test(left) ? null : (Array.from(left).find((char) => !characters.test(char)) ?? 'an odd character');
}

function isRun(text: string, program: string): boolean {
  return text.startsWith('`') && !/^(?:node|tsx|ts-node|bun|deno)/.test(program);
}
