import { homeOf } from '../../../adapters/config/paths.ts';
import type { QueuedLines } from '../../../core/prompt/prompt-state.ts';
import type { Route } from '../../../core/routing/router.ts';
import type { Reflow } from '../../../core/terminal/paint.ts';
import { type Style, styled, type Theme } from '../../../core/terminal/theme.ts';
import { clipText } from '../../../core/terminal/wrap.ts';
import { formatDuration } from '../../../core/text/duration.ts';
import { escapeForDisplay, sanitizeText } from '../../../core/text/sanitize.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import { type Config, DEFAULT_CONFIG } from '../../../protocol/config.ts';

/** The facts for the prompt. */
export interface PromptFacts {
  readonly cwd: string;
  /** Status of the last command; null when it could not tell. */
  readonly exit: number | null;
  readonly tookMs: number;
  /** Commands are kept from the model. */
  readonly isPrivate: boolean;
  /** Jobs of the shell in the background. */
  readonly jobs: number;
  /** The shell's own prompt, with SGR, if it replaces aish's prompt. */
  readonly own: string | null;
  /** `user@host`, where that is worth knowing. */
  readonly host?: string | null;
  /** Name of the virtual environment that is active. */
  readonly environment?: string | null;
  /** Branch and state of the repository, with SGR. */
  readonly repository?: string | null;
}

/** The settings of the prompt in the configuration. */
type PromptSettings = Pick<Config['ui'], 'prompt_parts' | 'prompt_duration_s'>;

/** The prompt: the shell's own, or aish's parts that have information now. */
export function formatPrompt(facts: PromptFacts, theme: Theme, settings: PromptSettings = DEFAULT_CONFIG.ui): string {
  const mark = facts.isPrivate ? styled(theme, 'warning', 'private ') : '';
  if (facts.own !== null) return mark + facts.own;
  const parts = settings.prompt_parts.map((part) => formatPart(part, facts, { theme, settings }));
  return mark + parts.map((part) => (part === '' ? '' : `${part} `)).join('');
}

function formatPart(
  part: PromptSettings['prompt_parts'][number],
  { cwd, exit, tookMs, jobs, host, environment, repository }: PromptFacts,
  { theme, settings }: { readonly theme: Theme; readonly settings: PromptSettings },
): string {
  switch (part) {
    case 'duration':
      return tookMs < settings.prompt_duration_s * 1000 ? '' : styled(theme, 'dim', formatDuration(tookMs));
    case 'status':
      return exit === 0 ? '' : styled(theme, 'error', `[${toStatus(exit)}]`);
    case 'jobs':
      return jobs === 0 ? '' : styled(theme, 'dim', `${jobs} ${jobs === 1 ? 'job' : 'jobs'}`);
    case 'host':
      return host ? styled(theme, host.startsWith('root@') ? 'warning' : 'dim', escapeForDisplay(host)) : '';
    case 'environment':
      return environment ? styled(theme, 'dim', `(${escapeForDisplay(environment)})`) : '';
    case 'directory':
      return styled(theme, 'bold', escapeForDisplay(shortPath(cwd)));
    case 'repository':
      return repository ?? '';
  }
}

/** A status; the name of the signal where one ended the command. */
function toStatus(exit: number | null): string {
  const signal = Object.entries(process.getBuiltinModule('node:os').constants.signals).find(
    ([, number]) => exit !== null && number === exit - 128,
  );
  return signal?.[0] ?? `${exit ?? '?'}`;
}

/** The mark between prompt and line while somebody works: what is entered waits. */
export function formatWaitingMark(route: Pick<Route, 'type'>, theme: Theme): string {
  return route.type === 'nothing' ? styled(theme, 'dim', '+ ') : formatMark(route, theme);
}

const MARKS: Readonly<Record<Route['type'], readonly [Style, string]>> = {
  command: ['shell', '$ '],
  message: ['ai', '? '],
  meta: ['meta', ': '],
  nothing: ['dim', '> '],
};

