import { expect, test } from 'bun:test';
import type { Settings } from '../../protocol/settings.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { DEFAULT_SETTINGS } from '../session/state.ts';
import { applyRules, GUARD_RULES } from './policy.ts';

const call: ToolCall = { id: 'c', name: 'aish.output', arguments: { handle: 1 }, effect: 'read', origin: 'model' };

function verdict(change: Partial<Settings>) {
  return applyRules(call, { ...DEFAULT_SETTINGS, ...change }, { undoable: true });
}

test('reading more of an output that was shown needs no question, unless a rule asks for one', () => {
  expect(verdict({ approve: 'ask' })).toEqual({ decision: 'allow', rule: 'output already shown' });
  expect(verdict({ autoApprove: { 'aish.output': false } })).toEqual({ decision: 'ask', rule: 'aish.output' });
});

test('a rule for a server covers no name without a tool', () => {
  const rules = { ...DEFAULT_SETTINGS, autoApprove: { 'box.*': true, '.x': true } };
  for (const name of ['box.', 'box', '.x'])
    expect(applyRules({ ...call, name }, rules, { undoable: true })).toEqual({ decision: 'ask', rule: 'default' });
});

test('a tool of a server is not spared for its name', () => {
  const other = { ...call, name: 'logs.output' };
  expect(applyRules(other, DEFAULT_SETTINGS, { undoable: true })).toEqual({ decision: 'ask', rule: 'default' });
});

const exec: ToolCall = { id: 'c', name: 'aish.exec', arguments: { command: 'ls' }, effect: 'exec', origin: 'model' };
const decided = { class: 'read-only', decision: 'ask', reasons: [], hardDenials: [], cwd: '/' } as const;

test('a command runs without asking by a rule for commands alone: neither a mode nor a rule for tools approves it', () => {
  const loose = { ...DEFAULT_SETTINGS, approve: 'all', autoApprove: { 'aish.exec': true, 'aish.*': true } } as const;
  const asked = { decision: 'ask', rule: 'default' } as const;
  expect([
    applyRules(exec, loose, { undoable: true }),
    applyRules(exec, loose, { undoable: true, decided }),
    applyRules({ ...exec, origin: 'command-line' }, loose, { undoable: true, decided }),
    applyRules(exec, DEFAULT_SETTINGS, { undoable: true, decided: { ...decided, decision: 'allow', rule: 'ls' } }),
  ]).toEqual([asked, asked, asked, { decision: 'allow', rule: 'ls' }]);
});

test('where nothing can be undone a rule holds for what only reads', () => {
  const approved = { ...decided, decision: 'allow', rule: 'x' } as const;
  expect([
    applyRules(exec, DEFAULT_SETTINGS, { undoable: false, decided: approved }),
    applyRules(exec, DEFAULT_SETTINGS, { undoable: false, decided: { ...approved, class: 'mutating' } }),
  ]).toEqual([
    { decision: 'allow', rule: 'x' },
    { decision: 'ask', rule: GUARD_RULES.notUndoable, held: 'x' },
  ]);
});

test('what the gate asks about by a rule of its own is asked, whatever approves the tool', () => {
  const tool: ToolCall = { ...exec, name: 'box.write', effect: 'write' };
  const approved = { ...DEFAULT_SETTINGS, approve: 'all', autoApprove: { 'box.write': true } } as const;
  const asked = { ...decided, rule: 'files that run later' } as const;
  expect([applyRules(tool, approved, { undoable: true, decided: asked }), applyRules(tool, approved, { undoable: true, decided })]).toEqual(
    [
      { decision: 'ask', rule: 'files that run later', held: 'box.write' },
      { decision: 'allow', rule: 'box.write' },
    ],
  );
});

test('what the gate refuses is refused, of a tool that is approved too', () => {
  const refused = { ...decided, decision: 'deny', hardDenials: ['D1'], rule: 'built-in rule' } as const;
  const tool: ToolCall = { ...exec, name: 'box.run', effect: 'write' };
  const approved = { ...DEFAULT_SETTINGS, autoApprove: { 'box.run': true } };
  expect([
    applyRules(exec, DEFAULT_SETTINGS, { undoable: true, decided: refused }),
    applyRules(tool, approved, { undoable: true, decided: refused }),
  ]).toEqual([
    { decision: 'deny', rule: 'built-in rule' },
    { decision: 'deny', rule: 'built-in rule' },
  ]);
});

test('a tool that is to be asked or refused is so whatever approves it, and refusing goes first', () => {
  const tool: ToolCall = { ...exec, name: 'web.post', effect: 'read' };
  const loose = { ...DEFAULT_SETTINGS, approve: 'all', autoApprove: { 'web.post': true, 'web.*': true } } as const;
  const by = (tools: Settings['tools']) => applyRules(tool, { ...loose, ...(tools && { tools }) }, { undoable: true });
  expect([
    by(undefined),
    by({ ask: ['web.*'], deny: [] }),
    by({ ask: ['web.*'], deny: ['web.post'] }),
    by({ ask: ['web'], deny: ['we.*', 'web.pos'] }),
    applyRules(
      { ...exec, name: 'aish.exec' },
      { ...loose, tools: { ask: [], deny: ['aish.exec'] } },
      { undoable: true, decided: { ...decided, decision: 'allow' } },
    ),
  ]).toEqual([
    { decision: 'allow', rule: 'web.post' },
    { decision: 'ask', rule: 'web.*', held: 'web.post' },
    { decision: 'deny', rule: 'web.post' },
    { decision: 'allow', rule: 'web.post' },
    { decision: 'deny', rule: 'aish.exec' },
  ]);
});

test('a call that no rule hands a secret to is asked, whatever allows it; with a rule it is not', () => {
  const context = { undoable: true, secrets: [{ name: 'A_TOKEN', to: 'web.post' }] };
  const all = { ...DEFAULT_SETTINGS, approve: 'all' } as const;
  const post: ToolCall = { ...call, name: 'web.post', effect: 'write' };
  expect(applyRules(post, all, context)).toEqual({
    decision: 'ask',
    rule: GUARD_RULES.givesSecret,
    held: 'approve all',
  });
  const ruled = { undoable: true, secrets: [{ name: 'A_TOKEN', to: 'web.post', rule: 'web.*' }] };
  expect(applyRules(post, all, ruled).decision).toBe('allow');
});

test('a rule for a tool is for what the tool was when it began to hold', () => {
  const tool: ToolCall = { ...call, name: 'lab.read', effect: 'write' };
  const settings: Settings = { ...DEFAULT_SETTINGS, autoApprove: { 'lab.*': true } };
  const by = (definition?: 'unreviewed' | 'moved') =>
    applyRules(tool, settings, { undoable: true, ...(definition === undefined ? {} : { definition }) });
  expect([by(), by('unreviewed'), by('moved')]).toEqual([
    { decision: 'allow', rule: 'lab.*' },
    { decision: 'allow', rule: 'lab.*' },
    { decision: 'ask', rule: GUARD_RULES.otherDefinition, held: 'lab.*' },
  ]);
});
