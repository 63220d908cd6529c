import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRIES } from '../compile.ts';
import { ROOT } from '../steps.ts';
import { run } from './run.ts';

/** A package whose code is in the program. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  /** The text of its licence; null if the package has none. */
  readonly text: string | null;
  /** The hash in package-lock.json, as `sha512-BASE64`. */
  readonly integrity: string | null;
  readonly homepage: string | null;
}

/** The packages whose modules are in a bundle of the program, by name. The folder is for the bundle. */
export function bundledPackages(folder: string): readonly BundledPackage[] {
  const list = join(folder, 'modules.json');
  run([
    process.execPath,
    'build',
    '--target=bun',
    '--splitting',
    `--outdir=${folder}`,
    `--metafile=${list}`,
    ...ENTRIES,
  ]);
  const { inputs }: { inputs: Record<string, unknown> } = JSON.parse(readFileSync(list, 'utf8'));
  const lock: { packages: Record<string, { integrity?: string }> } = JSON.parse(
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
  );
  const places = Object.keys(inputs).map(
    (path) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0],
  );
  const packages = [...new Set(places)]
    .filter((place) => place !== undefined)
    .map((place) => readPackage(join(ROOT, place), lock.packages[place]?.integrity ?? null));
  return packages.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function readPackage(folder: string, integrity: string | null): BundledPackage {
  const {
    name,
    version,
    license = 'NOASSERTION',
    homepage = null,
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.\w+)?$/i.test(entry));
  return {
    name,
    version,
    license,
    homepage,
    integrity,
    text: file === undefined ? null : readFileSync(join(folder, file), 'utf8'),
  };
}

const LINE = '-'.repeat(80);

/** The notices of everything that the program is made of besides its own code. */
export function formatNotices(packages: readonly BundledPackage[], bun: string): string {
  const parts = packages.map(({ name, version, license, homepage, text }) =>
    [
      `${name} ${version} (${license})`,
      ...(homepage === null ? [] : [homepage]),
      '',
      text?.trim() ?? `Licence: ${license}`,
    ].join('\n'),
  );
  const runtime = [
    `Bun ${bun} (MIT)`,
    'https://bun.sh',
    '',
    'The executable contains the runtime Bun, which is under the MIT licence. Bun contains JavaScriptCore and other parts of WebKit, which',
    'are under the GNU Library General Public License 2, and further libraries under licences of their own. All of them, with their sources',
    'and the way to link a changed JavaScriptCore, are listed at https://bun.sh/docs/project/licensing.',
  ].join('\n');
  return `aish contains the software below.\n\n${[...parts, runtime].map((part) => `${LINE}\n${part}\n`).join('\n')}`;
}

/** The subject of a bill of materials. */
export interface BillSubject {
  readonly version: string;
  readonly commit: string;
  /** Time of the commit, as ISO 8601. */
  readonly timestamp: string;
  readonly bun: string;
}

/** A software bill of materials in CycloneDX 1.5. The same input gives the same text. */
export function formatBill(
  packages: readonly BundledPackage[],
  { version, commit, timestamp, bun }: BillSubject,
): string {
  const reference = (name: string, of: string): string => `pkg:npm/${name.replace('@', '%40')}@${of}`;
  const components = [
    ...packages.map(({ name, version: own, license, integrity }) => ({
      type: 'library',
      'bom-ref': reference(name, own),
      name,
      version: own,
      purl: reference(name, own),
      licenses: [{ license: { id: license } }],
      ...(integrity === null ? {} : { hashes: [{ alg: 'SHA-512', content: toHex(integrity) }] }),
    })),
    {
      type: 'platform',
      'bom-ref': reference('bun', bun),
      name: 'bun',
      version: bun,
      purl: reference('bun', bun),
      licenses: [{ license: { id: 'MIT' } }],
    },
  ];
  const subject = {
    type: 'application',
    'bom-ref': `aish@${version}`,
    name: 'aish',
    version,
    licenses: [{ license: { id: 'MIT' } }],
    properties: [{ name: 'commit', value: commit }],
  };
  const dependencies = [{ ref: subject['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) }];
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { timestamp, component: subject },
    components,
    dependencies,
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function toHex(integrity: string): string {
  return Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
}
