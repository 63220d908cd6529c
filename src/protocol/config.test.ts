import { expect, test } from 'bun:test';
import * as v from 'valibot';
import { DEFAULT_CONFIG } from './config.ts';
import { configSchema } from './config-schema.ts';

test('the written-out defaults are those of the schema', () => {
  const { model: _, ...sections } = configSchema.entries;
  const empty = Object.fromEntries(Object.keys(sections).map((name) => [name, {}]));
  const parsed: unknown = v.parse(configSchema, empty);
  expect(parsed).toEqual(DEFAULT_CONFIG);
});

test('a server with both url and command, and one with neither, are refused', () => {
  for (const server of [{}, { url: 'http://a/mcp', command: 'b' }]) {
    const result = v.safeParse(configSchema, { mcp: { servers: { a: server } } });
    expect(result.issues?.map((issue) => issue.message)).toEqual(['needs either url or command']);
  }
});

test('a field that goes with the other kind of server is refused', () => {
  const result = v.safeParse(configSchema, { mcp: { servers: { a: { command: 'b', auth_env: 'TOKEN' } } } });
  expect(result.issues?.map((issue) => [v.getDotPath(issue), issue.message])).toEqual([
    ['mcp.servers.a.auth_env', 'works only with url, but this server has command'],
  ]);
});

test('rules are alias.tool or alias.* and their value is true or false', () => {
  const check = (rules: unknown) => v.safeParse(configSchema, { mcp: { auto_approve: rules } }).success;
  expect([check({ 'fs.*': true }), check({ 'fs.read_file': false }), check({ 'fs.a.b': true })]).toEqual([
    true,
    true,
    true,
  ]);
  expect([check({ '*': true }), check({ fs: true }), check({ 'fs.re*': true }), check({ 'fs.a': 'yes' })]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('the alias aish is reserved', () => {
  expect(v.safeParse(configSchema, { mcp: { servers: { aish: { command: 'b' } } } }).success).toBe(false);
});
