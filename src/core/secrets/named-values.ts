import { isSecretName } from './names.ts';
import { isOrdinary, isRandomLooking, isUuid } from './ordinary.ts';
import type { ShapeFinding } from './shape-finding.ts';

/** Part of every name whose value is looked at. */
const NEEDLE =
  /passw|passphrase|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|preshared[_-]?key|_key|_pwd|_pass\b|_auth|\bpsk\b/gi;

/** `name = value` and `"name": "value"`: only where the value looks drawn at random. */
const ASSIGNED = /["']?[ \t]*(?:=>|:=|[:=])[ \t]*(?<quote>["'`]?)(?<value>[^\s"'`,;(){}<>|⟨⟩]{8,512})/y;

/** `<name>value</name>`. */
const ELEMENT = /(?:\s[^<>\n]{0,200})?>\s{0,40}(?<value>[^\s"'<>⟨⟩]{8,512})\s{0,40}<\//y;

/** `name="NAME" value="…"`, `name: NAME` above `value: …`, and what a property list has for it: a name that is a value itself. */
const BESIDE =
  /(?:<\/key>\s{0,40}<string>|["']?,?\s{0,40}["']?\bvalue["']?\s{0,8}[:=]\s{0,8})(?<quote>["']?)(?<value>[^\s"'`,;(){}<>|⟨⟩]{8,512})/y;

