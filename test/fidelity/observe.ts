import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'bun';
import type { Aspect, ShellName } from './command.ts';

/** The results of a command, as far as they can be compared. */
export type Observation = Readonly<Record<Aspect, string>>;

/** The driver's own observations of a command. */
export interface Seen {
  /** Exit status as the driver knows it; null where only the probe can tell. */
  readonly exit: number | null;
  /** Directory as the driver knows it. */
  readonly cwd?: string;
  readonly ended: boolean;
  readonly output: Buffer;
}

/** Names that aish gives its own functions and variables. */
const OURS = /__aish_/;
/** Variables that aish adds to the environment, and those that every shell sets anew for each program. */
const NOT_COMPARED = /^(?:declare -x|export|typeset -x)? ?(?:AISH|_)(?:=|$)/;
/** bash and zsh without a line editor of their own; aish switches these while it is at work. */
const OPTIONS_OF_THE_EDITOR = /^(?:set [-+]o (?:emacs|vi)|(?:no)?(?:zle|promptsp|promptcr|histignorespace)\b.*)$/;

/** The line that has a shell write down all it knows of itself. It is the same in both shells used, so it stands in both histories. */
export function probeLine(shell: ShellName, file: string): string {
  const inside = shell === 'bash' ? 'history; echo "= options"; set +o; shopt' : 'fc -l 1; echo "= options"; set -o';
  const functions = shell === 'bash' ? 'declare -F' : 'print -rl -- ${(ok)functions}';
  const traps = shell === 'bash' ? 'trap -p' : 'trap';
  return [
    '{ printf "= exit\\n%s\\n" "$?"; echo "= cwd"; pwd; echo "= environment"; export -p',
    `echo "= history"; ${inside}; echo "= traps"; ${traps}; echo "= aliases"; alias`,
    `echo "= functions"; ${functions}; echo "= modes"; command -p stty -g </dev/tty; } >|${file} 2>/dev/null`,
  ].join('; ');
}

/** Folders that have another name each time. The probe's file is `probe` in `scratch`. */
export interface Places {
  readonly home: string;
  readonly scratch: string;
  /** The driver's observations of the probe, for a probe that wrote nothing. */
  readonly probe?: unknown;
}

/** Puts together what was seen and what the probe wrote; a shell that has ended was not probed. */
export function toObservation(seen: Seen, { home, scratch, probe }: Places): Observation {
  const file = join(scratch, 'probe');
  const told = existsSync(file) ? parseProbe(readFileSync(file, 'utf8')) : new Map<string, string[]>();
  if (!seen.ended && !told.has('modes')) throw new Error(`the probe told nothing: ${inspect([seen, probe])}`);
  const neutral = (text: string): string => text.replaceAll(home, '~home').replaceAll(scratch, '~scratch');
  const section = (name: string, isKept = (_line: string): boolean => true): string =>
    neutral((told.get(name) ?? []).filter(isKept).join('\n'));
  return {
    exit: agreed(section('exit'), seen.exit),
    ended: String(seen.ended),
    cwd: agreed(section('cwd'), seen.ended || seen.cwd === undefined ? null : neutral(seen.cwd)),
    output: withoutProcessIds(neutral(seen.output.toString('latin1'))),
    modes: section('modes'),
    environment: section('environment', (line) => !NOT_COMPARED.test(line)),
    history: section('history', (line) => !line.includes('printf "= exit')),
    options: section('options', (line) => !OPTIONS_OF_THE_EDITOR.test(line)),
    traps: section('traps'),
    aliases: section('aliases'),
    functions: section('functions', (line) => !OURS.test(line)),
  };
}

/** The value that probe and driver agree on; if they disagree, both. */
function agreed(probed: string, driven: string | number | null): string {
  if (driven === null || String(driven) === probed) return probed;
  return probed === '' ? String(driven) : `${driven}, but the shell says ${probed}`;
}

function parseProbe(text: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of text.split('\n')) {
    const [, name] = /^= (\w+)$/.exec(line) ?? [];
    if (name === undefined) {
      current.push(line);
      continue;
    }
    current = [];
    sections.set(name, current);
  }
  return sections;
}

/** Numbers of processes are never the same twice. */
function withoutProcessIds(output: string): string {
  return output.replace(/^(\[\d+\](?: {2}[-+ ]?)? ?)\d+(?=\s)/gm, '$1<pid>');
}
