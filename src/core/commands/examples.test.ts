import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { classifyLine } from '../policy/classify-line.ts';
import { literal } from './argument.ts';
import { FAMILIES } from './programs/find-program.ts';
import { type CommandSpec, readCall, type SpecTable } from './spec.ts';

/*
 * An example says what effects a line has by the spec of its program: one for each row whose behaviour is more than its data shows.
 */

const CONTEXT = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };
const EXAMPLES = readFileSync(new URL('../../../test/fixtures/safety/examples.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.split('\t'))
  .map(([effects = '', line = '']) => ({ effects, line }));

function effectsOfLine(line: string): string {
  const effects = classifyLine(line, CONTEXT).parts.flatMap(({ effects }) => effects.map(({ kind }) => kind));
  return [...new Set(effects)].sort().join(' ') || 'reads';
}

/** The row of a program or of its subcommand that a line is read by, and those above it. */
function rowsOf(line: string): readonly CommandSpec[] {
  const [program, ...words] = line.split(' ').map((word) => literal(word));
  const found: CommandSpec[] = [];
  let spec = FAMILIES.flatMap((family) => rowIn(family, program?.text ?? ''))[0];
  let rest: typeof words = words;
  while (spec !== undefined) {
    found.push(spec);
    const [verb, ...others] = readCall(spec, rest).operands;
    spec = rowIn(spec.sub ?? {}, verb?.text ?? '')[0];
    rest = others;
  }
  return found;
}

function rowIn(table: SpecTable, name: string): readonly CommandSpec[] {
  return Object.entries(table).flatMap(([names, spec]) => (names.split(/\s+/).includes(name) ? [spec] : []));
}

function everyRow(table: SpecTable, above: string): readonly (readonly [string, CommandSpec])[] {
  return Object.entries(table).flatMap(([names, spec]) => [
    [`${above}${names}`, spec] as const,
    ...everyRow(spec.sub ?? {}, `${above}${names.split(/\s+/)[0]} `),
  ]);
}

function isObvious({ custom, inner, on }: CommandSpec): boolean {
  return custom === undefined && inner === undefined && on === undefined;
}

/** The behaviour of a row: rows that several programs share are one behaviour. */
function behaviour({ custom, inner, on }: CommandSpec): object | undefined {
  return custom ?? inner ?? on;
}

test('each example has the effects that are said of it', () => {
  const wrong = EXAMPLES.filter(({ line, effects }) => effectsOfLine(line) !== effects);
  expect(wrong.map(({ line, effects }) => `${line}: ${effectsOfLine(line)}, not ${effects}`)).toEqual([]);
});

test('each row of the specs whose behaviour is not obvious from its data has an example', () => {
  const shown = new Set(EXAMPLES.flatMap(({ line }) => rowsOf(line)).map(behaviour));
  const rows = FAMILIES.flatMap((family) => everyRow(family, '')).filter(([, spec]) => !isObvious(spec));
  expect(rows.flatMap(([names, spec]) => (shown.has(behaviour(spec)) ? [] : [names]))).toEqual([]);
});
