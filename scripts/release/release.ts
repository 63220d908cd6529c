// Builds the program for every platform, and packs it: archives, npm packages, Debian packages, formula, notices, bill of materials, hashes.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../src/protocol/version.ts';
import { compile } from '../compile.ts';
import { ROOT } from '../steps.ts';
import { bundledPackages, formatBill, formatNotices } from './bundled-packages.ts';
import { packDebian } from './debian-package.ts';
import { formatFormula } from './formula.ts';
import { packLauncher, packProgram } from './npm-packages.ts';
import { run } from './run.ts';
import { fetchRuntime, lockedRuntime } from './runtimes.ts';
import { TARGETS, type Target } from './targets.ts';

const USAGE = `usage: npm run release -- [--only PLATFORM,…] [--url URL]
  --only PLATFORM,…  build only these: ${TARGETS.map(({ name }) => name).join(', ')}
  --url URL          the address below which the archives will lie, for the Homebrew formula
`;

interface Wanted {
  readonly targets: readonly Target[];
  readonly url: string | null;
}

function readArguments(words: readonly string[]): Wanted | null {
  let wanted: Wanted = { targets: TARGETS, url: null };
  for (let at = 0; at < words.length; at += 2) {
    const value = words[at + 1];
    if (value === undefined) return null;
    if (words[at] === '--url') wanted = { ...wanted, url: value.replace(/\/$/, '') };
    else if (words[at] === '--only') {
      const names = value.split(',');
      if (names.some((name) => !TARGETS.some((target) => target.name === name))) return null;
      wanted = { ...wanted, targets: TARGETS.filter(({ name }) => names.includes(name)) };
    } else return null;
  }
  return wanted;
}

/** The commit that is built; changes that are not committed are marked, because nobody can build them again. */
function readCommit(): { readonly commit: string; readonly epoch: number } {
  const [hash = '', time = ''] = run(['git', 'log', '-1', '--format=%H %ct'], { cwd: ROOT }).trim().split(' ');
  const isChanged = run(['git', 'status', '--porcelain', '--untracked-files=no'], { cwd: ROOT }) !== '';
  return { commit: `${hash.slice(0, 12)}${isChanged ? '+changes' : ''}`, epoch: Number(time) };
}

/** An archive of one executable and the texts beside it: the same bytes for the same content. */
function packArchive(
  { name }: Target,
  program: string,
  { notices, scratch, out, epoch }: Parameters<typeof packDebian>[2],
): string {
  const folder = join(scratch, 'archive', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(program, join(folder, 'aish'));
  chmodSync(join(folder, 'aish'), 0o755);
  for (const file of ['LICENSE', 'README.md']) copyFileSync(join(ROOT, file), join(folder, file));
  copyFileSync(join(ROOT, 'docs/aish.1'), join(folder, 'aish.1'));
  writeFileSync(join(folder, 'NOTICES'), notices);
  const tar = join(scratch, `${name}.tar`);
  run([
    'tar',
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u+rw,go-w',
    `--mtime=@${epoch}`,
    '-cf',
    tar,
    '-C',
    folder,
    '.',
  ]);
  const path = join(out, `aish-${VERSION}-${name}.tar.gz`);
  writeFileSync(path, Bun.gzipSync(readFileSync(tar), { level: 6 }));
  rmSync(tar);
  return path;
}

function release({ targets, url }: Wanted): void {
  const { commit, epoch } = readCommit();
  const out = join(ROOT, 'dist/release', VERSION);
  const scratch = join(ROOT, 'dist/release/scratch');
  for (const folder of [out, scratch]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const packages = bundledPackages(join(scratch, 'bundle'));
  const bun = Bun.version;
  const notices = formatNotices(packages, bun);
  const deps = { version: VERSION, notices, scratch, out, epoch, compression: ['-Zxz', '-z6'] };
  const hashes = new Map<string, string>();
  for (const target of targets) {
    const { version } = lockedRuntime(target);
    if (version !== bun)
      throw new Error(`this is Bun ${bun}, but package-lock.json pins @oven/${target.runtime}@${version}`);
    const runtime = { target: target.compileAs, program: fetchRuntime(target, join(ROOT, 'dist/runtimes')) };
    const program = join(scratch, 'programs', target.name, 'aish');
    if (!compile(program, { commit, runtime })) throw new Error(`cannot build ${target.name}`);
    hashes.set(target.name, sha256(packArchive(target, program, deps)));
    packProgram(target, program, deps);
    if (target.debian !== undefined) packDebian(target.debian, program, deps);
    process.stdout.write(
      `${target.name}${target.isTested ? '' : ' (untested)'}: ${(statSync(program).size / 1e6).toFixed(1)} MB\n`,
    );
  }
  packLauncher(deps);
  writeFileSync(join(out, 'NOTICES'), notices);
  const timestamp = new Date(epoch * 1000).toISOString();
  writeFileSync(
    join(out, `aish-${VERSION}.cdx.json`),
    formatBill(packages, { version: VERSION, commit, timestamp, bun }),
  );
  if (url !== null) writeFileSync(join(out, 'aish.rb'), formatFormula({ version: VERSION, url, hashes }));
  const names = readdirSync(out).sort();
  writeFileSync(join(out, 'SHA256SUMS'), names.map((name) => `${sha256(join(out, name))}  ${name}\n`).join(''));
  rmSync(scratch, { recursive: true });
  process.stdout.write(`${out}: ${names.length + 1} files, commit ${commit}\n`);
}

function sha256(path: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex');
}

const wanted = readArguments(process.argv.slice(2));
if (wanted === null) {
  process.stderr.write(USAGE);
  process.exit(2);
}
release(wanted);
