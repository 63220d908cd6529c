import { decodeBase64 } from '../commands/decode.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';
import { memoizeNewest, once } from '../text/memoize.ts';
import { columnsIn } from './line-prefixes.ts';
import { endsInNamed, findNamed } from './named-values.ts';
import { isDrawn, isOrdinary } from './names.ts';
import { inOrder, type Shape, type ShapeFinding } from './secret.ts';
import { findTyped, typedLiterals } from './typed-passwords.ts';

/** Tokens recognised by their prefix. */
const TOKENS: readonly Shape[] = [
  {
    name: 'github-token',
    literals: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    pattern: /\bgh[pousr]_[A-Za-z0-9]{30,255}\b/g,
  },
  { name: 'github-token', literals: ['github_pat_'], pattern: /\bgithub_pat_[A-Za-z0-9_]{50,255}\b/g },
  {
    name: 'gitlab-token',
    literals: ['glpat-', 'gldt-', 'glrt-', 'glptt-'],
    pattern: /\bgl(?:pat|dt|rt|ptt)-[\w.-]{20,}/g,
  },
  { name: 'anthropic-key', literals: ['sk-ant-'], pattern: /\bsk-ant-[\w-]{20,}/g },
  {
    name: 'openai-key',
    literals: ['sk-'],
    pattern:
      /(?<![\w-])sk-(?!ant-)(?:proj-|svcacct-|admin-|or-v1-|live-|test-)?(?=[\w-]*\d)(?=[\w-]*[A-Z]|[0-9a-f]{32})[A-Za-z0-9_-]{20,}/g,
  },
  { name: 'stripe-key', literals: ['_live_', '_test_'], pattern: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { name: 'stripe-webhook-secret', literals: ['whsec_'], pattern: /\bwhsec_[A-Za-z0-9+/=]{24,}/g },
  { name: 'aws-access-key', literals: ['AKIA', 'ASIA'], pattern: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g },
  { name: 'slack-token', literals: ['xox', 'xapp-'], pattern: /\b(?:xox[abeoprs]|xapp)-[\w-]{10,}/g },
  {
    name: 'slack-webhook',
    literals: ['hooks.slack.com/'],
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<value>[\w/+-]{20,})/g,
  },
  {
    name: 'discord-webhook',
    literals: ['/api/webhooks/'],
    pattern: /discord(?:app)?\.com\/api\/webhooks\/(?<value>\d{10,}\/[\w-]{30,})/g,
  },
  { name: 'google-api-key', literals: ['AIza'], pattern: /\bAIza[\w-]{35}(?![\w-])/g },
  { name: 'google-token', literals: ['ya29.'], pattern: /\bya29\.[\w-]{20,}/g },
  { name: 'npm-token', literals: ['npm_'], pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { name: 'pypi-token', literals: ['pypi-'], pattern: /\bpypi-[\w-]{50,}/g },
  { name: 'hugging-face-token', literals: ['hf_'], pattern: /\bhf_[A-Za-z0-9]{30,}\b/g },
  { name: 'sendgrid-key', literals: ['SG.'], pattern: /\bSG\.[\w-]{16,32}\.[\w-]{16,64}/g },
  { name: 'digitalocean-token', literals: ['dop_v1_', 'doo_v1_', 'dor_v1_'], pattern: /\bdo[opr]_v1_[a-f0-9]{64}\b/g },
  {
    name: 'age-key',
    literals: ['AGE-SECRET-KEY-'],
    pattern: /\bAGE-SECRET-KEY-(?:PQ-)?1[02-9AC-HJ-NP-Z]{40,}/g,
  },
  {
    name: 'jwt',
    literals: ['eyJ'],
    pattern: /\beyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{16,}/g,
  },
];

/** Credentials of registry clients: user and password in base64. */
const ENCODED = /(?<![A-Za-z])_?auth["']?\s{0,8}[:=]\s{0,8}["']?(?<value>[A-Za-z0-9+/_-]{8,4096}={0,2})(?![\w+/=-])/g;

/** A common user name with a password. */
const OF_ADMIN = /(?<![\w.-])(?:admin|root|administrator):(?<value>[^\s"'`,;:(){}<>|⟨⟩@/]{10,256})/g;

/** Formats in which the surrounding text marks a secret. */
const SURROUNDED: readonly Shape[] = [
  {
    name: 'private-key',
    literals: ['PRIVATE KEY'],
    pattern: joinedRegExp(
      'g',
      String.raw`-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\r|\\n|\s`,
      String.raw`|["'+$]){1,80}(?:[\w-]{1,40}: [^\n]{0,200}\n\s{0,4}){0,8}(?<value>(?:[ \t>`,
      String.raw`|+"']{0,16}[A-Za-z0-9+/=]{16,}(?:\\r|\\n|[\s"',+$\\]){0,80})+(?:[A-Za-z0-9+/=]{1,15}(?=(?:\\r|\\n`,
      String.raw`|\s){0,8}-----END))?)`,
    ),
  },
  {
    name: 'authorization',
    literals: ['uthorization'],
    pattern: joinedRegExp(
      'g',
      String.raw`\b[Aa]uthorization["']?\s*[:=]\s*["']?(?:Bearer|Basic|Token|token|bearer|basic|[Aa]pi-?[Kk]ey|Key|GenieKey`,
      String.raw`|Negotiate|SSWS|Splunk)\s+(?<value>[\w.~+/=-]{8,})`,
    ),
  },
  { name: 'bearer-token', literals: ['Bearer '], pattern: /\bBearer (?<value>[\w.~+/=-]{20,})/g },
  {
    name: 'url-password',
    literals: ['://'],
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>?#]{0,256}:(?<value>[^\s/@"'<>]{6,512})@(?=[\w[])/gi,
  },
  {
    name: 'password',
    literals: ['dentified by', 'DENTIFIED BY', 'dentified BY'],
    pattern: /identified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?by\s{1,4}(?:password\s{1,4})?["'](?<value>[^\s"'⟨⟩]{6,512})["']/gi,
  },
  { name: 'password', literals: ['admin:', 'root:', 'administrator:'], pattern: OF_ADMIN },
  { name: 'token', literals: ['auth"', "auth'", '_auth', 'auth:', 'auth ='], pattern: ENCODED },
];

/** Finds in one pass which of some short texts occur in a text. */
class LiteralTable<T extends { readonly literals: readonly string[] }> {
  /** A bit for each hash of the first three characters of a literal. */
  readonly #filter = new Uint8Array(4096);
  readonly #byStart = new Map<number, { readonly literal: string; readonly owner: T }[]>();

  /** A literal has at least three characters, all of them ASCII. */
  constructor(owners: readonly T[]) {
    for (const owner of owners)
      for (const literal of owner.literals) {
        const key = (literal.charCodeAt(0) << 14) | (literal.charCodeAt(1) << 7) | literal.charCodeAt(2);
        this.#filter[hash(key)] = 1;
        const known = this.#byStart.get(key);
        if (known === undefined) this.#byStart.set(key, [{ literal, owner }]);
        else known.push({ literal, owner });
      }
  }

  /** The owners of the literals in a text. */
  in(text: string): Set<T> {
    const found = new Set<T>();
    const filter = this.#filter;
    let key = 0;
    for (let at = 0; at < text.length; at += 1) {
      key = ((key << 7) | (text.charCodeAt(at) & 0x7f)) & KEY;
      if (filter[hash(key)] === 0) continue;
      for (const { literal, owner } of this.#byStart.get(key) ?? [])
        if (!found.has(owner) && text.startsWith(literal, at - 2)) found.add(owner);
    }
    return found;
  }
}

/** Three characters of seven bits. */
const KEY = 0x1fffff;

function hash(key: number): number {
  return (key ^ (key >>> 9)) & 0xfff;
}

/** Programs and options that take a password. */
const TYPED = once(() => ({ name: null, literals: typedLiterals() }));
const byLiteral = once(() => new LiteralTable<Shape | ReturnType<typeof TYPED>>([...TOKENS, ...SURROUNDED, TYPED()]));
const tokensByLiteral = once(() => new LiteralTable(TOKENS));
/** A URL has a password only after a second colon, which few have. */
const surroundedByLiteral = once(() => new LiteralTable(SURROUNDED.filter(({ name }) => name !== 'url-password')));
const URL_PASSWORD = /:\/\/[^\s/:@"'<>?#]{0,256}:(?!\d{0,5}(?:[/?#]|$))[^\s/@"'<>]*$/;

/** Whether the last word of a text, from `at` on, may belong to a secret; `line` is the start of its line. */
export function mayEndInShape(text: string, at: number, line: number): boolean {
  const word = text.slice(at);
  if (word.length >= 3 && (tokensByLiteral().in(word).size > 0 || URL_PASSWORD.test(word))) return true;
  const whole = text.slice(line);
  if (whole.length === word.length) return endsInNamed(word);
  return surroundedByLiteral().in(whole).size > 0 || isTyped(whole) || endsInNamed(whole);
}

/** Finds text that looks secret, in order and without overlaps. */
export function findShapes(text: string): readonly ShapeFinding[] {
  const literals = byLiteral().in(text);
  return inOrder([...findInText(text, literals), ...(literals.has(TYPED()) ? findTypedLines(text) : [])]);
}

/** The same for a typed line, in which the position of a word reveals more. */
export const findTypedShapes = memoizeNewest((line): readonly ShapeFinding[] =>
  inOrder([...findInText(line), ...findTyped(line, { isTyped: true })]),
);

function findInText(text: string, literals = byLiteral().in(text)): ShapeFinding[] {
  const inColumns = columnsIn(text).flatMap(({ text: column, toWhole }) =>
    findHere(column).map((one) => ({ ...one, from: toWhole(one.from), to: toWhole(one.to - 1) + 1 })),
  );
  return [...findHere(text, literals), ...inColumns];
}

function findHere(text: string, literals = byLiteral().in(text)): ShapeFinding[] {
  return [...[...literals].flatMap((one) => (one.name === null ? [] : findShape(text, one))), ...findNamed(text)];
}

/** The maximum length of a typed line. */
const LONGEST_LINE = 4096;

/** Whether a text mentions a program or an option that takes a password. */
function isTyped(text: string): boolean {
  return byLiteral().in(text).has(TYPED());
}

/** Passwords in lines of a text that call a program with a password. */
function findTypedLines(text: string): ShapeFinding[] {
  return Array.from(text.matchAll(/[^\n]+/g)).flatMap(({ index, 0: line }) => {
    if (line.length > LONGEST_LINE || !isTyped(line)) return [];
    return findTyped(line, { isTyped: false }).map((one) => ({ ...one, from: one.from + index, to: one.to + index }));
  });
}

function findShape(text: string, { name, pattern }: Shape): ShapeFinding[] {
  return Array.from(text.matchAll(pattern)).flatMap((match) => {
    const value = (match.groups?.value ?? match[0]).trimEnd();
    const from = match.index + match[0].lastIndexOf(value);
    if (SURROUNDED_LOOSELY.has(name) && isNoSecret(value)) return [];
    if (pattern === OF_ADMIN && !isDrawn(value, 'plain')) return [];
    if (pattern === ENCODED && !isUserWithPassword(value)) return [];
    return [{ from, to: from + value.length, name, value }];
  });
}

/** Formats whose value may be an example in plain words. */
const SURROUNDED_LOOSELY: ReadonlySet<string> = new Set(['url-password', 'password', 'bearer-token', 'authorization']);

function isNoSecret(value: string): boolean {
  return (
    isOrdinary(value.length < 8 ? `${value}${'1!'.repeat(4)}`.slice(0, 8) : value) || /^[A-Za-z]{1,14}$/.test(value) || /[⟨⟩]/.test(value)
  );
}

function isUserWithPassword(value: string): boolean {
  return /^[\x21-\x39\x3b-\x7e]+:[\x20-\x7e]{3,}$/.test(decodeBase64(value.replace(/-/g, '+').replace(/_/g, '/')) ?? '');
}

/** The words of a command for display, without those in the position of a password. */
export function toShownWords(words: readonly string[]): readonly string[] {
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const found = findTypedShapes(quoted.join(' '));
  let end = -1;
  return words.map((word, at) => {
    const begin = end + 1;
    end = begin + (quoted[at]?.length ?? 0);
    const inside = found.filter(({ from, to }) => from >= begin && to <= end);
    return inside.reduce((text, { value }) => (text.includes(value) ? text.replaceAll(value, '…') : '…'), word);
  });
}

/** The name of a variable for display: text that cannot be a name may be the key itself. */
export function toShownVariable(name: string): string {
  return /^[A-Za-z_]\w{0,99}$/.test(name) && !isDrawn(name) && findTypedShapes(name).length === 0 ? name : '…';
}
