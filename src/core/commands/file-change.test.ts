import { expect, test } from 'bun:test';
import { literal } from './argument.ts';
import { changesByRule } from './file-change.ts';
import { optionNames, readOptions } from './parse.ts';
import { findSpec, specNames } from './programs/find-program.ts';
import type { CommandSpec } from './spec.ts';

const namesOf = (spec: CommandSpec): readonly string[] => optionNames(spec).split(' ');

test('a rule gives roles to options that the program has', () => {
  const ruled = [...specNames()].flatMap((name) => {
    const spec = findSpec(name);
    return typeof spec?.changes === 'object' ? [{ name, spec, by: spec.changes.by }] : [];
  });
  expect(ruled.length).toBeGreaterThan(10);
  const stray = ruled.flatMap(({ name, spec, by }) => {
    const known = namesOf(spec);
    const given = Object.keys(by).flatMap((names) => names.split(' '));
    return spec.any === true ? [] : given.filter((one) => !known.includes(one)).map((one) => `${name} ${one}`);
  });
  expect(stray).toEqual([]);
});

test('an option without a role makes the effect unknown, and the beginning of a long one stands for it', () => {
  const rule = { do: 'delete', by: { 'r recursive': 'recursive', 'v verbose': 'plain' } } as const;
  const change = (...words: readonly string[]) =>
    changesByRule(
      rule,
      readOptions(
        words.map((word) => literal(word)),
        { any: true },
      ),
      'rm',
    );
  expect(change('-v', '--rec', 'x')).toMatchObject([{ do: 'delete', recursive: true, folders: 'empty' }]);
  expect(change('-z', 'x')).toEqual([{ do: 'unknown', what: 'rm with the option -z' }]);
});
