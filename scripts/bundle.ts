// Bundles the program, in a process of its own: `bundle.ts OPTIONS`, with the options of Bun.build as JSON. `compile.ts` runs it.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BuildConfig, BunPlugin } from 'bun';
import { ROOT } from './steps.ts';

/*
 * The bundler puts modules into one chunk that the same entries and lazy imports load. With 160 lazy imports nearly each module that a start
 * needs had a chunk of its own: 45 to the prompt, 71 to the answer of a one-shot. To load a chunk takes about 30 µs. So whoever loads one
 * module of a group loads all of it, and the group is one chunk.
 */

/** The imports of a module, by the time at which they load. */
interface Imports {
  readonly now: readonly string[];
  readonly later: readonly string[];
}

const known = new Map<string, Imports>();

function importsOf(path: string): Imports {
  const found = known.get(path) ?? readImports(path);
  known.set(path, found);
  return found;
}

function readImports(path: string): Imports {
  const own = new Bun.Transpiler({ loader: 'ts' })
    .scanImports(readFileSync(path, 'utf8'))
    .filter((one) => one.path.startsWith('.') && one.path.endsWith('.ts'));
  const isLazy = ({ kind }: (typeof own)[number]): boolean => kind === 'dynamic-import' || kind === 'require-call';
  const toPath = (one: (typeof own)[number]): string => join(dirname(path), one.path);
  return { now: own.filter((one) => !isLazy(one)).map(toPath), later: own.filter(isLazy).map(toPath) };
}

/** The modules that come with these, by the given kinds of imports. */
function closureOf(entries: readonly string[], next: (imports: Imports) => readonly string[]): ReadonlySet<string> {
  const all = new Set(entries);
  for (const path of all) for (const found of next(importsOf(path))) all.add(found);
  return all;
}

const loadedWith = (path: string): ReadonlySet<string> => closureOf([join(ROOT, 'src', path)], ({ now }) => now);

/** The groups: what the prompt and a one-shot need, and what only the prompt needs. The entry itself stays apart. */
function groups(): readonly (readonly string[])[] {
  const [main, shell, print] = ['main.ts', 'cli/main/shell.ts', 'cli/main/print.ts'].map((path) =>
    loadedWith(`hosts/${path}`),
  );
  const toPrompt = [...(shell ?? [])].filter((path) => main?.has(path) !== true);
  return [toPrompt.filter((path) => print?.has(path)), toPrompt.filter((path) => !print?.has(path))];
}

/** Lets each module that is loaded late load the whole of a group with a part of it. */
function together(entries: readonly string[]): BunPlugin {
  const all = closureOf(entries, ({ now, later }) => [...now, ...later]);
  const late = [...entries.slice(1), ...[...all].flatMap((path) => importsOf(path).later)];
  const found = groups();
  const added = new Map(
    late.map((path) => {
      const loaded = closureOf([path], ({ now }) => now);
      const whole = found.filter((group) => group.some((one) => loaded.has(one))).flat();
      return [path, whole.filter((one) => one !== path)];
    }),
  );
  return {
    name: 'together',
    setup: (build) =>
      void build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const imports = added.get(path)?.map((other) => `import ${JSON.stringify(other)};`);
        return imports === undefined
          ? undefined
          : { loader: 'ts', contents: imports.join('') + readFileSync(path, 'utf8') };
      }),
  };
}

const options: BuildConfig & { readonly entrypoints: string[] } = JSON.parse(process.argv[2] ?? '{}');
await Bun.build({ ...options, plugins: [together(options.entrypoints)] });
