import { isSecretName } from './names.ts';
import { isOrdinary, isRandomLooking, isUuid } from './ordinary.ts';
import type { ShapeFinding } from './shape-finding.ts';

/** Part of every name whose value is looked at. */
const NEEDLE =
  /passw|passphrase|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|_key|_pwd|_pass\b|_auth/gi;

/** `name = value` and `"name": "value"`: only where the value looks drawn at random. */
const ASSIGNED = /["']?[ \t]*(?:=>|:=|[:=])[ \t]*(?<quote>["'`]?)(?<value>[^\s"'`,;(){}<>|⟨⟩]{8,512})/y;

/** `--name value` and `--name=value`: what is given to a program is meant, so it need not look drawn. */
const GIVEN = /(?:=|[ \t]+)(?<quote>["']?)(?<value>[^\s"'`,;(){}<>|&⟨⟩$-][^\s"'`,;(){}<>|⟨⟩$]{7,512})/y;

/** A name that says its value is secret, and behind it at least the beginning of a value, at the end of a text. */
const BEGUN =
  /(?:passw|passphrase|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|_key|_pwd|_pass|_auth)[\w.-]*["']?(?:[ \t]*(?:=>|:=|[:=])[ \t]*|[ \t]+)["'`]?[^\s"'`,;(){}<>|⟨⟩]+$/i;

const LONGEST_NAME = 64;

interface Assigned {
  readonly name: string;
  readonly value: string;
  readonly isQuoted: boolean;
  /** Blanks stand around the sign between them, as in code. */
  readonly isSpaced: boolean;
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
    const finding =
      (written.startsWith('-') ? findAt(text, end, name, GIVEN) : null) ?? findAt(text, end, name, ASSIGNED);
    if (finding !== null) found.push(finding);
  }
  return found;
}

function findAt(text: string, end: number, name: string, pattern: RegExp): ShapeFinding | null {
  pattern.lastIndex = end;
  const match = pattern.exec(text);
  if (match === null) return null;
  const { value: written = '', quote = '' } = match.groups ?? {};
  const [value = ''] = (quote === '' ? written.replace(/[.:\])]+$/, '') : written).split(/&(?=[\w.-]+=)/);
  const isSecret =
    pattern === GIVEN
      ? !isOrdinary(value) && !isUuid(value)
      : looksSecret({ name, value, isQuoted: quote !== '', isSpaced: /\s/.test(match[0]) });
  if (!isSecret) return null;
  const from = end + match[0].length - written.length;
  return { from, to: from + value.length, name: toShapeName(name), value };
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
function looksSecret({ name, value, isQuoted, isSpaced }: Assigned): boolean {
  if (isOrdinary(value) || isUuid(value) || /⟨secret:|^sha\d+-|^[a-z]+(?:-[a-z]+)*-\d{1,4}$/.test(value)) return false;
  if (isSpaced && !isQuoted && /^[A-Za-z_$][\w$]*$/.test(value) && (value.match(/\d+/g) ?? []).length < 3) return false;
  if (!isQuoted && /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$[][\w$\]]*)+!?$|^[A-Za-z_$]*\[|\$\{|\(/.test(value)) return false;
  if (!isQuoted && /^[\\&*]|^q[rqwx]\b|::/.test(value)) return false;
  if (isRandomLooking(value)) return true;
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  return /pass|pwd/i.test(name) && kinds >= 3 && /[0-9]/.test(value);
}

function toShapeName(name: string): string {
  if (/pass|pwd/i.test(name)) return 'password';
  if (/token|jwt|auth/i.test(name)) return 'token';
  return /key/i.test(name) ? 'key' : 'secret';
}
