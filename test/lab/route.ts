import { readFileSync, writeSync } from 'node:fs';
import { type Route, routeLine } from '../../src/core/routing/router.ts';
import { EarlierLines, type ShellFacts } from '../../src/core/routing/shell-facts.ts';

/** One line of the scorer's input. */
export interface RouteRow {
  readonly line: string;
  readonly env: {
    readonly shell: 'bash' | 'zsh';
    readonly commands: readonly string[];
    readonly files: readonly string[];
    readonly last_exit: number;
    readonly branches?: readonly string[];
    readonly hosts?: readonly string[];
    readonly containers?: readonly string[];
    readonly history?: readonly string[];
  };
}

/** The facts of a closed environment: what is not listed does not exist; an empty list of files says nothing. */
function toFacts(env: RouteRow['env']): ShellFacts {
  const commands = new Set(env.commands);
  const files = new Set(env.files.flatMap((name) => [name, name.replace(/\/$/, ''), name.replace(/^\.\//, '')]));
  return {
    shell: env.shell,
    knows: (word) => commands.has(word),
    knowsCall: (words) => commands.has(words),
    hasFile: (name) => (files.size === 0 ? null : files.has(name)),
    hasRef: (name) => env.branches?.includes(name) === true,
    hasHost: (name) => env.hosts?.includes(name) === true,
    hasContainer: (name) => env.containers?.includes(name) === true,
    asksModel: true,
    history: new EarlierLines(env.history),
  };
}

/** The route of one row, by the code that the prompt uses. */
export function answerRoute({ line, env }: RouteRow): Route {
  return routeLine(line, toFacts(env));
}

/** The answer to one row, in the scorer's words. An empty line is the shell's. */
export function answerRow(row: RouteRow): {
  readonly route: 'shell' | 'ai' | 'meta';
  readonly text: string;
} {
  const route = answerRoute(row);
  if (route.type === 'nothing') return { route: 'shell', text: '' };
  const names = { command: 'shell', message: 'ai', meta: 'meta' } as const;
  return { route: names[route.type], text: route.text };
}

/** Answers each row on the standard input with its route, one line each. */
function main(): void {
  const rows = readFileSync(0, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const answers = rows.map((line) => JSON.stringify(answerRow(JSON.parse(line) as RouteRow)));
  const out = Buffer.from(answers.map((answer) => `${answer}\n`).join(''));
  for (let at = 0; at < out.length; ) at += writeSync(1, out, at);
}

if (import.meta.main) main();
