/** How an option takes a value: never, always, or only attached to it. */
export type Arity = 'none' | 'value' | 'optional';

/** An option as the help of a program writes it, by its name without dashes. */
export interface HelpOption {
  readonly name: string;
  readonly arity: Arity;
}

/** `-k`, `--key=KEY`, `--color[=WHEN]`, `--[no-]all`, with what stands behind it up to the next comma. */
const FORM = /^(--?)(\[no-?\])?([A-Za-z0-9@?.][\w.@-]*)(.*)$/;
const PLACEHOLDER = /^[ =]?(?:<[^<>]+>|[A-Z][A-Z0-9_.:/-]*|[A-Z]\w*|\{[^{}]*\}|'[^']*'|"[^"]*")(?:[,.|:+[].*)?$/;
const OPTIONAL = /^\[ ?=? ?[^\]]+\]$/;

/** Reads the options out of the help of a program: lines that begin with one, up to the text behind two blanks or a tab. */
export function readHelp(text: string): readonly HelpOption[] {
  const found = new Map<string, HelpOption>();
  for (const line of text.split('\n')) {
    const head = /^\s{0,12}(-[^\s-]|--\w|--\[no).*$/.test(line) ? headOf(line.trim()) : null;
    for (const option of head === null ? [] : readHead(head))
      if (!found.has(option.name)) found.set(option.name, option);
  }
  return [...found.values()];
}

/** GNU's stat writes `-c  --format=FORMAT`. */
function headOf(line: string): string {
  return line.replace(/^(-\w)\s+(?=--\w)/, '$1, ').split(/\t|\s{2,}|\s:\s/)[0] ?? '';
}

/**
 * A value is written behind the last name of an option, for all of its names: `-k, --key=KEY`. If it is optional, that says nothing of the
 * letter, and a word in small letters is one of several values that have a letter each: `-C, --check=quiet`.
 */
function readHead(head: string): readonly HelpOption[] {
  const forms = head
    .split(/\s*(?:,|\||\/|\bor\b)\s*(?=--?[\w[])/)
    .map((form) => FORM.exec(form.trim()))
    .filter((form) => form !== null);
  const arities = forms.map(([, , , , rest = '']) => arityOf(rest));
  if (arities.includes(null) || forms.some(([, , , , rest = '']) => /^=[a-z]/.test(rest))) return [];
  const last = arities.findLast((arity) => arity !== 'none') ?? 'none';
  return forms.flatMap(([, dashes, negation, name = ''], at): HelpOption[] => {
    const own = arities[at] ?? 'none';
    const isLetter = dashes === '-' && name.length === 1;
    const shared = own === 'none' && last !== 'none' ? (isLetter && last === 'optional' ? null : last) : own;
    return [
      ...(shared === null ? [] : [{ name, arity: shared }]),
      ...(negation === undefined ? [] : [{ name: `no-${name}`, arity: 'none' as const }]),
    ];
  });
}

/** Null if the text behind an option is no value and no description of its own: such a line proves nothing. */
function arityOf(rest: string): Arity | null {
  const text = rest.trimEnd();
  if (text === '') return 'none';
  if (OPTIONAL.test(text)) return 'optional';
  if (text.startsWith('=') || PLACEHOLDER.test(text)) return 'value';
  return null;
}
