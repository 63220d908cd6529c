// Times every regular expression of the source on inputs made to be bad for it, and lists those that take too long.
//
// The expressions come from the syntax tree of TypeScript (literals, and `new RegExp` as far as its text shows), and from a recorder that
// stands in the place of
// `RegExp` while modules load, for what is built from constants. An engine that gives up answers "no match" in silence, so that only time
// tells: a
// parent counts the seconds of a child and kills it.
import { join, relative } from 'node:path';
import {
  isIdentifier,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isRegularExpressionLiteral,
  isStringLiteral,
  isTemplateExpression,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/async';
import { ROOT } from './steps.ts';
import { toText, type WorstInput, worstInputs } from './worst-inputs.ts';

/** The place of an expression, and its source. */
interface Expression {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** The result for one expression; null for the time if the deadline passed. */
interface Timing {
  readonly milliseconds: number | null;
  readonly input: WorstInput | null;
}

/** Expressions that may take longer, with the reason. */
interface Exception {
  readonly file: string;
  /** How the source begins; all of the file, where absent. */
  readonly source?: string;
  readonly reason: string;
  /** The longest text they are given: they are timed on that. */
  readonly longest?: number;
  /** For what takes time in proportion to its text, with a large factor: what it was measured to take, and may. */
  readonly milliseconds?: number;
  /** For what is given our own constants alone: it is not timed. */
  readonly isOwnText?: true;
}

const EXCEPTIONS: readonly Exception[] = [
  {
    file: 'src/core/impact/effect-words.ts',
    source: String.raw`\B(?=(\d{3})+$)`,
    reason: 'groups the figures of a number',
    longest: 30,
  },
  {
    file: 'src/core/context/summary-request.ts',
    source: String.raw`\B(?=(\d{3})+$)`,
    reason: 'groups the figures of a number',
    longest: 30,
  },
  { file: 'src/core/code-colours/highlight-code.ts', reason: 'longer lines of code stay plain', longest: 1200 },
  { file: 'src/adapters/shell/usual-prompt.ts', reason: "reads the user's own prompt", longest: 2000 },
  {
    file: 'src/core/routing/command-table.ts',
    source: '^([^!=(]+)',
    reason: 'reads an entry of the table of commands, which is part of the program',
    isOwnText: true,
  },
  {
    file: 'src/adapters/secrets/fingerprints.ts',
    source: '(?<=[=:])[^',
    reason: 'looks at no more than 512 characters behind each sign (measured 7 ms)',
    milliseconds: 15,
  },
  {
    file: 'src/adapters/files/private-files.ts',
    source: '"((?:[^',
    reason: 'looks at no more than 400 characters behind each quote (measured 8 ms)',
    milliseconds: 15,
  },
];

const LENGTH = 10_000;

const LIMIT_MS = 5;

const DEADLINE_MS = 20_000;

/** Expressions that are built only at their first use: a module, and the function of it to call. */
const BUILDERS: readonly { readonly module: string; readonly build: (exports: Record<string, unknown>) => void }[] = [
  { module: 'src/core/code-colours/highlight-code.ts', build: buildGrammars },
];

/** Stands for what a template puts in. */
const PUT_IN = '(?:word)';

const LANGUAGES =
  'sh js py json yaml toml ini go rust c java kotlin csharp swift ruby php lua sql html css dockerfile make diff';

const FLOORS = ['protocol', 'core', 'adapters', 'engine', 'hosts'];

/** `regular-expressions [folder]`: lists what takes more than 5 ms; the exit code is 1 where there is any. */
async function main([folder = 'src']: readonly string[]): Promise<number> {
  const built = await recordBuilt(folder);
  const written = (await readLiterals(folder)).filter((one) => !built.some((other) => isSameBuilt(one, other)));
  const expressions = [...written, ...built];
  const unique = [...new Map(expressions.map((one) => [keyOf(one), one])).values()];
  let slow = 0;
  for (const { file, source } of EXCEPTIONS) {
    if (!file.startsWith(folder) || expressions.some((one) => fits(one, file, source))) continue;
    slow += 1;
    process.stdout.write(`${file}: no such expression any more, take it out of EXCEPTIONS: ${source ?? 'any'}\n`);
  }
  for await (const [expression, timing] of timeAll(unique.filter((one) => exceptionOf(one)?.isOwnText !== true))) {
    const limit = exceptionOf(expression)?.milliseconds ?? LIMIT_MS;
    if (timing.milliseconds !== null && timing.milliseconds <= limit) continue;
    for (const same of expressions.filter((one) => keyOf(one) === keyOf(expression))) {
      slow += 1;
      process.stdout.write(`${describe(same, timing)}\n`);
    }
  }
  process.stdout.write(`${unique.length} expressions, ${slow} slower than ${LIMIT_MS} ms\n`);
  return slow === 0 ? 0 : 1;
}

/** An expression at several places is timed once, unless an exception is made for one of them. */
function keyOf(one: Expression): string {
  return `${one.source}/${one.flags}/${exceptionOf(one)?.file ?? ''}`;
}

/** The exception that is made for an expression. */
function exceptionOf(expression: Expression): Exception | undefined {
  return EXCEPTIONS.find(({ file, source }) => fits(expression, file, source));
}

function fits({ place, source }: Expression, file: string, beginning = ''): boolean {
  return place.replace(/:\d+$/, '') === file && source.startsWith(beginning);
}

/** Whether what a template shows is what the recorder has seen whole. */
function isSameBuilt(written: Expression, built: Expression): boolean {
  const [head = '', ...others] = written.source.split(PUT_IN);
  const tail = others.at(-1);
  if (tail === undefined || !written.place.startsWith(`${built.place}:`)) return false;
  return built.source.startsWith(head) && built.source.endsWith(tail);
}

function describe({ place, source, flags }: Expression, { milliseconds, input }: Timing): string {
  const time = milliseconds === null ? `no end within ${DEADLINE_MS / 1000} s` : `${milliseconds.toFixed(0)} ms`;
  const { prefix = '', pump = '', count = 0, suffix = '' } = input ?? {};
  const text = `${JSON.stringify(prefix)} + ${JSON.stringify(pump)} x ${count} + ${JSON.stringify(suffix)}`;
  return `${place}: ${time} /${source}/${flags}\n    on ${text}`;
}

/** The expressions in the text of the files. */
async function readLiterals(folder: string): Promise<Expression[]> {
  const api = new API({ cwd: ROOT });
  const configs = FLOORS.map((layer) => join(ROOT, 'src', layer, 'tsconfig.json'));
  const snapshot = await api.updateSnapshot({ openProjects: configs });
  const found: Expression[] = [];
  for (const project of snapshot.getProjects()) {
    for (const path of project.rootFiles) {
      if (!relative(ROOT, path).startsWith(folder) || path.includes('.test.')) continue;
      const file = await project.program.getSourceFile(path);
      if (file !== undefined) collect(file, file, relative(ROOT, path), found);
    }
  }
  await api.close();
  return found;
}

function collect(node: Node, file: SourceFile, path: string, found: Expression[]): void {
  const [source, flags] = isRegularExpressionLiteral(node) ? splitLiteral(node.text) : readConstructed(node);
  if (source !== undefined) {
    const place = `${path}:${file.text.slice(0, node.end).split('\n').length}`;
    if (isValid(source, flags)) found.push({ place, source, flags });
  }
  node.forEachChild((child) => collect(child, file, path, found));
}

function splitLiteral(text: string): readonly [string, string] {
  const end = text.lastIndexOf('/');
  return [text.slice(1, end), text.slice(end + 1)];
}

/** The visible text of `new RegExp(…)`; a word replaces inserted values. */
function readConstructed(node: Node): readonly [string | undefined, string] {
  if (!isNewExpression(node) || !isIdentifier(node.expression) || node.expression.text !== 'RegExp')
    return [undefined, ''];
  const [source, flags] = node.arguments ?? [];
  return [
    source === undefined ? undefined : toSource(source),
    flags !== undefined && isStringLiteral(flags) ? flags.text : '',
  ];
}

function toSource(node: Node): string | undefined {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map((span) => `${PUT_IN}${span.literal.text}`).join('');
}

function isValid(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags).source !== '';
  } catch {
    return false;
  }
}

