import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A package as the registry has it. */
interface Packed {
  readonly name: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly tarball: Uint8Array;
  readonly integrity: string;
}

/** A package registry on loopback with the packages of a folder. */
export class PackageRegistry {
  readonly #packages: readonly Packed[];
  readonly #server: Bun.Server<undefined>;
  /** The names of the packages whose code was fetched. */
  readonly fetched: string[] = [];

  constructor(folders: readonly string[]) {
    this.#packages = folders.map(pack);
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => this.#answer(new URL(request.url)),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/`;
  }

  integrityOf(name: string): string {
    return this.#packages.find((one) => one.name === name)?.integrity ?? '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  #answer({ pathname }: URL): Response {
    const [, name = '', file] = decodeURIComponent(pathname).split('/');
    const found = this.#packages.find((one) => one.name === name);
    if (found === undefined) return Response.json({ error: 'Not found' }, { status: 404 });
    if (file !== undefined) {
      this.fetched.push(name);
      return new Response(found.tarball);
    }
    const version = String(found.manifest.version);
    const dist = { tarball: `${this.url}${name}/${name}.tgz`, integrity: found.integrity };
    return Response.json({
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...found.manifest, dist } },
    });
  }
}

function pack(folder: string): Packed {
  const place = mkdtempSync(join(tmpdir(), 'aish-pack-'));
  cpSync(folder, join(place, 'package'), { recursive: true });
  const made = Bun.spawnSync(['tar', '-czf', '-', '-C', place, 'package']);
  rmSync(place, { recursive: true, force: true });
  if (made.exitCode !== 0) throw new Error(made.stderr.toString());
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const tarball = new Uint8Array(made.stdout);
  const integrity = `sha512-${new Bun.CryptoHasher('sha512').update(tarball).digest('base64')}`;
  return { name: manifest.name, manifest, tarball, integrity };
}
