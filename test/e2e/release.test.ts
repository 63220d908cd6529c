import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile } from '../../scripts/compile.ts';
import { packDebian } from '../../scripts/release/debian-package.ts';
import { packLauncher, packProgram } from '../../scripts/release/npm-packages.ts';
import { run } from '../../scripts/release/run.ts';
import { TARGETS } from '../../scripts/release/targets.ts';
import { VERSION } from '../../src/protocol/version.ts';
import { hasProgram } from '../support/programs.ts';

setDefaultTimeout(180_000);

/** The platform of this machine. */
const HOST = TARGETS.find(({ os, cpu, libc }) => os === process.platform && cpu === process.arch && libc !== 'musl');

/** The program takes half a minute of packing: where the Debian package has it, the npm package has one that starts it. */
const IS_STAND_IN = process.env.AISH_RELEASE !== 'all';

const HAS_DPKG = HOST?.debian !== undefined && hasProgram('dpkg');

describe.skipIf(HOST === undefined)('a release', () => {
  if (HOST === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'aish-release-'));
  const program = join(folder, 'built/aish');
  const out = join(folder, 'out');
  const home = join(folder, 'home');
  const epoch = 1_700_000_000;
  const deps = {
    version: VERSION,
    notices: 'notices\n',
    scratch: join(folder, 'scratch'),
    out,
    epoch,
    compression: ['-Znone'],
  };
  const environment = { HOME: home, PATH: '/usr/bin:/bin', SHELL: '/bin/bash', LANG: 'C.UTF-8' };
  const shown = (command: readonly string[]): string => {
    const child = Bun.spawnSync([...command], {
      env: environment,
      cwd: home,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    return `${child.stdout.toString()}${child.stderr.toString()}`;
  };

  beforeAll(() => {
    for (const path of [out, home]) mkdirSync(path, { recursive: true });
    expect(compile(program, { commit: 'abc123' })).toBe(true);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('[release.same] the same sources give the same bytes, and the version names commit and runtime', () => {
    const again = join(folder, 'again/aish');
    expect(compile(again, { commit: 'abc123' })).toBe(true);
    expect(readFileSync(again).equals(readFileSync(program))).toBe(true);
    expect(shown([again, '--version'])).toBe(`aish ${VERSION} (commit abc123, Bun ${Bun.version})\n`);
  });

  test('[release.npm] the packed files install without scripts and network, and the demo runs', () => {
    const starter = join(folder, 'starter');
    writeFileSync(starter, `#!/bin/sh\nexec '${program}' "$@"\n`, { mode: 0o755 });
    const packed = [packLauncher(deps), packProgram(HOST, HAS_DPKG && IS_STAND_IN ? starter : program, deps)];
    const prefix = join(folder, 'prefix');
    const cache = `--cache=${join(folder, 'cache')}`;
    run([
      'npm',
      'install',
      '--global',
      '--offline',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      cache,
      `--prefix=${prefix}`,
      ...packed,
    ]);
    const installed = join(prefix, 'bin/aish');
    expect(shown([installed, '--version'])).toBe(`aish ${VERSION} (commit abc123, Bun ${Bun.version})\n`);
    expect(shown([installed, 'demo'])).toContain('tasks.txt is the longest');
    rmSync(join(prefix, 'lib/node_modules/@aish'), { recursive: true });
    expect(shown([installed, '--version'])).toContain('--omit=optional');
  });

  test.skipIf(!HAS_DPKG)('[release.deb] the Debian package installs, and the demo runs', () => {
    const root = join(folder, 'root');
    mkdirSync(join(root, 'var/lib/dpkg/updates'), { recursive: true });
    for (const name of ['status', 'available']) Bun.spawnSync(['touch', join(root, 'var/lib/dpkg', name)]);
    const file = packDebian(HOST.debian ?? '', program, deps);
    const forces = [
      '--force-not-root',
      '--force-script-chrootless',
      '--force-depends',
      '--force-architecture',
      '--no-triggers',
    ];
    run(['dpkg', `--root=${root}`, `--log=${join(folder, 'dpkg.log')}`, ...forces, '--install', file]);
    const installed = join(root, 'usr/bin/aish');
    expect(statSync(installed).size).toBe(statSync(program).size);
    expect(shown([installed, 'demo'])).toContain('tasks.txt is the longest');
    for (const path of [
      'man/man1/aish.1.gz',
      'bash-completion/completions/aish',
      'zsh/vendor-completions/_aish',
      'fish/vendor_completions.d/aish.fish',
      'doc/aish/copyright',
    ])
      expect(statSync(join(root, 'usr/share', path)).size).toBeGreaterThan(0);
    expect(run(['dpkg-deb', '--field', file, 'Recommends'])).toBe('bubblewrap, git\n');
  });
});
