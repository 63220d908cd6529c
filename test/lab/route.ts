import { readFileSync, writeSync } from 'node:fs';
import type { ShellFacts } from '../../src/core/router/shell-facts.ts';
import { routeInput } from '../../src/core/router.ts';

/** What one line of the scorer's input holds. */
export interface RouteRow {
  readonly line: string;
  readonly env: {
    readonly shell: 'bash' | 'zsh';
    readonly commands: readonly string[];
    readonly files: readonly string[];
    readonly last_exit: number;
  };
}

/** The facts of a closed environment: what is not listed does not exist; an empty list of files says nothing. */
export function toFacts(env: RouteRow['env']): ShellFacts {
  const commands = new Set(env.commands);
  const files = new Set(env.files.flatMap((name) => [name, name.replace(/\/$/, ''), name.replace(/^\.\//, '')]));
  return {
    shell: env.shell,
    knows: (word) => commands.has(word),
    knowsCall: (words) => commands.has(words),
    hasFile: (name) => (files.size === 0 ? null : files.has(name)),
    lastExit: env.last_exit,
  };
}

/** Answers each row on the standard input with its route, one line each. */
function main(): void {
  const rows = readFileSync(0, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const answers = rows.map((line) => {
    const row = JSON.parse(line) as RouteRow;
    const { route, text, reason } = routeInput(row.line, toFacts(row.env));
    return JSON.stringify({ route: route === 'nothing' ? 'shell' : route, text, reason });
  });
  const out = Buffer.from(answers.map((answer) => `${answer}\n`).join(''));
  for (let at = 0; at < out.length; ) at += writeSync(1, out, at);
}

if (import.meta.main) main();
