import { importsOf, packageOf, type SourceFile } from './source.ts';

/** Folders by package. */
export type Homes = Readonly<Record<string, readonly string[]>>;

/** The folder that each npm package may be imported from. A schema of valibot may also be checked at the door it guards. */
export const HOMES: Homes = {
  valibot: ['src/protocol/', 'src/adapters/config/', 'src/hosts/daemon/'],
  '@modelcontextprotocol/client': ['src/adapters/mcp/'],
  '@modelcontextprotocol/server': ['src/hosts/mcp/'],
  '@ai-sdk/anthropic': ['src/adapters/model/provider-wire.ts'],
  '@ai-sdk/openai': ['src/adapters/model/provider-wire.ts'],
  '@ai-sdk/google': ['src/adapters/model/provider-wire.ts'],
  '@ai-sdk/provider': ['src/adapters/model/'],
  hono: ['src/hosts/daemon/'],
  unbash: ['src/core/commands/syntax.ts'],
  'toml-eslint-parser': ['src/adapters/config/'],
};

/** Imports of npm packages outside their home, or without one. */
export function strayImports(files: readonly SourceFile[], homes: Homes): string[] {
  return files.flatMap((file) =>
    importsOf(file).flatMap(({ specifier }) => {
      const name = packageOf(specifier);
      if (name === undefined) return [];
      const home = homes[name];
      if (home === undefined) return [`${file.path} imports ${name}, which has no home yet`];
      if (home.some((folder) => file.path.startsWith(folder))) return [];
      return [`${file.path} imports ${name}, whose home is ${home.join(' or ')}`];
    }),
  );
}

/** The parts of a package.json that the rules read. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Dependencies that are not pinned to one version, and runtime ones that nothing may import. */
export function loosePins(manifest: Manifest, homes: Homes): string[] {
  const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  const loose = all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  const homeless = Object.keys(manifest.dependencies ?? {}).filter((name) => homes[name] === undefined);
  return [
    ...loose.map(([name, version]) => `${name} is "${version}", not one exact version`),
    ...homeless.map((name) => `${name} is a dependency without a home`),
  ];
}

/** Lines of a lock file that bind it to one registry's address. */
export function registryAddresses(lock: string): string[] {
  return lock
    .split('\n')
    .filter((line) => /"resolved":\s*"https?:/.test(line))
    .map((line) => line.trim());
}
