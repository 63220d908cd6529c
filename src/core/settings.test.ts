import { expect, test } from 'bun:test';
import { type Config, DEFAULT_CONFIG } from '../protocol/config.ts';
import { toSettings } from './settings.ts';

const model = { base_url: 'http://127.0.0.1:8080/v1', timeout_ms: 1000 };
const config: Config = { ...DEFAULT_CONFIG, models: { first: model, second: model } };

test('without a file and flags the defaults hold and there is no model', () => {
  expect(toSettings(DEFAULT_CONFIG)).toEqual({
    model: null,
    maxToolDepth: 8,
    maxSteps: null,
    autoApprove: {},
    approve: 'ask',
    checkpointMode: 'ref',
    confirmCmd: true,
  });
});

test('the model is that of the flag, else of the key, else the first in the file', () => {
  const chosen = { ...config, model: 'second' };
  expect(toSettings(config).model).toBe('first');
  expect(toSettings(chosen).model).toBe('second');
  expect(toSettings(chosen, { model: 'first' }).model).toBe('first');
});

test('an unknown model is refused with the names there are', () => {
  expect(() => toSettings(config, { model: 'third' })).toThrow(
    'there is no model "third": configured are first, second',
  );
});
