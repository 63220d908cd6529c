import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawPrompt, drawRows } from '../support/drawn.ts';
import { FRAMEWORKS, isMissing } from '../support/frameworks.ts';
import { ADA } from '../support/git-place.ts';
import { openTerminal, type TestTerminal } from '../support/terminal.ts';
import { useFolder } from '../support/test-folder.ts';
import { openTestShell, type TestShell } from '../support/test-shell.ts';
import { until } from '../support/until.ts';

const base = useFolder('frameworks');
/** Each shows in the prompt of some framework: the status, the directory, a change in the repository. */
const LINES: readonly (readonly [line: string, exit: number])[] = [
  ['true', 0],
  ['(exit 3)', 3],
  ['cd ~/repo/sub', 0],
  ['touch ~/repo/new', 0],
];
/** The notes of `drawRows` about the colours. */
const LOOK = /<[\d/b]*>/g;

/** A framework's process that has not answered by then has lost its answer. */
const LOST_MS = 1500;

interface Seen {
  readonly own: readonly string[];
  readonly bare: readonly string[];
}

describe.each([...FRAMEWORKS])('$name in $shell', (framework) => {
  const { name, shell, file, rc } = framework;
  const home = join(base, `${shell} ${name}`.replaceAll(' ', '-'));
  const missing = isMissing(framework);
  const place = {
    cwd: join(home, 'repo'),
    env: { PATH: process.env.PATH ?? '', HOME: home, USER: 'ada', LOGNAME: 'ada', LANG: 'C.UTF-8' },
  };
  let bare: TestTerminal;
  let own: TestShell;

  beforeAll(() => {
    if (missing) return;
    mkdirSync(join(home, 'repo/sub'), { recursive: true });
    writeFileSync(join(home, `.${shell}rc`), rc);
    writeFileSync(join(home, '.gitconfig'), ADA);
    const git = (...args: string[]) => execFileSync('git', args, { cwd: place.cwd, env: place.env, stdio: 'ignore' });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    own = openTestShell(shell, { ...place, renderPrompt: true });
    bare = openTerminal({ command: shell, args: ['-i'], ...place });
  });
  afterAll(async () => {
    await bare?.close();
    await own?.[Symbol.asyncDispose]();
  });

  test.skipIf(missing)(
    `[fidelity.frameworks] shows the prompt of the bare shell${missing ? ` (no ${file})` : ''}`,
    async () => {
      await own.ready();
      await seenBoth('');
      for (const [line, exit] of LINES) {
        bare.type(`${line}\n`);
        expect(await own.run(line)).toMatchObject({ exit, output: '' });
        await seenBoth(line);
      }
      expect(await own.run('echo hi')).toMatchObject({ exit: 0, output: 'hi\n' });
      const [line, output] = framework.loaded;
      expect((await own.run(line)).output).toMatch(output);
      if (framework.unsure !== undefined) expect(own.prompts.join('\n')).toMatch(framework.prompt);
      expect(own.troubles).toEqual([]);
      // Some set a row free above the prompt.
      expect(visible(own.outside()).trim()).toBe('');
    },
  );

  function sure(rows: readonly string[]): string[] {
    return rows.map((row) => (framework.unsure === undefined ? row : row.replace(framework.unsure, '')));
  }

  /** Settles when both show one prompt behind a line, as a whole: parts of it may come later. */
  async function seenBoth(line: string): Promise<Seen> {
    const awaited = { what: `one prompt in both behind "${line}"`, limitMs: 10_000, lookMs: 30 };
    const look = async (): Promise<Seen> => ({
      own: await drawPrompt(own.shell.report.prompt ?? '', own.shell.report.rightPrompt),
      bare: behind(await drawRows(bare.raw()), line),
    });
    const begun = performance.now();
    const isLost = (): boolean => framework.unsure !== undefined && performance.now() - begun > LOST_MS;
    const isIt = (seen: Seen): boolean =>
      (framework.prompt.test(seen.own.join('\n').replaceAll(LOOK, '')) || isLost()) &&
      Bun.deepEquals(sure(seen.own), sure(seen.bare));
    return await until(awaited, look, isIt);
  }
});

/** The rows behind that in which the line was typed. */
function behind(rows: readonly string[], line: string): string[] {
  const typed = rows.findLastIndex((row) => `${row.replaceAll(LOOK, '')}  `.includes(`${line}  `));
  const rest = line === '' ? [...rows] : rows.slice(typed + 1);
  while (rest[0] === '') rest.shift();
  return rest;
}

/** The visible rest of a text without titles and other control strings. */
function visible(text: string): string {
  return text.replace(/\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, '');
}
