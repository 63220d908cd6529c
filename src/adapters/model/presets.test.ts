import { expect, test } from 'bun:test';
import { AishError } from '../../protocol/error.ts';
import { endpointOf, MODEL_PRESETS, resolvePreset } from './presets.ts';

function failure(name: string): { code: string; hint: string | undefined } {
  try {
    resolvePreset(name, {});
  } catch (thrown) {
    if (thrown instanceof AishError) return { code: thrown.code, hint: thrown.hint };
    throw thrown;
  }
  throw new Error('there was no failure');
}

test('PROVIDER:MODEL needs no configuration, only the key', () => {
  const { name, provider, baseUrl, model, key } = resolvePreset('anthropic:claude-haiku-4-5', {
    ANTHROPIC_API_KEY: ' k ',
  });
  expect({ name, provider, baseUrl, model, key }).toEqual({
    name: 'anthropic:claude-haiku-4-5',
    provider: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    model: 'claude-haiku-4-5',
    key: 'k',
  });
});

test('the name of a model may have colons of its own', () => {
  const { baseUrl, model, key } = resolvePreset('ollama:qwen3:8b', {});
  expect({ baseUrl, model, key }).toEqual({ baseUrl: 'http://127.0.0.1:11434/v1', model: 'qwen3:8b', key: null });
});

test('an unknown provider and a missing key are errors that name the remedy', () => {
  expect(failure('antropic:x')).toEqual({ code: 'model.unknown', hint: 'did you mean anthropic?' });
  expect(failure('groq:x')).toEqual({ code: 'model.no-key', hint: 'export GROQ_API_KEY=… before you start aish' });
});

test('the address of a provider may need variables', () => {
  const env = { AWS_BEARER_TOKEN_BEDROCK: 'k', AWS_REGION: 'eu-west-1' };
  const { provider, baseUrl, model } = resolvePreset('bedrock:anthropic.claude-haiku-4-5-v1:0', env);
  expect({ provider, baseUrl, model }).toEqual({
    provider: 'bedrock',
    baseUrl: 'https://bedrock-runtime.eu-west-1.amazonaws.com',
    model: 'anthropic.claude-haiku-4-5-v1:0',
  });
  const keys = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 's' };
  expect(resolvePreset('bedrock:m', keys)).toMatchObject({
    key: null,
    aws: { id: 'id', secret: 's', region: 'eu-west-1' },
  });
  expect(resolvePreset('bedrock:m', { ...keys, ...env }).aws).toBeUndefined();
  const without = { ...env, AWS_REGION: 'evil.example/' };
  expect(() => resolvePreset('bedrock:m', without)).toThrow('Amazon Bedrock needs the environment variable AWS_REGION');
});

test('each provider speaks its own wire at its own host, and chat completions elsewhere', () => {
  const variables = MODEL_PRESETS.flatMap(({ keyEnv = '', baseUrl }) => [keyEnv, /\{(\w+)\}/.exec(baseUrl)?.[1] ?? '']);
  const env = Object.fromEntries(variables.map((name) => [name, 'k']));
  const wires = MODEL_PRESETS.map((preset) => [
    preset.name,
    endpointOf(preset, preset.name, env)?.provider ?? 'openai-chat',
  ]);
  expect(Object.fromEntries(wires)).toEqual({
    ...Object.fromEntries(MODEL_PRESETS.map(({ name }) => [name, 'openai-chat'])),
    openai: 'openai',
    anthropic: 'anthropic',
    google: 'google',
    ...Object.fromEntries(['azure', 'bedrock', 'cohere', 'vertex'].map((name) => [name, name])),
  });
  const moved = resolvePreset('openai:gpt-5', { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9' });
  expect([moved.provider, moved.baseUrl, moved.model]).toEqual([undefined, 'http://127.0.0.1:9/v1', 'gpt-5']);
});

test('the models of a provider that take images are known, but not those of another server in its place', () => {
  const env = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' };
  const names = [
    'openai:gpt-5-mini',
    'openai:gpt-3.5-turbo',
    'anthropic:claude-haiku-4-5',
    'google:gemini-x',
    'ollama:qwen3',
  ];
  expect(names.map((name) => resolvePreset(name, env).images === true)).toEqual([true, false, true, true, false]);
  const moved = resolvePreset('openai:gpt-5-mini', { ...env, OPENAI_BASE_URL: 'http://127.0.0.1:9' });
  expect(moved.images).toBeUndefined();
});
