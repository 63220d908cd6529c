import { describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AISH, Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { answer, answered, ask, asked } from '../support/conversation.ts';
import { calls, startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';
import type { TestTerminal } from '../support/terminal.ts';

const LONG = 120_000;

const HOOKS = [
  'pre-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'post-index-change',
  'post-checkout',
  'reference-transaction',
  'fsmonitor-watchman',
  'pre-auto-gc',
];

/** Programs that a repository names, each of which leaves its name behind when it is started. */
class Canaries {
  readonly #folder: string;
  readonly #trace: string;

  constructor(home: Home) {
    this.#folder = join(home.root, 'canaries');
    this.#trace = join(home.root, 'started');
    mkdirSync(this.#folder);
  }

  /** Path of a program that tells of its start under this name. */
  make(name: string): string {
    const path = join(this.#folder, name);
    writeFileSync(path, `#!/bin/sh\necho '${name}' >> '${this.#trace}'\ncat\n`);
    chmodSync(path, 0o755);
    return path;
  }

  /** Names of those that were started. */
  get started(): readonly string[] {
    return existsSync(this.#trace) ? [...new Set(readFileSync(this.#trace, 'utf8').trim().split('\n'))] : [];
  }
}

/** The settings of a repository that start programs. */
function settings(canaries: Canaries, mark: string): Readonly<Record<string, string>> {
  const canary = (name: string) => canaries.make(`${mark}-${name}`);
  return {
    'core.fsmonitor': canary('fsmonitor'),
    'core.sshCommand': canary('ssh'),
    'core.gitProxy': canary('proxy'),
    'core.askPass': canary('askpass'),
    'core.editor': canary('editor'),
    'sequence.editor': canary('sequence-editor'),
    'core.pager': canary('pager'),
    'pager.log': canary('pager-log'),
    'pager.diff': canary('pager-diff'),
    'interactive.diffFilter': canary('diff-filter'),
    'core.alternateRefsCommand': canary('alternate-refs'),
    'credential.helper': canary('credential'),
    'gpg.program': canary('gpg'),
    'gpg.ssh.program': canary('gpg-ssh'),
    'commit.gpgSign': 'true',
    'log.showSignature': 'true',
    'diff.external': canary('diff-external'),
    'diff.evil.command': canary('diff-command'),
    'diff.evil.textconv': canary('textconv'),
    'diff.submodule': 'log',
    'merge.evil.driver': canary('merge'),
    'filter.evil.clean': canary('clean'),
    'filter.evil.smudge': canary('smudge'),
    'filter.evil.required': 'true',
    'filter.long.process': canary('process'),
    'status.submoduleSummary': 'true',
    'submodule.recurse': 'true',
    'remote.origin.url': `ext::${canary('ext')}`,
    'remote.origin.uploadpack': canary('upload-pack'),
    'remote.origin.vcs': canary('vcs'),
    'uploadpack.packObjectsHook': canary('pack-objects'),
    ...Object.fromEntries(
      ['status', 'diff-files', 'ls-files', 'rev-parse', 'log', 'add', 'for-each-ref', 'check-ignore'].map((name) => [
        `alias.${name}`,
        `!${canary(`alias-${name}`)}`,
      ]),
    ),
  };
}

/** Gives a repository every setting, attribute and hook that starts a program; some of the settings by way of an included file. */
function arm(folder: string, canaries: Canaries, mark: string): void {
  const git = join(folder, '.git');
  const target = existsSync(join(git, 'HEAD')) ? git : join(folder, readFileSync(git, 'utf8').slice(8).trim());
  const lines = Object.entries(settings(canaries, mark)).map(([name, value]) => {
    const [section = '', ...rest] = name.split('.');
    const key = rest.pop();
    return `[${section}${rest.length > 0 ? ` "${rest.join('.')}"` : ''}]\n\t${key} = ${JSON.stringify(value)}\n`;
  });
  const config = join(target, 'config');
  const half = Math.floor(lines.length / 2);
  writeFileSync(join(target, 'more'), lines.slice(half).join(''));
  writeFileSync(config, `${readFileSync(config, 'utf8')}${lines.slice(0, half).join('')}[include]\n\tpath = more\n`);
  writeFileSync(join(folder, '.gitattributes'), '* filter=evil diff=evil merge=evil\n*.long filter=long\n');
  mkdirSync(join(target, 'info'), { recursive: true });
  writeFileSync(join(target, 'info/attributes'), 'README filter=long diff=evil\n');
  mkdirSync(join(target, 'hooks'), { recursive: true });
  for (const hook of HOOKS) renameSync(canaries.make(`${mark}-hook-${hook}`), join(target, 'hooks', hook));
}

/** A repository with a submodule, a branch for completion, and changes in both; all of it armed, or only the submodule. */
function makeHostile(home: Home, armed: 'all' | 'submodule' = 'all'): Canaries {
  const origin = join(home.root, 'origin');
  mkdirSync(origin);
  const at = (folder: string, ...args: string[]) => home.git('-C', folder, '-c', 'protocol.file.allow=always', ...args);
  at(origin, 'init', '-q', '-b', 'main');
  writeFileSync(join(origin, 'inner'), 'inner\n');
  at(origin, 'add', '-A');
  at(origin, '-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-qm', 'inner');
  at(home.work, 'submodule', '--quiet', 'add', origin, 'sub');
  writeFileSync(join(home.work, 'a.long'), 'long\n');
  home.git('add', '-A');
  home.git('commit', '-qm', 'all');
  home.git('branch', 'hostile-branch');
  const canaries = new Canaries(home);
  if (armed === 'all') {
    arm(home.work, canaries, 'top');
    // All files may have changed since the index was written, for all that their times tell: git has to read each through its filter.
    utimesSync(join(home.work, '.git/index'), 1e9, 1e9);
  }
  arm(join(home.work, 'sub'), canaries, 'sub');
  // The new text has the same length, so that only its content tells git of the change, and reading that takes the filter.
  for (const name of ['README', 'a.long', 'sub/inner']) {
    const before = readFileSync(join(home.work, name), 'utf8');
    writeFileSync(join(home.work, name), before.toUpperCase());
    utimesSync(join(home.work, name), 1e9, 1e9);
  }
  writeFileSync(join(home.work, 'new.txt'), 'untracked\n');
  return canaries;
}

/** Variables by which a user's surroundings may change git. */
function hostileEnvironment(canaries: Canaries): Record<string, string> {
  const canary = (name: string) => canaries.make(`env-${name}`);
  return {
    GIT_EXTERNAL_DIFF: canary('external-diff'),
    GIT_SSH_COMMAND: canary('ssh'),
    GIT_ASKPASS: canary('askpass'),
    SSH_ASKPASS: canary('ssh-askpass'),
    GIT_EDITOR: canary('editor'),
    GIT_PAGER: canary('pager'),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: canary('fsmonitor'),
    GIT_CONFIG_PARAMETERS: `'core.fsmonitor'='${canary('parameters')}'`,
  };
}

function write(content: string) {
  return calls({ name: 'aish__write_file', arguments: { path: 'test.txt', content } });
}

test(
  '[checkpoint.helpers] the programs of the hostile repository are alive: git as a user runs it starts them',
  () => {
    using home = new Home();
    const canaries = makeHostile(home);
    Bun.spawnSync(['git', '--no-pager', 'diff'], { cwd: home.work, env: home.env });
    Bun.spawnSync(['git', 'commit', '-aqm', 'x'], { cwd: home.work, env: home.env });
    const expected = ['top-fsmonitor', 'top-diff-command', 'top-process', 'sub-fsmonitor', 'sub-clean'];
    expect(expected.filter((name) => !canaries.started.includes(name))).toEqual([]);
  },
  LONG,
);

describe('git run by aish', () => {
  test.each([
    ['ref', 'all'],
    ['commit', 'all'],
    ['commit', 'submodule'],
  ] as const)(
    '[checkpoint.helpers] starts no program of a hostile repository (mode "%s", armed: %s)',
    async (mode, armed) => {
      using home = new Home();
      const canaries = makeHostile(home, armed);
      await using server = startModelServer({ script: [write('one\n'), text('Written.')] });
      home.useModel(server.url, `[checkpoint]\nmode = "${mode}"`);
      await using terminal = home.open([], { env: hostileEnvironment(canaries) });
      await ask(terminal, 'write it');
      await asked(terminal, 'aish.write_file');
      await answer(terminal, 'y');
      await answered(terminal, 'Written.');
      const isMade = mode === 'ref' || armed === 'submodule';
      expect(terminal.history().includes('cannot stage the changes')).toBe(!isMade);
      await show(terminal, ':diff', isMade ? '+one' : 'there is no checkpoint');
      await show(terminal, ':checkpoints', isMade ? 'before' : 'No checkpoints');
      await show(terminal, ':undo', isMade ? 'removed' : 'nothing to undo');
      expect([...canaries.started]).toEqual([]);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[checkpoint.helpers] names for completion are read without it',
    async () => {
      using home = new Home();
      const canaries = makeHostile(home);
      // The helper shell runs git as the user's own shell would; names of branches take none.
      await using terminal = home.open([], { env: { ...hostileEnvironment(canaries), SHELL: '/bin/sh' } });
      await prompted(terminal);
      terminal.type('git checkout hostile-\t');
      await terminal.waitFor(/git checkout hostile-branch/, PATIENCE);
      expect([...canaries.started]).toEqual([]);
    },
    LONG,
  );

  test.skipIf(!hasProgram('strace'))(
    '[checkpoint.helpers] is the only program that a headless run starts, each time with the settings of aish',
    async () => {
      using home = new Home();
      const canaries = makeHostile(home, 'submodule');
      await using server = startModelServer({ script: [write('one\n'), text('Written.')] });
      home.useModel(server.url, '[checkpoint]\nmode = "commit"');
      const trace = join(home.root, 'trace');
      const watched = Bun.spawn(
        ['strace', '-f', '-qq', '-s', '4096', '-e', 'trace=execve', '-e', 'signal=none', '-o', trace].concat(
          AISH,
          '--approve',
          'all',
          'write it',
        ),
        { cwd: home.work, env: { ...home.env, ...hostileEnvironment(canaries) }, stdin: 'ignore', stdout: 'pipe' },
      );
      expect(await watched.exited).toBe(0);
      const started = programsIn(readFileSync(trace, 'utf8'));
      const gits = started.filter(({ program }) => program === 'git');
      const others = started.filter(
        ({ program }) => !['git', basename(AISH), 'bun', 'bun.exe', 'readlink'].includes(program),
      );
      expect([others, gits.filter(({ line }) => !line.includes('"core.fsmonitor=false"'))]).toEqual([[], []]);
      expect(gits.length).toBeGreaterThan(5);
      expect(existsSync(join(home.work, 'test.txt'))).toBe(true);
    },
    LONG,
  );
});

/** Types a line and settles when its answer stands on the screen. */
async function show(terminal: TestTerminal, line: string, answer: string): Promise<void> {
  await prompted(terminal);
  const before = terminal.history().split(answer).length;
  terminal.type(`${line}\n`);
  await terminal.waitForHistory((history) => history.split(answer).length > before, PATIENCE);
}

function programsIn(trace: string): { readonly program: string; readonly line: string }[] {
  const calls = new Map<string, string>();
  return trace.split('\n').flatMap((line) => {
    // A call during which another process makes one stands in two lines, of which the second says how it ended.
    const pid = /^\d+/.exec(line)?.[0] ?? '';
    if (line.includes('execve(')) calls.set(pid, line);
    const call = calls.get(pid) ?? line;
    return line.endsWith(' = 0') ? [{ program: basename(/execve\("([^"]+)"/.exec(call)?.[1] ?? ''), line: call }] : [];
  });
}