/** The mark between prompt and line: where the line goes. */
export function formatMark({ type }: Pick<Route, 'type'>, theme: Theme): string {
  return styled(theme, ...MARKS[type]);
}

/** The terminal of a line. */
export interface Place {
  size(): { readonly columns: number };
  readonly theme: Theme;
  /** The terminal understands no sequences. */
  readonly isDumb: boolean;
}

/**
 * The notice that a program reads without echo. It stands behind the program's question without moving the cursor, and is cut at the
 * edge of the window.
 */
export function formatSecret(program: string, { theme, isDumb }: Place): string {
  const notice = sanitizeText(`  [hidden input for ${program}, not recorded]`);
  return isDumb ? notice : `\x1b7\x1b[?7l${styled(theme, 'dim', notice)}\x1b[?7h\x1b8`;
}

/** Takes that notice away; the cursor stands before it. */
export function formatSecretEnd({ isDumb }: Place): string {
  return isDumb ? '' : '\x1b[K';
}

/** Output that ends inside a line gets a mark, and the prompt a line of its own, wherever the cursor stands. */
export function formatLineEnd(record: CommandRecord, place: Place): string {
  const { output, bytes } = record;
  // The output of a private command is unknown; if the cursor is at the beginning of a line this leaves no trace.
  if (record.private === true) return toFreshLine(place);
  if (bytes === 0 || output === '' || output.endsWith('\n')) return '';
  const mark = styled(place.theme, 'dim', '⏎');
  return place.isDumb ? `${mark}\r\n` : `${mark}${' '.repeat(place.size().columns - 1)}\r\x1b[K`;
}

/** Brings the cursor to the beginning of a line wherever it stands, and leaves no trace where it stands there. */
export function toFreshLine({ size, isDumb }: Pick<Place, 'size' | 'isDumb'>): string {
  return isDumb ? '\r\n' : `${' '.repeat(size().columns)}\r\x1b[K`;
}

/** How this terminal lays out anew what stands on the screen when its width changes; most refold every line. */
export function toReflow(env: Readonly<Record<string, string | undefined>>): Reflow {
  if (env.TERM_PROGRAM === 'vscode') return 'not-cursor-line';
  return env.TERM === 'xterm' && env.XTERM_VERSION !== undefined ? 'none' : 'all';
}

function shortPath(path: string): string {
  const home = homeOf(process.env);
  if (path === home) return '~';
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** More lines than these are counted. */
const MOST_SHOWN = 5;

/** Shown under the queued lines. */
const KEYS = ['Up edits the last', 'Ctrl-S sends now'];

/** Queued lines as they stand over the prompt, one row for each, numbered in the order they will run; with the keys for them or without. */
export function formatQueuedLines(
  { lines, urgent }: QueuedLines,
  theme: Theme,
  { columns = 80, withKeys = true } = {},
): readonly string[] {
  if (lines.length === 0) return [];
  const rows = lines.slice(0, MOST_SHOWN).map((line, at) => {
    return `  ${at < urgent ? 'next' : 'queued'} ${at + 1}: ${toOneRow(line)}`;
  });
  const more = lines.length - rows.length;
  const rest = more > 0 ? [`  and ${more} more`] : [];
  const keys = withKeys ? toKeyRows(theme, columns) : [];
  return [...rows, ...rest, ...keys].map((row) => styled(theme, 'dim', theme.words ? row : clipText(row, columns)));
}

function toKeyRows(theme: Theme, columns: number): readonly string[] {
  const row = `  ${KEYS.join(theme.words ? ', ' : ' · ')}`;
  return row.length <= columns ? [row] : KEYS.map((key) => `  ${key}`);
}

/** The first line of a text, with a note if there are more. */
function toOneRow(line: string): string {
  const [first = '', ...others] = line.split('\n');
  return `${escapeForDisplay(first)}${others.length > 0 ? ' …' : ''}`;
}
