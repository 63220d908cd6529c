import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { isCommand } from '../policy.ts';
import { isBelow } from './below.ts';
import { isExecuted } from './executed-files.ts';
import { isOutside } from './places.ts';
import { isGrave, type LineReading, readLine } from './read-line.ts';
import type { FileFacts, ReadGround } from './sources-of-line.ts';

/** What is known of a call before it is decided. */
export type ReachGround = Pick<CallPreview, 'judged' | 'path' | 'secrets'>;

const DOES: Readonly<Record<string, string>> = {
  network: 'opens a connection',
  privileged: 'needs rights beyond yours',
  destructive: 'deletes or overwrites',
  unparseable: 'cannot be told from its text',
};

/** Commands that change where others lead, and what they run. */
const SETS =
  /^(?:git (?:config|remote|submodule|worktree)|(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|cargo|go|gem|bundle|composer) (?:config|set|env)|export|declare|typeset|alias|unalias|set|shopt|hash|enable|bind|trap|direnv|mise|asdf|nvm|pyenv)\b/;

/**
 * What a command or a file tool of ours would do that text of others must not bring about unasked, as the end of "it"; null for nothing:
 * it leaves the project, it is handed a secret, or it has something run that the person has not seen.
 */
export function reachOf(call: ToolCall, known: ReachGround, ground: ReadGround, facts: FileFacts): string | null {
  if (known.judged?.unasked === true) return null;
  if (known.secrets !== undefined && known.secrets.length > 0)
    return `is handed secrets: ${known.secrets.map(({ name }) => name).join(', ')}`;
  if (isCommand(call)) return reachOfLine(String(call.arguments.command ?? ''), ground, facts);
  const { path } = known;
  if (path === undefined || call.name === 'aish.output') return null;
  if (isOutside(path, ground)) return `reaches outside of the project: ${path}`;
  return call.effect !== 'read' && isExecuted(path, ground) ? `changes what is run later: ${path}` : null;
}

/** The same of a line. */
export function reachOfLine(line: string, ground: ReadGround, facts: FileFacts): string | null {
  const reading = readLine(line, ground);
  const { class: kind } = reading.judgement;
  if (isGrave(reading.judgement)) return DOES[kind] ?? 'is no plain command';
  if (reading.runs) return 'runs code that the line does not show';
  const outside =
    reading.paths.find((path) => isPlace(path, facts) && isOutside(facts.real(path), ground)) ??
    reading.around.find((folder) => isOutside(folder, ground));
  if (outside !== undefined) return `reaches outside of the project: ${outside}`;
  if (kind === 'read-only') return null;
  const setting = reading.commands.find((command) => SETS.test(command));
  return setting === undefined ? reachInside(reading, ground) : `changes what later commands do: ${setting}`;
}

function reachInside({ hasTask, around, paths }: LineReading, ground: ReadGround): string | null {
  const executed = paths.find((path) => path !== ground.project && isExecuted(path, ground));
  if (executed !== undefined && !hasTask) return `changes what is run later: ${executed}`;
  if (!hasTask) return null;
  const changed = ground.paths.find((path) => around.some((folder) => isBelow(path, folder) || isBelow(folder, path)));
  return changed === undefined ? null : `runs code of the project, and ${changed} was written after that`;
}

/** Something could be read or written there: what stands at its root exists. */
function isPlace(path: string, facts: FileFacts): boolean {
  const [, first = ''] = path.split('/');
  return facts.exists(`/${first}`);
}
