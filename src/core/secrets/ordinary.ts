import { isTooShort } from './secret.ts';

/** A value that a name calls secret but that any text may hold, so that taking it out would garble the text. */
export function isOrdinary(value: string, alsoOrdinary: ReadonlySet<string> = new Set()): boolean {
  return (
    isTooShort(value) ||
    alsoOrdinary.has(value) ||
    isWord(value) ||
    isFigure(value) ||
    isPath(value) ||
    isStandIn(value) ||
    isPlainUrl(value)
  );
}

/** True for what somebody drew at random: letters and figures mixed, and none of them often. */
export function isRandomLooking(value: string): boolean {
  if (value.length < 12 || !/[0-9]/.test(value) || !/[A-Za-z]/.test(value)) return false;
  return bitsPerSign(value) >= 2.9 && !isUuid(value);
}

/** A name of the kind that databases and tools give to things; it is no secret. */
export function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value);
}

/** One word, or some short ones joined by a sign. */
function isWord(value: string): boolean {
  const text = value.trim();
  if (WORD.test(text)) return true;
  return text.length < 16 && (/^[A-Za-z]+([-_. ][A-Za-z]+)+$/.test(text) || isTalk(text));
}

const WORD = /^[A-Z]?[a-z]{1,13}$|^[A-Z]{1,14}$/;

/** Up to three words with blanks, and at most figures that stand alone: a pass phrase has more. */
function isTalk(text: string): boolean {
  if (!/\s/.test(text)) return false;
  const words = text.split(/[\s;,:.!?]+/).filter((word) => word !== '');
  return words.length < 4 && words.every((word) => WORD.test(word) || /^\d$/.test(word));
}

/** A date, a version or an address. */
function isFigure(value: string): boolean {
  return /^v?[\d.:,/-]*[.:,/-][\d.:,/-]*$/.test(value);
}

function isPath(value: string): boolean {
  if (!/^(?:~|\.{1,2})?\/|^[A-Za-z]:[\\/]/.test(value) || /\s/.test(value)) return false;
  return value.split(/[\\/]/).every((part) => part.length < 20 || !(isRandomLooking(part) && /[A-Z]/.test(part)));
}

/** What stands where a secret is to be filled in, or comes from elsewhere. */
function isStandIn(value: string): boolean {
  return (
    /^(?:\$|<.*>$|\{\{|%[A-Z_]+%$|⟨|op:\/\/|vault:|env:|ENC\[|!vault|process\.env)/.test(value) ||
    /^(.)\1+$/.test(value) ||
    /^(?:your|insert|enter|replace|example|dummy|change)[-_ ]?\w*[-_ ](?:token|key|secret|password|here|me)\b/i.test(
      value,
    ) ||
    /^(?:x{3,}|\*{3,}|\.{3,})|\.{3}$|…/i.test(value)
  );
}

/** An address that lets nobody in. */
function isPlainUrl(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s@?]*$/i.test(value);
}

/** How much a sign tells, on average. */
function bitsPerSign(value: string): number {
  const counts = new Map<string, number>();
  for (const sign of value) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