/** The expressions built while modules load: a child loads those modules that build any. */
async function recordBuilt(folder: string): Promise<Expression[]> {
  const built = [...new Bun.Glob(`${folder}/**/*.ts`).scanSync({ cwd: ROOT })].filter(
    (path) => !path.includes('.test.'),
  );
  const texts = await Promise.all(built.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() })));
  const modules = texts.filter(({ text }) => text.includes('RegExp(')).map(({ path }) => path);
  const child = Bun.spawn([process.execPath, import.meta.path, '--record', ...modules], { cwd: ROOT, stdout: 'pipe' });
  const lines = (await new Response(child.stdout).text()).trim().split('\n');
  return lines.filter((line) => line !== '').map((line): Expression => JSON.parse(line));
}

/** The child of `recordBuilt`. */
async function record(modules: readonly string[]): Promise<void> {
  let place = '';
  const report = ([source, flags = '']: readonly unknown[]): void => {
    process.stdout.write(`${JSON.stringify({ place, source: String(source), flags: String(flags) })}\n`);
  };
  const construct = (target: RegExpConstructor, given: unknown[]): RegExp => {
    if (typeof given[0] === 'string') report(given);
    return Reflect.construct(target, given);
  };
  globalThis.RegExp = new Proxy(RegExp, { construct });
  for (const path of modules) {
    place = path;
    const exports: Record<string, unknown> = await import(join(ROOT, path));
    for (const { module, build } of BUILDERS) if (module === path) build(exports);
  }
}

