import { expect, test } from 'bun:test';
import { lettersOf } from './parse.ts';
import { FAMILIES } from './programs/find-program.ts';
import type { CommandSpec, SpecTable } from './spec.ts';
import { NAMES } from './specs/git-reads.ts';

/** A row of a table, with where it stands. */
interface Row {
  readonly where: string;
  readonly spec: CommandSpec;
}

const ROWS: readonly Row[] = FAMILIES.flatMap((table) => rowsOf(table, ''));

function rowsOf(table: SpecTable, above: string): readonly Row[] {
  return Object.entries(table).flatMap(([names, spec]) => {
    const where = `${above}${names}`;
    return [{ where, spec }, ...rowsOf(spec.sub ?? {}, `${where} / `)];
  });
}

function wordsOf(text = ''): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function namesOf(table: object): readonly string[] {
  return Object.keys(table).flatMap(wordsOf);
}

function shortNamesOf({ options }: CommandSpec): readonly string[] {
  return [...lettersOf(options).replaceAll(':', '')];
}

function longNamesOf({ options = '' }: CommandSpec): readonly string[] {
  return wordsOf(options.replace(/^-\S*/, '')).map((entry) => entry.replace(/(?:=+|\?)$/, ''));
}

/** The names that are in a list more than once. */
function twice(names: readonly string[]): readonly string[] {
  return names.filter((name, at) => names.indexOf(name) !== at);
}

function faults(find: (spec: CommandSpec) => readonly string[]): readonly string[] {
  return ROWS.flatMap(({ where, spec }) => find(spec).map((name) => `${where}: ${name}`));
}

test('each program stands in one row of one family, and each subcommand in one row of its program', () => {
  expect(twice(FAMILIES.flatMap(namesOf))).toEqual([]);
  expect(faults(({ sub = {} }) => twice(namesOf(sub)))).toEqual([]);
});

test('each option stands once in its row, by a letter or by a name that can be given', () => {
  expect(faults((spec) => twice(shortNamesOf(spec)))).toEqual([]);
  expect(faults((spec) => twice(longNamesOf(spec)))).toEqual([]);
  expect(faults((spec) => longNamesOf(spec).filter((name) => !/^\w[\w.:@+-]*$/.test(name)))).toEqual([]);
  expect(faults(({ options }) => lettersOf(options).match(/^:|:::|-/g) ?? [])).toEqual([]);
});

function unknownOf(spec: CommandSpec, names: readonly string[]): readonly string[] {
  const known = new Set([...shortNamesOf(spec), ...longNamesOf(spec)]);
  return spec.any === true ? [] : names.filter((name) => !known.has(name));
}

test('what an option does is said once, of an option that the program is known to have', () => {
  const doing = ({ on = {} }: CommandSpec): readonly string[] => namesOf(on);
  expect(faults((spec) => twice(doing(spec)))).toEqual([]);
  expect(faults((spec) => unknownOf(spec, doing(spec)))).toEqual([]);
});

test('what a command of git shows depends on options that it is known to have', () => {
  // Standard input may name objects to every command that prints names, and most of these have no such option.
  const showing = ({ gitShows: shows = NAMES }: CommandSpec): readonly string[] =>
    [
      shows.names,
      shows.content,
      shows.unheld,
      shows.texts,
      shows.lists === true ? '' : shows.lists,
      shows.unsure === NAMES.unsure ? '' : shows.unsure,
    ].flatMap(wordsOf);
  expect(ROWS.filter(({ spec }) => spec.gitShows !== undefined).length).toBeGreaterThan(20);
  expect(faults((spec) => unknownOf(spec, showing(spec)))).toEqual([]);
});
