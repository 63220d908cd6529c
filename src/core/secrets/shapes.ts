import { decodeBase64 } from '../gate/decode.ts';
import { endsInNamed, findNamed } from './named-values.ts';
import { NeedleTable } from './needles.ts';
import { isOrdinary } from './ordinary.ts';
import type { Shape, ShapeFinding } from './shape-finding.ts';
import { TYPED_PASSWORDS } from './typed-passwords.ts';

/** Tokens that tell by their beginning what they are. */
const TOKENS: readonly Shape[] = [
  {
    name: 'github-token',
    needles: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    pattern: /\bgh[pousr]_[A-Za-z0-9]{30,255}\b/g,
  },
  { name: 'github-token', needles: ['github_pat_'], pattern: /\bgithub_pat_[A-Za-z0-9_]{50,255}\b/g },
  {
    name: 'gitlab-token',
    needles: ['glpat-', 'gldt-', 'glrt-', 'glptt-'],
    pattern: /\bgl(?:pat|dt|rt|ptt)-[\w.-]{20,}/g,
  },
  { name: 'anthropic-key', needles: ['sk-ant-'], pattern: /\bsk-ant-[\w-]{20,}/g },
  {
    name: 'openai-key',
    needles: ['sk-'],
    pattern:
      /(?<![\w-])sk-(?!ant-)(?:proj-|svcacct-|admin-|or-v1-|live-|test-)?(?=[\w-]*\d)(?=[\w-]*[A-Z]|[0-9a-f]{32})[A-Za-z0-9_-]{20,}/g,
  },
  { name: 'stripe-key', needles: ['_live_', '_test_'], pattern: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { name: 'stripe-webhook-secret', needles: ['whsec_'], pattern: /\bwhsec_[A-Za-z0-9+/=]{24,}/g },
  { name: 'aws-access-key', needles: ['AKIA', 'ASIA'], pattern: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g },
  { name: 'slack-token', needles: ['xox', 'xapp-'], pattern: /\b(?:xox[abeoprs]|xapp)-[\w-]{10,}/g },
  {
    name: 'slack-webhook',
    needles: ['hooks.slack.com/'],
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<value>[\w/+-]{20,})/g,
  },
  {
    name: 'discord-webhook',
    needles: ['/api/webhooks/'],
    pattern: /discord(?:app)?\.com\/api\/webhooks\/(?<value>\d{10,}\/[\w-]{30,})/g,
  },
  { name: 'google-api-key', needles: ['AIza'], pattern: /\bAIza[\w-]{35}(?![\w-])/g },
  { name: 'google-token', needles: ['ya29.'], pattern: /\bya29\.[\w-]{20,}/g },
  { name: 'npm-token', needles: ['npm_'], pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { name: 'pypi-token', needles: ['pypi-'], pattern: /\bpypi-[\w-]{50,}/g },
  { name: 'hugging-face-token', needles: ['hf_'], pattern: /\bhf_[A-Za-z0-9]{30,}\b/g },
  { name: 'sendgrid-key', needles: ['SG.'], pattern: /\bSG\.[\w-]{16,32}\.[\w-]{16,64}/g },
  { name: 'digitalocean-token', needles: ['dop_v1_', 'doo_v1_', 'dor_v1_'], pattern: /\bdo[opr]_v1_[a-f0-9]{64}\b/g },
  {
    name: 'age-key',
    needles: ['AGE-SECRET-KEY-'],
    pattern: /\bAGE-SECRET-KEY-(?:PQ-)?1[02-9AC-HJ-NP-Z]{40,}/g,
  },
  {
    name: 'jwt',
    needles: ['eyJ'],
    pattern: /\beyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{16,}/g,
  },
];

/** What clients of registries keep: a user and a password in base64. */
const ENCODED = /(?<![A-Za-z])_?auth["']?\s{0,8}[:=]\s{0,8}["']?(?<value>[A-Za-z0-9+/_-]{8,4096}={0,2})(?![\w+/=-])/g;

/** What stands around a value and says that it is a secret. */
const SURROUNDED: readonly Shape[] = [
  {
    name: 'private-key',
    needles: ['PRIVATE KEY'],
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\r|\\n|\s|["'+]){1,80}(?:[\w-]{1,40}: [^\n]{0,200}\n\s{0,4}){0,8}(?<value>(?:[ \t>|+"']{0,16}[A-Za-z0-9+/=]{16,}(?:\\r|\\n|[\s"',+\\]){0,80})+(?:[A-Za-z0-9+/=]{1,15}(?=(?:\\r|\\n|\s){0,8}-----END))?)/g,
  },
  {
    name: 'authorization',
    needles: ['uthorization'],
    pattern:
      /\b[Aa]uthorization["']?\s*[:=]\s*["']?(?:Bearer|Basic|Token|token|bearer|basic|[Aa]pi-?[Kk]ey|Key|GenieKey|Negotiate|SSWS|Splunk)\s+(?<value>[\w.~+/=-]{8,})/g,
  },
  { name: 'bearer-token', needles: ['Bearer '], pattern: /\bBearer (?<value>[\w.~+/=-]{20,})/g },
  {
    name: 'url-password',
    needles: ['://'],
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>?#]{0,256}:(?<value>[^\s/@"'<>]{6,512})@(?=[\w[])/gi,
  },
  {
    name: 'token',
    needles: ['auth"', "auth'", '_auth', 'auth:', 'auth ='],
    pattern: ENCODED,
  },
];

