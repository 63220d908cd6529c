import type { ApproveMode } from '../../protocol/settings.ts';

/** The lines that a user wants to see. */
export interface HistoryFilter {
  /** Words that a line must hold. */
  readonly words: readonly string[];
  /** The newest so many; null for the usual number. */
  readonly most: number | null;
  /** Only those of this directory. */
  readonly isHere: boolean;
  /** Only those that ended with an error. */
  readonly isFailed: boolean;
  /** Only those the model ran. */
  readonly isModel: boolean;
}

/** The lines to delete. */
export type HistoryTarget =
  | { readonly type: 'numbers'; readonly from: number; readonly to: number }
  /** However many hold it, where `isSure`. */
  | { readonly type: 'text'; readonly text: string; readonly isSure: boolean };

/** A request to `:history`. */
export type HistoryRequest =
  | ({ readonly action: 'list' } & HistoryFilter)
  | { readonly action: 'delete'; readonly target: HistoryTarget }
  | { readonly action: 'clear'; readonly isSure: boolean }
  | { readonly action: 'import'; readonly source?: string };

/** Understands the words behind `:history`; null for unknown ones. */
export function parseHistoryRequest(words: readonly string[]): HistoryRequest | null {
  const [first, ...rest] = words;
  if (first === 'delete') return parseDelete(rest);
  if (first === 'clear' && (rest.length === 0 || rest.join(' ') === 'yes')) return { action: 'clear', isSure: rest.length > 0 };
  if (first === 'import' && rest.length <= 1) {
    const [source] = rest;
    return source === undefined ? { action: 'import' } : { action: 'import', source };
  }
  return parseList(words);
}

function parseDelete(words: readonly string[]): HistoryRequest | null {
  const isSure = words[0] === '--all';
  const text = words.slice(isSure ? 1 : 0).join(' ');
  if (text === '') return null;
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (isSure || from === undefined) return { action: 'delete', target: { type: 'text', text, isSure } };
  return Number(from) > Number(to) ? null : { action: 'delete', target: { type: 'numbers', from: Number(from), to: Number(to) } };
}

function parseList(words: readonly string[]): HistoryRequest | null {
  const rest: string[] = [];
  let most: number | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const [, attached] = /^-n(\d+)$/.exec(word) ?? [];
    const count = word === '-n' ? words[++at] : attached;
    if (word !== '-n' && attached === undefined) rest.push(word);
    else if (count === undefined || !/^[1-9]\d*$/.test(count)) return null;
    else most = Number(count);
  }
  const options = rest.filter((word) => word.startsWith('--'));
  if (options.some((option) => !OPTIONS.includes(option))) return null;
  return {
    action: 'list',
    words: rest.filter((word) => !word.startsWith('--')),
    most,
    isHere: options.includes('--here'),
    isFailed: options.includes('--failed'),
    isModel: options.includes('--ai'),
  };
}

const OPTIONS: readonly string[] = ['--here', '--failed', '--ai'];

/** A request to `:abbr`. */
export type AbbrRequest =
  | { readonly action: 'list' }
  | { readonly action: 'show' | 'remove'; readonly name: string }
  | { readonly action: 'add'; readonly name: string; readonly text: string };

/** Understands the words behind `:abbr`; null for what makes no sense. */
export function parseAbbrRequest([first, ...rest]: readonly string[]): AbbrRequest | null {
  if (first === undefined) return { action: 'list' };
  const [name = '', text] = first === '-d' ? rest : [first, rest.length === 0 ? undefined : rest.join(' ')];
  // The names that the configuration takes.
  if (!/^[\w.,%@+][\w.,%@+-]*$/.test(name)) return null;
  if (first === '-d') return rest.length === 1 ? { action: 'remove', name } : null;
  if (text === undefined) return { action: 'show', name };
  return text.trim() === '' ? null : { action: 'add', name, text };
}

/** A user's request to see or change the rules for lines that run without asking. */
export type ApproveRequest =
  | { readonly type: 'list' }
  | { readonly type: 'mode'; readonly mode: ApproveMode }
  /** Explains an earlier approval prompt, counted from 1 for the last. */
  | { readonly type: 'why'; readonly back: number }
  /** A rule by its number in the list, or as it reads. */
  | { readonly type: 'revoke' | 'save'; readonly rule: string }
  | { readonly type: 'add'; readonly prefix: string };

/** The modes that may be named, loosest last. */
const APPROVE_MODES: readonly ApproveMode[] = ['ask', 'read-only', 'all'];

/** The possible first words; anything else is a prefix of commands. */
export const APPROVE_WORDS: readonly string[] = [...APPROVE_MODES, 'why', 'revoke', 'save'];

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

/** The arguments of `:undo`, `:redo`, `aish undo` and `aish redo`. */
export interface UndoRequest {
  /** The step; absent for the newest that can be taken. */
  readonly id?: string;
  /** So many steps, each its own; absent for one. */
  readonly steps?: number;
  /** All paths of the step without. */
  readonly paths: readonly string[];
}

/** The arguments of `:diff` and `aish diff` about checkpoints. */
export interface DiffRequest {
  /** The newest step without. */
  readonly id?: string;
  readonly paths: readonly string[];
  /** Shows the changes of this step only, without later changes. */
  readonly isStep?: true;
}

/**
 * Understands `[n|id] [path…]`: a first word such as `c12` is an id, one such as `3` a number of steps. Behind `--` every word is a path;
 * before it none that begins with a dash is.
 */
export function parseUndoRequest(words: readonly string[]): UndoRequest | null {
  const [before, behind] = splitAtEnd(words);
  if (before.some((word) => word.startsWith('-'))) return null;
  const [first = '', ...rest] = before;
  const paths = [...rest, ...behind];
  if (/^c\d+$/.test(first)) return { id: first, paths };
  if (!/^\d+$/.test(first)) return { paths: [...before, ...behind] };
  const steps = Number(first);
  if (steps < 1 || steps > MOST_STEPS) return null;
  return steps === 1 ? { paths } : { steps, paths };
}

/** The words before `--`, and those behind it. */
function splitAtEnd(words: readonly string[]): readonly [readonly string[], readonly string[]] {
  const end = words.indexOf('--');
  return end === -1 ? [words, []] : [words.slice(0, end), words.slice(end + 1)];
}

/** Upper limit of changes that one command undoes or redoes. */
const MOST_STEPS = 99;

/** Understands `[--step] [id] [path…]`. */
export function parseDiffRequest(words: readonly string[]): DiffRequest {
  const [before, behind] = splitAtEnd(words);
  const isStep = before.includes(STEP);
  const named = before.filter((word) => word !== STEP);
  const [first = '', ...rest] = named;
  const only = isStep ? { isStep } : {};
  if (/^c?\d+$/.test(first)) return { id: `c${first.replace('c', '')}`, paths: [...rest, ...behind], ...only };
  return { paths: [...named, ...behind], ...only };
}

const STEP = '--step';
