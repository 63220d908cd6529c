import { describe, expect, test } from 'bun:test';
import { parseTakes, slotAt } from './facts.ts';
import { JoinedFacts } from './joined-facts.ts';
import text from './program-facts.txt' with { type: 'text' };
import { findProgram, findSpec, programs } from './programs/find-program.ts';
import { type CommandSpec, subcommandsOf } from './spec.ts';
import { PROGRAM_FACTS } from './specs/program-facts.ts';
import { programsWith, textFacts } from './text-facts.ts';

test('no fact of a program is said twice in the text', () => {
  const sections = text
    .replace(/^#.*\n/gm, '')
    .replace(/\n +/g, ' ')
    .split(/^\[/m)
    .slice(1);
  const said = sections.flatMap((section) => {
    const [fact = '', ...rows] = section.trim().split('\n');
    return rows.flatMap((row) => (row.split(': ')[0] ?? '').split(' ').map((name) => `${name} [${fact}`));
  });
  expect(said.length).toBeGreaterThan(600);
  expect(said.filter((one, at) => said.indexOf(one) !== at)).toEqual([]);
});

test('facts of several rows and tables are joined for each program', () => {
  const known = new Map([['cp', { usual: 'x y' }]]);
  const joined = new JoinedFacts(known, [[['cp mv', { display: 'i' }]], [['mv', { hoards: '' }]]]);
  expect([...joined]).toEqual([
    ['cp', { usual: 'x y', display: 'i' }],
    ['mv', { display: 'i', hoards: '' }],
  ]);
});

test.each(['beyond', 'password', 'readsPassword', 'setsVariables'] as const)('the programs with %s are read alone as with all', (fact) => {
  const known = [...textFacts()].flatMap(([name, facts]) => (facts[fact] === undefined ? [] : [name]));
  expect(programsWith(fact).toSorted()).toEqual(known.toSorted());
});

test('facts alone do not say what a program does', () => {
  expect([findProgram('hydra')?.password, findSpec('hydra')]).toEqual(['^-[pP]$', undefined]);
});

describe('what operands name', () => {
  test('is read with how many there are', () => {
    const takes = parseTakes('mode file|entry{1,} !');
    expect(takes).toEqual({
      slots: [
        { roles: ['mode'], min: 1, max: 1 },
        { roles: ['file', 'entry'], min: 1, max: Number.POSITIVE_INFINITY },
      ],
      changes: true,
    });
    expect(slotAt(takes, 0)?.roles).toEqual(['mode']);
    expect(slotAt(takes, 7)?.roles).toEqual(['file', 'entry']);
    expect(slotAt(parseTakes('folder?'), 1)).toBeUndefined();
    expect(parseTakes('none').slots).toEqual([]);
    expect(() => parseTakes('fiel...')).toThrow('no role of an operand: fiel...');
  });

  test('is written as it is read in every spec', () => {
    const read = (spec: CommandSpec): number => {
      const own = typeof spec.takes === 'string' ? parseTakes(spec.takes).slots.length : 0;
      return [...subcommandsOf(spec).values()].reduce((sum, sub) => sum + read(sub), own);
    };
    expect([...programs()].reduce((sum, [, spec]) => sum + read(spec), 0)).toBeGreaterThan(1000);
  });
});

test('each program has one row that says what it takes', () => {
  const rows = PROGRAM_FACTS.flatMap((table) => [...table]).filter(([, { takes }]) => takes !== undefined);
  const names = rows.flatMap(([row]) => row.split(/\s+/));
  expect(names.length).toBeGreaterThan(300);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

describe('subcommands', () => {
  test('say what they take beside what they do, name by name', () => {
    const found = subcommandsOf({
      sub: { 'add rm': { effect: 'changes' } },
      takes: { 'file...': 'add! log', 'name?': 'remote(add rm)!', 'remote...': 'remote(show)' },
      about: { log: 'show commits' },
    });
    expect(Object.fromEntries(found)).toEqual({
      add: { effect: 'changes', takes: 'file... !' },
      rm: { effect: 'changes' },
      log: { takes: 'file...', about: 'show commits' },
      remote: { takes: { 'name? !': 'add rm', 'remote...': 'show' } },
    });
  });

  test('classify nothing by what they take: a program that only that is known of is unknown to who asks what it does', () => {
    expect(findProgram('espeak')?.takes).toBe('text...');
    expect(findSpec('espeak')).toBeUndefined();
    const adb = findProgram('adb');
    expect(adb === undefined ? null : subcommandsOf(adb).get('install')).toEqual({ takes: 'file... !' });
    expect(findSpec('adb')).toBeUndefined();
    expect(findSpec('git')).toBeDefined();
  });
});
