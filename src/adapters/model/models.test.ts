import { expect, test } from 'bun:test';
import { AishError } from '../../protocol/error.ts';
import { isLoopback, resolveModel, toBaseUrl, toEndpoint, toResourceUrl } from './models.ts';

const models = {
  local: { base_url: 'http://127.0.0.1:8080' },
  cloud: {
    base_url: 'https://api.example.com/v1/',
    model: 'big',
    key_env: 'CLOUD_KEY',
    timeout_ms: 5000,
    context: 8192,
  },
};

function failure(run: () => unknown): { code: string; message: string; hint: string | undefined } | null {
  try {
    run();
    return null;
  } catch (thrown) {
    if (thrown instanceof AishError) return { code: thrown.code, message: thrown.message, hint: thrown.hint };
    throw thrown;
  }
}

test('the first model is taken where none is named', () => {
  expect(resolveModel(models, null, {})).toEqual({
    name: 'local',
    baseUrl: 'http://127.0.0.1:8080/v1',
    model: null,
    key: null,
    timeouts: { firstByteMs: 600_000, idleMs: 120_000, barrenMs: 600_000 },
  });
});

test('a named model comes with its key and limits', () => {
  expect(resolveModel(models, 'cloud', { CLOUD_KEY: ' k1\n' })).toEqual({
    name: 'cloud',
    baseUrl: 'https://api.example.com/v1',
    model: 'big',
    key: 'k1',
    keyEnv: 'CLOUD_KEY',
    context: 8192,
    timeouts: { firstByteMs: 5000, idleMs: 5000, barrenMs: 600_000 },
  });
});

test('a missing key names its variable', () => {
  expect(failure(() => resolveModel(models, 'cloud', { CLOUD_KEY: '' }))).toEqual({
    code: 'model.no-key',
    message: 'model "cloud" needs a key, but the environment variable CLOUD_KEY is not set',
    hint: 'export CLOUD_KEY=… before you start aish, or change key_env in [models.cloud]',
  });
});

test('an unknown name is told with the nearest, or with all', () => {
  expect([
    failure(() => resolveModel(models, 'clod', {}))?.hint,
    failure(() => resolveModel(models, '__proto__', {}))?.hint,
  ]).toEqual(['did you mean cloud?', 'configured: local, cloud']);
});

test('no model at all says how to get one', () => {
  expect(failure(() => resolveModel({}, null, {}))?.code).toBe('model.none');
});

test('an address is taken with and without version, slash and resource', () => {
  const addresses = [
    'http://localhost:8080',
    'http://localhost:8080/',
    'http://localhost:8080/v1/',
    'http://localhost:8080/v1/chat/completions',
    'https://host/api/v1',
    'https://host/openai?api-version=3',
  ];
  expect(addresses.map((address) => toBaseUrl(address))).toEqual([
    'http://localhost:8080/v1',
    'http://localhost:8080/v1',
    'http://localhost:8080/v1',
    'http://localhost:8080/v1',
    'https://host/api/v1',
    'https://host/openai?api-version=3',
  ]);
});

test('a resource goes before the query', () => {
  expect(toResourceUrl('https://host/openai?api-version=3', 'models')).toBe('https://host/openai/models?api-version=3');
});

test('what is no address of the web is refused', () => {
  expect(['localhost:8080', 'ftp://host/v1', ''].map((address) => failure(() => toBaseUrl(address))?.code)).toEqual([
    'model.bad-address',
    'model.bad-address',
    'model.bad-address',
  ]);
});

test('only this machine is loopback', () => {
  const hosts = ['127.0.0.1', '127.9.9.9', 'localhost', '[::1]', '127.evil.example', 'example.com', '10.0.0.1'];
  expect(hosts.map((host) => isLoopback(`http://${host}/v1`))).toEqual([true, true, true, true, false, false, false]);
});

test('a model far away may be silent for less time than one at home', () => {
  const limits = ['https://api.example.com', 'http://192.168.1.5:8080', 'http://gpu-box:8080', 'http://box.local'];
  expect(limits.map((url) => toEndpoint('m', { base_url: url }, null).timeouts.firstByteMs)).toEqual([
    120_000, 600_000, 600_000, 600_000,
  ]);
});
