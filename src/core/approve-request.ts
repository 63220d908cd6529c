import type { ApproveMode } from '../protocol/settings.ts';

/** What a person wants to know or to change of what runs unasked. */
export type ApproveRequest =
  | { readonly type: 'list' }
  /** What text of others the model has read; or that the person has looked at it. */
  | { readonly type: 'taint' | 'vouch' }
  | { readonly type: 'mode'; readonly mode: ApproveMode }
  /** Why the question that many before was asked, from 1 for the last. */
  | { readonly type: 'why'; readonly back: number }
  /** A rule by its number in the list, or as it reads. */
  | { readonly type: 'revoke' | 'save'; readonly rule: string }
  | { readonly type: 'add'; readonly prefix: string };

/** The modes that may be named, loosest last. */
export const APPROVE_MODES: readonly ApproveMode[] = ['ask', 'read-only', 'all'];

/** What may be typed first; anything else is a prefix of commands. */
export const APPROVE_WORDS: readonly string[] = [...APPROVE_MODES, 'why', 'taint', 'vouch', 'revoke', 'save'];

/** Understands what follows `:approve`; null for what makes no sense. */
export function parseApproveRequest(text: string): ApproveRequest | null {
  const [word = '', ...rest] = text.trim().split(/\s+/);
  const argument = text.trim().slice(word.length).trim();
  if (word === '') return { type: 'list' };
  const mode = APPROVE_MODES.find((known) => known === word);
  if (mode !== undefined && rest.length === 0) return { type: 'mode', mode };
  switch (word) {
    case 'why':
      return parseWhy(argument);
    case 'taint':
    case 'vouch':
      return argument === '' ? { type: word } : null;
    case 'revoke':
    case 'save':
      return argument === '' ? null : { type: word, rule: argument };
    default:
      return { type: 'add', prefix: text.trim() };
  }
}

function parseWhy(argument: string): ApproveRequest | null {
  if (argument === '') return { type: 'why', back: 1 };
  return /^[1-9]\d{0,3}$/.test(argument) ? { type: 'why', back: Number(argument) } : null;
}