const SHAPES_BY_NEEDLE = new NeedleTable([...TOKENS, ...SURROUNDED, ...TYPED_PASSWORDS]);
const TOKENS_BY_NEEDLE = new NeedleTable(TOKENS);
/** An address has a password only behind a second colon, which few have. */
const SURROUNDED_BY_NEEDLE = new NeedleTable([
  ...SURROUNDED.filter(({ name }) => name !== 'url-password'),
  ...TYPED_PASSWORDS,
]);
const URL_PASSWORD = /:\/\/[^\s/:@"'<>?#]{0,256}:(?!\d{0,5}(?:[/?#]|$))[^\s/@"'<>]*$/;

/** True when the last word of a text, which begins at `at` and may go on, may be of a secret; `line` is where its line begins. */
export function mayEndInShape(text: string, at: number, line: number): boolean {
  const word = text.slice(at);
  if (word.length >= 3 && (TOKENS_BY_NEEDLE.in(word).size > 0 || URL_PASSWORD.test(word))) return true;
  const whole = text.slice(line);
  return whole.length > word.length ? SURROUNDED_BY_NEEDLE.in(whole).size > 0 || endsInNamed(whole) : endsInNamed(word);
}

/** Finds what looks like a secret, in the order it stands; no two overlap. */
export function findShapes(text: string): ShapeFinding[] {
  const found = [...SHAPES_BY_NEEDLE.in(text)].flatMap((shape) => findShape(text, shape));
  found.push(...findNamed(text));
  if (found.length < 2) return found;
  const ordered = found.sort((left, right) => left.from - right.from || right.to - left.to);
  let end = 0;
  return ordered.filter(({ from, to }) => {
    const isFree = from >= end;
    if (isFree) end = to;
    return isFree;
  });
}

function findShape(text: string, { name, pattern }: Shape): ShapeFinding[] {
  return Array.from(text.matchAll(pattern)).flatMap((match) => {
    const value = (match.groups?.value ?? match[0]).trimEnd();
    const from = match.index + match[0].lastIndexOf(value);
    if (SURROUNDED_LOOSELY.has(name) && isNoSecret(value)) return [];
    if (pattern === ENCODED && !isUserWithPassword(value)) return [];
    return [{ from, to: from + value.length, name, value }];
  });
}

/** Shapes whose value may be an example in words. */
const SURROUNDED_LOOSELY: ReadonlySet<string> = new Set(['url-password', 'password', 'bearer-token', 'authorization']);

function isNoSecret(value: string): boolean {
  return (
    isOrdinary(value.length < 8 ? `${value}${'1!'.repeat(4)}`.slice(0, 8) : value) ||
    /^[A-Za-z]{1,14}$/.test(value) ||
    /[⟨⟩]/.test(value)
  );
}

function isUserWithPassword(value: string): boolean {
  return /^[\x21-\x39\x3b-\x7e]+:[\x20-\x7e]{3,}$/.test(
    decodeBase64(value.replace(/-/g, '+').replace(/_/g, '/')) ?? '',
  );
}
