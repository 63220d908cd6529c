import { expect, test } from 'bun:test';
import type { CommandRecord } from '../protocol/command.ts';
import { DEFAULT_CONFIG } from '../protocol/config.ts';
import { createRedact, listSecrets, redactRecord } from './redact.ts';

const record: CommandRecord = {
  line: 'export KEY=zebra-zebra',
  driver: 'person',
  exit: 0,
  cwd: '/',
  output: '',
  bytes: 0,
  durationMs: 0,
};
const redact = createRedact([{ name: 'KEY', value: 'zebra-zebra' }]);

test('the values of every key and token a configuration names are secrets', () => {
  const config = {
    models: { a: { base_url: 'http://a', key_env: 'A_KEY' }, b: { base_url: 'http://b', key_env: 'NOT_SET' } },
    mcp: {
      ...DEFAULT_CONFIG.mcp,
      servers: {
        one: { url: 'http://one', auth_env: 'ONE_TOKEN', enabled: true, timeout_ms: 1 },
        two: { url: 'http://two', auth_token: 'written-down', enabled: true, timeout_ms: 1 },
      },
    },
  };
  const env = {
    A_KEY: ' key-of-a-1 ',
    ONE_TOKEN: 'token-of-one',
    CLOUD_KEY: 'key-of-cloud',
    OTHER: 'no-secret-at-all',
  };
  expect(listSecrets(config, env, ['CLOUD_KEY'])).toEqual([
    { name: 'A_KEY', value: 'key-of-a-1' },
    { name: 'ONE_TOKEN', value: 'token-of-one' },
    { name: 'CLOUD_KEY', value: 'key-of-cloud' },
    { name: 'two.auth_token', value: 'written-down' },
  ]);
});

test('a value of less than eight characters is none: any text may hold it', () => {
  expect(
    listSecrets({ ...DEFAULT_CONFIG, models: { a: { base_url: 'http://a', key_env: 'K' } } }, { K: 'sk-1234' }),
  ).toEqual([]);
});

test('each secret is replaced by its name, wherever it stands', () => {
  expect(redact('KEY=zebra-zebra\nzebra-zebrazebra-zebra zebra')).toBe('KEY=[key KEY]\n[key KEY][key KEY] zebra');
});

test('of a secret that begins with another one nothing is left', () => {
  const both = createRedact([
    { name: 'SHORT', value: 'zebra-zebra' },
    { name: 'LONG', value: 'zebra-zebra-zebra' },
  ]);
  expect(both('zebra-zebra-zebra zebra-zebra')).toBe('[key LONG] [key SHORT]');
});

test('a secret is taken letter by letter, and what stands in its place is not looked at again', () => {
  const odd = createRedact([
    { name: 'A', value: 'a.c+[x](y)|$^\\' },
    { name: 'B', value: '[key A] ' },
  ]);
  expect(odd('a.c+[x](y)|$^\\ abc+')).toBe('[key A] abc+');
});

test('of two names for one secret the first is told', () => {
  expect(createRedact([1, 2].map((at) => ({ name: `K${at}`, value: 'same-value' })))('same-value')).toBe('[key K1]');
});

test('a record loses its secrets in line and output', () => {
  expect(redactRecord({ ...record, output: 'is zebra-zebra\n' }, redact)).toEqual({
    ...record,
    line: 'export KEY=[key KEY]',
    output: 'is [key KEY]\n',
  });
});

test('the middle that a record leaves out stays where it is', () => {
  const note = '\n[… 3 lines left out …]\n';
  const output = `zebra-zebra${note}zebra-zebra`;
  const errors = [{ line: 2, text: 'denied: zebra-zebra' }];
  const gap = { from: 11, to: 11 + note.length, lines: 3, errors };
  const clean = redactRecord({ ...record, output, gap }, redact);
  expect(clean.output).toBe(`[key KEY]${note}[key KEY]`);
  expect(clean.gap).toEqual({
    from: 9,
    to: 9 + note.length,
    lines: 3,
    errors: [{ line: 2, text: 'denied: [key KEY]' }],
  });
});
