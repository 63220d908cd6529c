import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, importsOf, type SourceFile } from './source.ts';

const FLOORS = ['protocol', 'core', 'adapters', 'engine', 'hosts'];

/** Imports that point up a floor, or from one host to another; each names the two files. */
export function upwardImports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    importsOf(file).flatMap(({ target }) => {
      if (target === undefined) return [];
      if (layerOf(target) > layerOf(file.path)) return [`${file.path} imports ${target}, which lies on a higher floor`];
      const [from, to] = [hostOf(file.path), hostOf(target)];
      return from !== undefined && to !== undefined && from !== to
        ? [`${file.path} imports ${target}, which is another host`]
        : [];
    }),
  );
}

/** Imports of a file that is not there. The compiler does not follow the path of a `require`. */
export function missingImports(root: string, files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter(({ target }) => target !== undefined && !existsSync(join(root, target)))
      .map(({ target }) => `${file.path} imports ${target}, which does not exist`),
  );
}

function layerOf(path: string): number {
  const [, layer = ''] = /^src\/(\w+)\//.exec(path) ?? [];
  return FLOORS.indexOf(layer);
}

function hostOf(path: string): string | undefined {
  return /^src\/hosts\/([\w-]+)\//.exec(path)?.[1];
}

const IMPURE: readonly { readonly pattern: RegExp; readonly name: string }[] = [
  { pattern: /\bnew Date\b|\bDate\.|\bDate\(/, name: 'the clock (Date)' },
  { pattern: /\bMath\.random\b/, name: 'randomness (Math.random)' },
  { pattern: /\bimport\.meta\b/, name: 'its own place (import.meta)' },
];

/** Code in `protocol` and `core` that reads a clock or throws dice; the compiler sees to the rest (files, network, timers, console). */
export function impurities(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => /^src\/(protocol|core)\//.test(file.path))
    .flatMap((file) => {
      const code = codeOf(file);
      return IMPURE.filter(({ pattern }) => pattern.test(code)).map(({ name }) => `${file.path} uses ${name}`);
    });
}

const CONTAINER = /^(?:export )?const (\w+)(?:: ([^\n]*?))? = (?:new (?:Map|Set|WeakMap|WeakSet|Array)\b|\[\]|\{\})/gm;

/** State that outlives a call: a module-level `let`, or a module-level container that is not typed as read-only. */
export function moduleState(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const variables = [...codeOf(file).matchAll(/^(?:export )?(?:let|var) (\w+)/gm)].map(([, name]) => name);
    const containers = [...file.text.matchAll(CONTAINER)]
      .filter(([, , type = '']) => !/readonly/i.test(type))
      .map(([, name]) => name);
    return [...variables, ...containers].map((name) => `${file.path} keeps module-level state in ${name}`);
  });
}

/** `process.exit` and `console` below the hosts. */
export function hostOnlyCalls(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => !file.path.startsWith('src/hosts/'))
    .flatMap((file) =>
      [...codeOf(file).matchAll(/\bprocess\.exit\b|\bconsole\.\w+/g)].map(
        ([call]) => `${file.path} calls ${call}; only hosts may`,
      ),
    );
}
