import { expect, test } from 'bun:test';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import { listConfiguredSecrets } from './configured.ts';

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
  expect(listConfiguredSecrets(config, env, ['CLOUD_KEY'])).toEqual([
    { name: 'A_KEY', value: 'key-of-a-1', from: 'environment' },
    { name: 'ONE_TOKEN', value: 'token-of-one', from: 'environment' },
    { name: 'CLOUD_KEY', value: 'key-of-cloud', from: 'environment' },
    { name: 'two.auth_token', value: 'written-down', from: 'config' },
  ]);
});

test('what a server is given is secret where its name, its header or its place in an address says so', () => {
  const server = {
    url: 'https://me:of-the-address@one.example/mcp',
    env: { SERVICE_TOKEN: 'of-the-variable-1', MODE: 'production-mode' },
    headers: { Authorization: 'Bearer of-the-header', 'X-Api-Key': 'of-another', Accept: 'application/json' },
    enabled: true,
    timeout_ms: 1,
  };
  const config = { models: {}, mcp: { ...DEFAULT_CONFIG.mcp, servers: { one: server } } };
  expect(listConfiguredSecrets(config, {})).toEqual([
    { name: 'SERVICE_TOKEN', value: 'of-the-variable-1', from: 'config' },
    { name: 'one.Authorization', value: 'of-the-header', from: 'config' },
    { name: 'one.X-Api-Key', value: 'of-another', from: 'config' },
    { name: 'one.url', value: 'of-the-address', from: 'config' },
  ]);
});

test('a short value is none, but from six characters on where they are mixed: any text may hold it', () => {
  const config = { ...DEFAULT_CONFIG, models: { a: { base_url: 'http://a', key_env: 'K' } } };
  const found = ['sk-1234', 'hunt3r', 'p@sswd', 'hunter', '1234567', 'a1-b2', ''].filter(
    (value) => listConfiguredSecrets(config, { K: value }).length > 0,
  );
  expect(found).toEqual(['sk-1234', 'hunt3r', 'p@sswd']);
});
