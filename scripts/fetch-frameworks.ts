// Fetches the packages of the npm registry that only tests use: prompt frameworks, and the MCP conformance tool. Without a network those tests are skipped.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installConformanceTool } from '../test/support/conformance-tool.ts';
import { FRAMEWORK_PACKAGES, type FrameworkPackage, packageFolder } from '../test/support/framework-packages.ts';

const LIMIT_MS = 90_000;

async function run(command: readonly string[], cwd: string): Promise<void> {
  const child = Bun.spawn([...command], {
    cwd,
    stdout: 'ignore',
    stderr: 'ignore',
    stdin: 'ignore',
    timeout: LIMIT_MS,
  });
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed`);
}

/** Fetches and unpacks a package, and puts it in its place only when all of it is there. */
async function fetchPackage(wanted: FrameworkPackage): Promise<void> {
  const place = packageFolder(wanted);
  if (existsSync(place)) return;
  mkdirSync(dirname(place), { recursive: true });
  const work = mkdtempSync(`${place}-`);
  try {
    await run(
      ['npm', 'pack', '--silent', '--ignore-scripts', '--fetch-retries=0', `${wanted.name}@${wanted.version}`],
      work,
    );
    const archive = [...new Bun.Glob('*.tgz').scanSync(work)][0] ?? '';
    const hash = new Bun.CryptoHasher('sha512').update(await Bun.file(join(work, archive)).bytes()).digest('base64');
    if (`sha512-${hash}` !== wanted.integrity) throw new Error('the hash of the package is another one');
    await run(['tar', 'xzf', archive], work);
    renameSync(join(work, 'package'), place);
  } catch (error) {
    console.error(`aish: ${wanted.name}@${wanted.version} cannot be fetched (${error}); its test is skipped`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function fetchConformanceTool(): Promise<void> {
  await installConformanceTool().catch(() => console.error('aish: no MCP conformance tool; its tests are skipped'));
}

await Promise.all([...Object.values(FRAMEWORK_PACKAGES).map(fetchPackage), fetchConformanceTool()]);
