import { expect, test } from 'bun:test';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { TurnFacts } from '../../protocol/model.ts';
import type { ModelOption, Settings } from '../../protocol/settings.ts';
import { limitSettings } from './limit-settings.ts';
import { chooseModel, formatSnapshotLimits, parseAddressed, parseSnapshotLimits, toSettings, withoutRules } from './settings.ts';
import { DEFAULT_SETTINGS } from './state.ts';

const model = { base_url: 'http://127.0.0.1:8080/v1', timeout_ms: 1000 };
const config: Config = { ...DEFAULT_CONFIG, models: { first: model, second: model } };

test('without a file and flags the defaults hold and there is no model', () => {
  expect(toSettings(DEFAULT_CONFIG)).toEqual({
    model: null,
    maxToolDepth: 8,
    maxSteps: null,
    autoApprove: {},
    tools: { ask: [], deny: [] },
    approve: 'ask',
    commands: { approve: [], ask: [], deny: [] },
    autoRun: 'read-only',
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

test('limits of checkpoints are settings where they are not the usual ones', () => {
  const checkpoint = { ...config.checkpoint, keep: 5, max_files: 7 };
  const { checkpointLimits, snapshotLimits } = toSettings({ ...config, checkpoint });
  expect([checkpointLimits, snapshotLimits]).toEqual([
    { steps: 5, bytes: 1_000_000_000 },
    { files: 7, bytes: 200_000_000 },
  ]);
});

test('an unknown model is refused with the names there are', () => {
  expect(() => toSettings(config, { model: 'third' })).toThrow('there is no model "third"; configured: first, second');
});

test('a rule made by a yes goes with the tool it was for; what the configuration says of the name stands', () => {
  const configured = { 'fs.read': true, 'fs.write': false };
  const autoApprove = { 'fs.read': true, 'fs.write': true, 'fs.list': true, 'web.get': true };
  const settings = { ...toSettings(DEFAULT_CONFIG), autoApprove };
  const isMeant = (rule: string) => rule.startsWith('fs.');
  const fewer = withoutRules(settings, isMeant, configured);
  expect(fewer?.autoApprove).toEqual({ 'fs.read': true, 'web.get': true, 'fs.write': false });
  expect(fewer === null ? null : withoutRules(fewer, isMeant, configured)).toBeNull();
});

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
      message: 'there is no model "x"; configured: a, b',
      hint: 'use a configured model, or omit the model',
    },
  });
});

test('noted limits are read back, and what is none is not', () => {
  const limits = { files: 50_000, bytes: 1 };
  expect([parseSnapshotLimits(formatSnapshotLimits(limits)), parseSnapshotLimits('many 1\n')]).toEqual([limits, null]);
});

const EASY: TurnFacts = { characters: 20, files: 0, calls: 0, failures: 0 };
const USUAL: TurnFacts = { ...EASY, characters: 400 };
const HARD: TurnFacts = { characters: 1000, files: 1, calls: 2, failures: 1 };

function choose(facts: TurnFacts, models: readonly ModelOption[], more: Partial<Settings> = {}) {
  return chooseModel(facts, { ...toSettings(DEFAULT_CONFIG), models, ...more });
}

const LOCAL: readonly ModelOption[] = [{ name: 'usual' }, { name: 'small', role: 'fast' }, { name: 'big', role: 'deep' }];

test('an easy message goes to the fast model, a difficult one to the deep model, others to the usual one', () => {
  expect([EASY, USUAL, HARD].map((facts) => choose(facts, LOCAL).model)).toEqual(['small', 'usual', 'big']);
});

test('each fact counts once, and the score says which facts made it', () => {
  expect(choose(HARD, LOCAL).choice).toEqual({
    score: 6,
    points: { characters: 2, files: 1, calls: 1, failures: 2 },
    role: 'deep',
  });
});

test('without a model for the role the usual one answers', () => {
  expect([EASY, HARD].map((facts) => choose(facts, [{ name: 'only' }]).model)).toEqual(['only', 'only']);
});

test('a cloud model stands in for a missing deep one, but only with permission', () => {
  const models: readonly ModelOption[] = [{ name: 'usual' }, { name: 'claude', role: 'cloud', isCloud: true }];
  const held = choose(HARD, models);
  expect([held.model, held.choice.isHeldBack]).toEqual(['usual', true]);
  const allowed = choose(HARD, models, { cloud: true });
  expect([allowed.model, allowed.choice.isHeldBack]).toEqual(['claude', undefined]);
});

test('from one cloud model to another no permission is needed', () => {
  const models: readonly ModelOption[] = [
    { name: 'gpt', isCloud: true },
    { name: 'claude', role: 'deep', isCloud: true },
  ];
  expect(choose(HARD, models).model).toBe('claude');
});

test('a message is for one model if it begins with the name of a configured one', () => {
  const names = ['claude', 'local'];
  expect(parseAddressed('@claude why?\nreally', names)).toEqual({ model: 'claude', text: 'why?\nreally' });
  const others = ['@claude', '@README.md sum up', 'ask @claude', '@claudia hello', 'claude why'];
  expect(others.map((text) => parseAddressed(text, names))).toEqual(others.map(() => null));
});
