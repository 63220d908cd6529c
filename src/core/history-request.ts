/** Which lines a person wants to see. */
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

/** Which lines are to go. */
export type HistoryTarget =
  | { readonly type: 'numbers'; readonly from: number; readonly to: number }
  /** However many hold it, where `isSure`. */
  | { readonly type: 'text'; readonly text: string; readonly isSure: boolean };

/** What `:history` is asked for. */
export type HistoryRequest =
  | ({ readonly action: 'list' } & HistoryFilter)
  | { readonly action: 'delete'; readonly target: HistoryTarget }
  | { readonly action: 'clear'; readonly isSure: boolean }
  | { readonly action: 'import'; readonly source?: string };

/** Understands the words behind `:history`; null for what it does not know. */
export function parseHistoryRequest(words: readonly string[]): HistoryRequest | null {
  const [first, ...rest] = words;
  if (first === 'delete') return parseDelete(rest);
  if (first === 'clear' && (rest.length === 0 || rest.join(' ') === 'yes')) {
    return { action: 'clear', isSure: rest.length > 0 };
  }
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
  return Number(from) > Number(to)
    ? null
    : { action: 'delete', target: { type: 'numbers', from: Number(from), to: Number(to) } };
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