/** `--name value` and `--name=value`: what is given to a program is meant, so it need not look drawn. */
const GIVEN = /(?:=|[ \t]+)(?<quote>["']?)(?<value>[^\s"'`,;(){}<>|&⟨⟩$-][^\s"'`,;(){}<>|⟨⟩$]{7,512})/y;

/** A name that says its value is secret, and behind it at least the beginning of a value, at the end of a text. */
const BEGUN =
  /(?:(?:passw|passphrase|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|preshared[_-]?key|_key|_pwd|_pass|_auth|\bpsk)[\w.-]*["']?(?:[ \t]*(?:=>|:=|[:=])[ \t]*|[ \t]+|>[ \t]*)|\bvalue["']?[ \t]*[:=][ \t]*|<string>[ \t]*)["'`]?[^\s"'`,;(){}<>|⟨⟩]+$/i;

const LONGEST_NAME = 64;

interface Assigned {
  readonly name: string;
  readonly value: string;
  readonly isQuoted: boolean;
  /** Blanks stand around the sign between them, as in code. */
  readonly isSpaced: boolean;
  /** What stands around it is data, or may be: nothing of code could stand there. */
  readonly isData: boolean;
}

/** Where a name stands in a text. */
interface NameAt {
  readonly text: string;
  readonly from: number;
  readonly end: number;
  readonly name: string;
}

/** True when a text ends in what may be the beginning of a value beside such a name. */
export function endsInNamed(text: string): boolean {
  return BEGUN.test(text);
}

/** Finds values beside names that say they are secret. */
export function findNamed(text: string): ShapeFinding[] {
  const found: ShapeFinding[] = [];
  let end = 0;
  for (const { index } of text.matchAll(NEEDLE)) {
    if (index < end) continue;
    const from = nameStart(text, Math.max(end, index - LONGEST_NAME), index);
    end = nameEnd(text, index);
    const written = text.slice(from, end);
    const name = written.replace(/^-+/, '');
    if (!isSecretName(name)) continue;
    const at = { text, from, end, name };
    const isOption = written.startsWith('-');
    const finding = (isOption ? findGiven(at) : null) ?? findAssigned(at) ?? findSet(at) ?? findInData(at);
    if (finding !== null) found.push(finding);
  }
  return found;
}

function findGiven(at: NameAt): ShapeFinding | null {
  return findAt(at, GIVEN, ({ value }) => !isOrdinary(value) && !isUuid(value));
}

function findAssigned(at: NameAt): ShapeFinding | null {
  return findAt(at, ASSIGNED, ({ value, isQuoted, whole }) => {
    const isData = !isQuoted && isAlone(at, at.end + whole.length);
    return looksSecret({ name: at.name, value, isQuoted, isSpaced: /\s/.test(whole), isData });
  });
}

/** `config set NAME value`, as many a program has it. */
function findSet(at: NameAt): ShapeFinding | null {
  const { text, from, name } = at;
  if (!/\bset[ \t]+[^\s"'=]{0,80}$/.test(text.slice(Math.max(0, from - 90), from))) return null;
  return findAt(at, GIVEN, ({ value, isQuoted }) =>
    looksSecret({ name, value, isQuoted, isSpaced: true, isData: true }),
  );
}

/** Forms that data has and code has not. */
function findInData(at: NameAt): ShapeFinding | null {
  const { text, from, name } = at;
  const isElement = /<(?:[\w.-]{1,40}:)?$/.test(text.slice(Math.max(0, from - 42), from));
  return findAt(at, isElement ? ELEMENT : BESIDE, ({ value, isQuoted }) =>
    looksSecret({ name, value, isQuoted, isSpaced: false, isData: true }),
  );
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
  const [value = ''] = (quote === '' ? written.replace(/[.:\])]+$/, '') : written).split(/&(?=[\w.-]+=)/);
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
  const line = text.slice(Math.max(text.lastIndexOf('\n', from - 1) + 1, from - 80), from);
  return /^[\s>*+-]*["']?(?:[\w.-]{1,40}[.:])?$/.test(line) && /^[ \t]*\r?(?:\n|$|#)/.test(text.slice(to, to + 40));
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

/** Letters, figures, `_`, `.` and `-`. */
function isNameSign(code: number): boolean {
  if (code >= 0x61 && code <= 0x7a) return true;
  return (
    (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f || code === 0x2d || code === 0x2e
  );
}

/** Code that names a secret is none: a call, a member of something, a type. */
function looksSecret({ name, value, isQuoted, isSpaced, isData }: Assigned): boolean {
  if (isOrdinary(value) || isUuid(value) || /⟨secret:|^sha\d+-|^[a-z]+(?:-[a-z]+)*-\d{1,4}$/.test(value)) return false;
  const isCode = isData ? !hasFigures(value) : (value.match(/\d+/g) ?? []).length < 3;
  if (isSpaced && !isQuoted && /^[A-Za-z_$][\w$]*$/.test(value) && isCode) return false;
  if (!isQuoted && /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$[][\w$\]]*)+!?$|^[A-Za-z_$]*\[|\$\{|\(/.test(value)) return false;
  if (!isQuoted && /^[\\&*]|^q[rqwx]\b|::/.test(value)) return false;
  if (isRandomLooking(value) || ((isQuoted || isData) && isInterleaved(value))) return true;
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  return /pass|pwd/i.test(name) && kinds >= 3 && /[0-9]/.test(value);
}

/** Figures that belong to the name of an algorithm or of a form. */
const TECHNICAL =
  /(?:sha|md|base|utf|aes|des|rsa|uint|int|float|blake|crc|curve|secp|oauth|chacha|pbkdf|argon|(?<![A-Za-z0-9])[A-Za-z]{1,2})\d{1,4}(?![0-9])/gi;

/** Figures such as no variable has in its name: several, or many in a row. */
function hasFigures(value: string): boolean {
  const runs = value.replace(TECHNICAL, '').match(/\d+/g) ?? [];
  return runs.length > 1 || runs.some((run) => run.length > 2);
}

/** Letters behind figures, in one run: no word that was numbered has them. */
function isInterleaved(value: string): boolean {
  return /^[A-Za-z0-9]{10,}$/.test(value) && /\d[A-Za-z]/.test(value.replace(TECHNICAL, ''));
}

function toShapeName(name: string): string {
  if (/pass|pwd/i.test(name)) return 'password';
  if (/token|jwt|auth/i.test(name)) return 'token';
  return /key/i.test(name) ? 'key' : 'secret';
}
