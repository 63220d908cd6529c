import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NewLine } from '../../src/adapters/history/history-store.ts';
import { createTheme } from '../../src/core/terminal/theme.ts';
import { PromptHistory } from '../../src/hosts/cli/editor/history-at-prompt.ts';
import { now } from '../clock.ts';
import type { Measured, Row } from '../row.ts';

const LINES = 10_000;
const SIZE = { columns: 120, rows: 40 };
const PROGRAMS = [
  'git commit -m',
  'git checkout',
  'docker compose up',
  'npm run',
  'vim src/',
  'cd ~/code/',
  'grep -rn',
  'kubectl get pods -n',
];
const REST = [
  'main',
  'feature/login',
  'fix the build',
  'test --watch',
  'server.ts',
  'service',
  '"a message of some words"',
  'staging',
];
const RULES = { ignore: [], duplicates: 'ignore' } as const;

/** Ten thousand lines of history: read behind the prompt, asked with each key, searched with Ctrl-R. */
export const history: Row = {
  name: 'history',
  measure(place) {
    const folder = join(place.root, 'history');
    mkdirSync(folder, { recursive: true });
    try {
      return Promise.resolve([...readCold(folder), ...askWarm(folder)]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function lineOf(at: number): string {
  return `${PROGRAMS[at % 8]} ${REST[(at * 7) % 8]} ${(at * 31) % 4000}`;
}

function entryOf(at: number): NewLine {
  const id = `mwqgtu93-7ow.${at}`;
  const cwd = `/home/me/project-${at % 40}`;
  return {
    id,
    line: lineOf(at),
    at: 1_700_000_000_000 + at * 60_000,
    cwd,
    route: 'command',
    who: 'user',
    session: 's',
  };
}

/** As it is after tidying up, and as it is when no end was joined with its line yet. */
function writeStores(folder: string): { readonly joined: string; readonly raw: string } {
  const [joined, raw] = [join(folder, 'joined.jsonl'), join(folder, 'raw.jsonl')];
  const entries = Array.from({ length: LINES }, (_, at) => entryOf(at));
  const text = (records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
  writeFileSync(joined, text(entries.map(({ id: _, ...entry }) => ({ ...entry, exit: 0, ms: 12 }))));
  writeFileSync(
    raw,
    text(entries.flatMap((entry, at) => [entry, ...(at % 2 ? [{ end: entry.id, exit: 0, ms: 12 }] : [])])),
  );
  return { joined, raw };
}

function readCold(folder: string): readonly Measured[] {
  const stores = writeStores(folder);
  const load = (path: string) => {
    const script = join(import.meta.dir, '../history-process.ts');
    const done = Bun.spawnSync([process.execPath, script, path]);
    return JSON.parse(done.stdout.toString()) as { loadMs: number; mib: number };
  };
  const joined = Array.from({ length: 11 }, () => load(stores.joined));
  const raw = Array.from({ length: 11 }, () => load(stores.raw));
  return [
    { what: 'history: 10,000 lines read at once', unit: 'ms', values: joined.map(({ loadMs }) => loadMs), atMost: 20 },
    { what: 'history: with 5,000 ends apart', unit: 'ms', values: raw.map(({ loadMs }) => loadMs), atMost: 30 },
    { what: 'history: what they hold of the heap', unit: 'MiB', values: joined.map(({ mib }) => mib), atMost: 4 },
  ];
}

function askWarm(folder: string): readonly Measured[] {
  const path = join(folder, 'joined.jsonl');
  const lines = new PromptHistory({ path, rules: RULES, maxLines: LINES, session: 'x', cwd: '/home/me/project-1' });
  const timed = (action: () => unknown): number => {
    const begun = now();
    action();
    return (now() - begun) * 1000;
  };
  const theme = createTheme({ TERM: 'xterm' });
  const ghosts: number[] = [];
  const keys: number[] = [];
  for (let at = 0; at < 40; at++) {
    const line = lineOf(at * 97);
    lines.refresh(`/home/me/project-${at}`);
    for (let end = 1; end <= line.length; end++) ghosts.push(timed(() => lines.suggest(line.slice(0, end))));
    const search = lines.search('');
    for (const text of line.replace(/[aeiou]/g, '').slice(0, 12)) {
      const press = (): void => {
        search.handle({ type: 'text', text });
        search.rows(SIZE, theme);
      };
      keys.push(timed(press));
    }
  }
  const appended = Array.from({ length: 200 }, (_, at) => {
    return timed(() =>
      lines.end(lines.begin({ line: `new ${at}`, route: 'command', cwd: '/x' }), { exit: 0, durationMs: 1 }),
    );
  });
  lines.close();
  return [
    { what: 'history: ghost text, a key', unit: 'µs', values: ghosts, atMost: 100 },
    {
      what: 'history: Ctrl-R, a key',
      unit: 'ms',
      values: keys.map((value) => value / 1000),
      atMost: 16,
      p99AtMost: 16,
    },
    { what: 'history: a line and its end written', unit: 'µs', values: appended, atMost: 1000 },
  ];
}
