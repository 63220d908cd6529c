import { joinedRegExp } from '../text/joined-regexp.ts';
import { LINE_PREFIX } from './line-prefixes.ts';
import { isDrawn, isDrawnOfLetters, isOrdinary, isRandomLooking, isSecretName, isUuid } from './names.ts';
import type { ShapeFinding } from './secret.ts';

/** A substring of every name whose value is examined. */
const LITERAL = joinedRegExp(
  'gi',
  'passw|passphrase|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key',
  String.raw`|preshared[_-]?key|_key|_pwd|_pass\b|_auth|\bpsk\b|\bpwd(?==)`,
);

/** `name = value` and `"name": "value"`: only if the value looks random. */
const ASSIGNED = joinedRegExp(
  'y',
  String.raw`(?:["'][ \t]{0,100},(?=[ \t]{0,100}["'])|["']?\]?[ \t]{0,100}(?:=>|:=`,
  String.raw`|[:=])\*{0,2})[ \t]{0,100}(?<quote>["'\x60]?)(?<value>[^\s"'\x60,;(){}<>|⟨⟩]{8,512})`,
);

/** `<name>value</name>`. */
const ELEMENT = /(?:\s[^<>\n]{0,200})?>\s{0,40}(?<value>[^\s"'<>⟨⟩]{8,512})\s{0,40}<\//y;

/** `name="NAME" value="…"`, `name: NAME` above `value: …`, and the form of property lists: the name is itself a value. */
const BESIDE =
  /(?:<\/key>\s{0,40}<string>|["']?,?\s{0,40}["']?\bvalue["']?\s{0,8}[:=]\s{0,8})(?<quote>["']?)(?<value>[^\s"'`,;(){}<>|⟨⟩]{8,512})/y;

/** `name value` alone on a line, `| name | value |`, `NAME 'value'` of SQL, and `the name is value`. */
const TOLD: readonly RegExp[] = [
  /[ \t]{1,8}(?<quote>)(?<value>[^\s"'`,;:=(){}<>|⟨⟩]{8,512})(?=[ \t]{0,8}\r?(?:\n|$))/y,
  /["'`*]{0,3}[ \t]{0,40}\|[ \t]{0,40}(?<quote>["'`*]{0,3})(?<value>[^\s"'`,;(){}<>|⟨⟩]{8,512})(?=["'`*]{0,3}[ \t]{0,40}\|)/y,
  /[ \t]{1,8}(?<quote>')(?<value>[^\s'⟨⟩]{8,512})(?=')/y,
  /(?: for [\w@. -]{1,40})? (?:is|was|are)(?: now)?:?[ \t]{1,4}(?<quote>["'`*]{0,3})(?<value>[^\s"'`,;(){}<>|⟨⟩]{8,512})/y,
];

/** The text before the word `password` in a netrc file. */
const OF_NETRC = /\blogin[ \t]+\S{1,80}[ \t]+$/;

/** `--name value` and `--name=value`: an option value need not look random. */
const GIVEN = /(?:=|[ \t]{1,100})(?<quote>["']?)(?<value>[^\s"'`,;(){}<>|&⟨⟩$-][^\s"'`,;(){}<>|⟨⟩$]{7,512})/y;

/** The allowed text before a pair that is alone on its line. */
const LINE_START = new RegExp(`^(?:${LINE_PREFIX})?[\\s>*+-]*["']?(?:[\\w.-]{1,40}[.:])?$`);

/** A name that suggests a secret value, followed by at least the beginning of a value, at the end of a text. */
const BEGUN = joinedRegExp(
  'i',
  String.raw`(?:identified by[ \t]+|(?:passw|passphrase|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key`,
  String.raw`|auth[_-]?key|preshared[_-]?key|_key|_pwd|_pass|_auth|\bpsk)[\w.-]{0,64}["'\x60*]{0,3}(?:[ \t]*(?:=>|:=|[:=`,
  String.raw`|])[ \t]*|[ \t]+(?:for [\w@. -]{1,40} )?(?:(?:is|was|are)(?: now)?:?[ \t]+)?|>[ \t]*)`,
  String.raw`|\bvalue["']?[ \t]*[:=][ \t]*|<string>[ \t]*)["'\x60*]{0,3}[^\s"'\x60,;(){}<>|⟨⟩]{1,1000}$`,
);

const LONGEST_NAME = 64;

/** The maximum length of the text before a pair that is alone on its line. */
const LONGEST_START = 240;

interface Assigned {
  readonly name: string;
  readonly value: string;
  readonly isQuoted: boolean;
  /** Spaces surround the sign between them, as in code. */
  readonly isSpaced: boolean;
  /** A comma separates them, as in a list. */
  readonly isListed?: boolean;
  /** The surrounding text is or may be data, and cannot be code. */
  readonly isData: boolean;
}

interface NameAt {
  readonly text: string;
  readonly from: number;
  readonly end: number;
  readonly name: string;
}

/** Whether a text ends with a possible beginning of a value after such a name. */
export function endsInNamed(text: string): boolean {
  return BEGUN.test(text);
}

/** Finds values next to names that suggest a secret. */
export function findNamed(text: string): ShapeFinding[] {
  const found: ShapeFinding[] = [];
  let end = 0;
  for (const { index } of text.matchAll(LITERAL)) {
    if (index < end) continue;
    const from = nameStart(text, Math.max(end, index - LONGEST_NAME), index);
    end = nameEnd(text, index);
    const written = text.slice(from, end);
    const name = written.replace(/^-+/, '');
    if (!isSecretName(name) && !/^pwd$/i.test(name)) continue;
    const at = { text, from, end, name };
    const isOption = written.startsWith('-');
    const finding = (isOption ? findGiven(at) : null) ?? findAssigned(at) ?? findSet(at) ?? findInData(at);
    if (finding !== null) found.push(finding);
  }
  return found;
}

function findGiven(at: NameAt): ShapeFinding | null {
  const isOfThing = /(?:^|-)secret$/i.test(at.name) ? /^[a-z]+(?:-[a-z]+)*\d{0,3}$/ : /^$/;
  return findAt(at, GIVEN, ({ value }) => !isOrdinary(value) && !isUuid(value) && !isOfThing.test(value));
}

function findAssigned(at: NameAt): ShapeFinding | null {
  return findAt(at, ASSIGNED, ({ value, isQuoted, whole }) => {
    const isData = !isQuoted && isAlone(at, at.end + whole.length);
    return looksSecret({ name: at.name, value, isQuoted, isSpaced: /\s/.test(whole), isData, isListed: /^["'][ \t]*,/.test(whole) });
  });
}

/** `config set NAME value`, a common form of subcommand. */
function findSet(at: NameAt): ShapeFinding | null {
  const { text, from, name } = at;
  if (!/\bset[ \t]+[^\s"'=]{0,80}$/.test(text.slice(Math.max(0, from - 90), from))) return null;
  return findAt(at, GIVEN, ({ value, isQuoted }) => looksSecret({ name, value, isQuoted, isSpaced: true, isData: true }));
}

/** Forms of data that code does not have. */
function findInData(at: NameAt): ShapeFinding | null {
  const { text, from, name } = at;
  const isElement = /<(?:[\w.-]{1,40}:)?$/.test(text.slice(Math.max(0, from - 42), from));
  for (const pattern of isElement ? [ELEMENT] : [BESIDE, ...TOLD]) {
    if (pattern === TOLD[0] && !isAtLineStart(at) && !OF_NETRC.test(text.slice(Math.max(0, from - 100), from))) continue;
    if (pattern === TOLD[1] && !/\|[ \t"'`*]*$/.test(text.slice(Math.max(0, from - 40), from))) continue;
    const found = findAt(at, pattern, ({ value, isQuoted }) => looksSecret({ name, value, isQuoted, isSpaced: false, isData: true }));
    if (found !== null) return found;
  }
  return null;
}

interface FoundValue {
  readonly value: string;
  readonly isQuoted: boolean;
  readonly whole: string;
}

function findAt(at: NameAt, pattern: RegExp, isSecret: (found: FoundValue) => boolean): ShapeFinding | null {
  pattern.lastIndex = at.end;
  const match = pattern.exec(at.text);
  if (match === null) return null;
  const whole = match[0];
  const { value: written = '', quote = '' } = match.groups ?? {};
  const [value = ''] = (quote === '' ? written.replace(/(?<![.:\])])[.:\])]+$/, '') : written).split(/&(?=[\w.-]+=)/);
  if (!isSecret({ value, isQuoted: quote !== '', whole })) return null;
  const from = at.end + whole.lastIndexOf(written);
  return { from, to: from + value.length, name: toShapeName(at.name), value };
}

/** One pair on a line, a header, or one in quotes as a whole: so it stands in files of configuration and in lines that are typed. */
function isAlone({ text, from, end, name }: NameAt, to: number): boolean {
  const before = text[from - 1] ?? '\n';
  const after = text[to] ?? '\n';
  if ((before === '"' || before === "'") && after === before) return true;
  if (name.includes('-') && text[end] === ':') return true;
  // A part of a database address, or of submitted form data.
  if (text[end] === '=' && (/[;&?]/.test(before) || after === ';' || after === '&')) return true;
  return isAtLineStart({ text, from }) && /^[ \t]*\r?(?:\n|$|#)/.test(text.slice(to, to + 40));
}

function isAtLineStart({ text, from }: Pick<NameAt, 'text' | 'from'>): boolean {
  const before = text.slice(Math.max(0, from - LONGEST_START), from);
  const begin = before.lastIndexOf('\n') + 1;
  return (begin > 0 || from <= LONGEST_START) && LINE_START.test(before.slice(begin));
}

function nameStart(text: string, least: number, from: number): number {
  let at = from;
  while (at > least && isNameSign(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function nameEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && isNameSign(text.charCodeAt(at))) at += 1;
  return at;
}

/** Letters, digits, `_`, `.` and `-`. */
function isNameSign(code: number): boolean {
  if (code >= 0x61 && code <= 0x7a) return true;
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f || code === 0x2d || code === 0x2e;
}

/** Code next to such a name is not a secret: a call, a property, a type. */
function looksSecret({ name, value, isQuoted, isSpaced, isData, isListed = false }: Assigned): boolean {
  if (isOrdinary(value) || isUuid(value) || /⟨secret:|^sha\d+-|^[a-z]+(?:-[a-z]+)*-\d{1,4}$/.test(value)) return false;
  const isCode = isData ? !hasFigures(value) && !isDrawnOfLetters(value) : (value.match(/\d+/g) ?? []).length < 3;
  if (isSpaced && !isQuoted && /^[A-Za-z_$][\w$]*$/.test(value) && isCode) return false;
  if (!isQuoted && /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$[][\w$\]]*)+!?$|^[A-Za-z_$]*\[|\$\{|\(/.test(value)) return false;
  if (!isQuoted && /^[\\&*]|^q[rqwx]\b|::/.test(value)) return false;
  if (
    isRandomLooking(value) ||
    ((isQuoted || isData) && isOfLetters({ value, isListed })) ||
    ((isQuoted || isData) && isInterleaved(value))
  )
    return true;
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  return /pass|pwd/i.test(name) && kinds >= 3 && /[0-9]/.test(value);
}

/** Letters only: in a list they must look random, elsewhere they must not look like an identifier. */
function isOfLetters({ value, isListed }: { readonly value: string; readonly isListed: boolean }): boolean {
  return isDrawnOfLetters(value) && (!isListed || isDrawn(value, 'plain'));
}

/** Digits that belong to the name of an algorithm or a format. */
const TECHNICAL = joinedRegExp(
  'gi',
  '(?:sha|md|base|utf|aes|des|rsa|uint|int|float|blake|crc|curve|secp|oauth|chacha|pbkdf|argon',
  String.raw`|(?<![A-Za-z0-9])[A-Za-z]{1,2})\d{1,4}(?![0-9])`,
);

/** More digits than variable names have: several, or many in a row. */
function hasFigures(value: string): boolean {
  const runs = value.replace(TECHNICAL, '').match(/\d+/g) ?? [];
  return runs.length > 1 || runs.some((run) => run.length > 2);
}

/** Letters after digits in one run: numbered words do not have them. */
function isInterleaved(value: string): boolean {
  return /^[A-Za-z0-9]{10,}$/.test(value) && /\d[A-Za-z]/.test(value.replace(TECHNICAL, ''));
}

function toShapeName(name: string): string {
  if (/pass|pwd/i.test(name)) return 'password';
  if (/token|jwt|auth/i.test(name)) return 'token';
  return /key/i.test(name) ? 'key' : 'secret';
}