/** Colours a line in each language, so that its grammar is built. */
function buildGrammars({ highlightCode }: Record<string, unknown>): void {
  if (typeof highlightCode !== 'function') throw new Error('there is no highlightCode any more: mend BUILDERS');
  for (const language of LANGUAGES.split(' ')) highlightCode(language, '" \' ` /* <!-- #', null);
}

/** Times expressions in a child; one without an end costs the child its life, and the next child goes on behind it. */
async function* timeAll(expressions: readonly Expression[]): AsyncIterable<[Expression, Timing]> {
  let done = 0;
  while (done < expressions.length) {
    const child = Bun.spawn([process.execPath, import.meta.path, '--time'], {
      cwd: ROOT,
      stdin: new Blob([JSON.stringify(expressions.slice(done))]),
      stdout: 'pipe',
    });
    let timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
    for await (const line of readLines(child.stdout)) {
      clearTimeout(timer);
      timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
      const expression = expressions[done];
      done += 1;
      if (expression !== undefined) yield [expression, JSON.parse(line)];
    }
    clearTimeout(timer);
    const stuck = expressions[done];
    if (stuck !== undefined) yield [stuck, { milliseconds: null, input: null }];
    done += 1;
  }
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** The child of `timeAll`. */
async function time(): Promise<void> {
  const expressions: readonly Expression[] = await Bun.stdin.json();
  for (const expression of expressions) process.stdout.write(`${JSON.stringify(timeOne(expression))}\n`);
}

/** The first input that is slow, short ones first, so that what has no end is seen while it is short; else the slowest. */
function timeOne(one: Expression): Timing {
  const expression = new RegExp(one.source, one.flags);
  const { longest = LENGTH, milliseconds: limit = LIMIT_MS } = exceptionOf(one) ?? {};
  let slowest: Timing = { milliseconds: 0, input: null };
  for (const length of [30, 200, 1000, LENGTH].filter((length) => length < longest).concat(longest)) {
    for (const input of worstInputs(expression, length)) {
      const text = toText(input);
      let milliseconds = measure(expression, text);
      if (milliseconds > limit) milliseconds = Math.min(milliseconds, measure(expression, text));
      if (milliseconds > (slowest.milliseconds ?? 0)) slowest = { milliseconds, input };
      if (milliseconds > limit) return slowest;
    }
  }
  return slowest;
}

/** Time of this thread alone for one use of an expression the way its flags say: once, for all matches, or place by place. */
function measure(expression: RegExp, text: string): number {
  const before = process.threadCpuUsage();
  if (expression.global) text.replace(expression, '');
  else if (expression.sticky) matchPlaces(expression, text);
  else expression.test(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function matchPlaces(expression: RegExp, text: string): void {
  for (let at = 0; at < text.length; ) {
    expression.lastIndex = at;
    const found = expression.exec(text);
    at += Math.max(1, found?.[0].length ?? 0);
  }
}

const [mode, ...rest] = process.argv.slice(2);
if (mode === '--record') await record(rest);
else if (mode === '--time') await time();
else process.exit(await main(process.argv.slice(2)));
