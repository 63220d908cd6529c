import { find } from '../findings.ts';
import { type GivenWords, isGiven } from '../options.ts';
import type { Call } from '../program.ts';
import type { Finding } from '../verdict.ts';

/** Tools that projects declare, by the names under which their package is installed. */
const DECLARED: ReadonlySet<string> = new Set([
  'tsc',
  'eslint',
  'prettier',
  'jest',
  'vitest',
  'mocha',
  'biome',
  'stylelint',
  'oxlint',
]);

/** A tool of the project by name is that tool; anything else is fetched and started. */
export function judgeRunner(
  { options }: Pick<GivenWords, 'options'>,
  call: Call,
  isLocalFirst = true,
): readonly Finding[] {
  const isForeign = isGiven({ options }, 'p', 'package', 'c', 'call', 'from', 'with', 'spec');
  const at = call.words.findIndex((word) => !word.start.startsWith('-'));
  const program = call.words[at];
  if (
    !isForeign &&
    program?.value !== null &&
    program !== undefined &&
    DECLARED.has(program.value) &&
    call.name !== 'uvx' &&
    call.name !== 'pipx' &&
    isLocalFirst
  ) {
    call.judgeCommand(call.words.slice(at));
    return [];
  }
  return [find('remote code', `${call.name} fetches and starts ${program?.text ?? 'a package'}`)];
}

/** `npm exec` fetches what is not there, as npx does; with others that is `dlx`, and `exec` starts what is installed. */
export function judgeExecuted(given: GivenWords, call: Call): readonly Finding[] {
  const at = call.words.findIndex(({ value }) => /^(dlx|exec|x)$/.test(value ?? ''));
  const words = call.words.slice(at + 1).filter(({ value }) => value !== '--');
  const typed = given.options
    .filter(({ name }) => name === 'c' || name === 'call')
    .flatMap(({ value }) => value?.value ?? []);
  for (const line of typed) call.judgeScript(line);
  if (given.operands.length === 0 && !isGiven(given, 'p', 'package')) return [find('runs', `a shell of ${call.name}`)];
  const isInstalled = call.name !== 'npm' && call.words[at]?.value === 'exec';
  if (!isInstalled) return judgeRunner(given, { ...call, words }, call.words[at]?.value !== 'dlx');
  if (call.name === 'bun') call.judgeScript(given.operands.map(({ value, text }) => value ?? text).join(' '));
  else call.judgeCommand(given.operands);
  return [find('runs', 'a program of a package')];
}

/** `npm create vite` fetches and starts create-vite; without a name only a description of the package is written. */
export function judgeCreated({ operands }: GivenWords, { name }: Call): readonly Finding[] {
  const [what] = operands;
  return what === undefined
    ? [find('network')]
    : [find('remote code', `${name} fetches and starts create-${what.text}`)];
}
