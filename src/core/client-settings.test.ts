import { expect, test } from 'bun:test';
import { limitSettings } from './client-settings.ts';
import { DEFAULT_SETTINGS } from './session/state.ts';

const codeOf = (result: ReturnType<typeof limitSettings>): string => (result.ok ? 'ok' : result.error.code);

test('wishes within what the owner allows are taken over', () => {
  const wish = { model: 'a', approve: 'read-only', maxSteps: 3, maxToolDepth: 2 } as const;
  expect(limitSettings(DEFAULT_SETTINGS, wish, ['a'])).toEqual({ ok: true, settings: wish });
  expect(limitSettings(DEFAULT_SETTINGS, {}, [])).toEqual({ ok: true, settings: {} });
});

test('no wish loosens what the owner set', () => {
  const owner = { ...DEFAULT_SETTINGS, maxSteps: 5 };
  expect(codeOf(limitSettings(owner, { approve: 'all' }, []))).toBe('settings.refused');
  expect(codeOf(limitSettings(owner, { maxSteps: 6 }, []))).toBe('settings.refused');
  expect(codeOf(limitSettings(owner, { maxSteps: null }, []))).toBe('settings.refused');
  expect(codeOf(limitSettings(owner, { maxToolDepth: 9 }, []))).toBe('settings.refused');
  expect(codeOf(limitSettings({ ...owner, approve: 'all' }, { approve: 'all' }, []))).toBe('ok');
});

test('a model nobody configured is refused with those that are', () => {
  expect(limitSettings(DEFAULT_SETTINGS, { model: 'x' }, ['a', 'b'])).toEqual({
    ok: false,
    error: {
      code: 'model.unknown',
      message: 'there is no model "x": configured are a, b',
      hint: 'use one of them, or leave the model out',
    },
  });
});
