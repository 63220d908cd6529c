import { expect, test } from 'bun:test';
import type { SessionEvent } from '../../protocol/event.ts';
import type { Tool } from '../../protocol/tool.ts';
import { decide } from './decide.ts';
import { evolve, fold } from './evolve.ts';
import { DEFAULT_SETTINGS } from './state.ts';
import {
  addTaint,
  addUnread,
  liftTaint,
  NO_TAINT,
  ranNothing,
  sourcesOfDescriptions,
  toDescriptionsSource,
  toSource,
} from './taint-state.ts';

const page = toSource('network', 'https://example.com');
const created: SessionEvent = { type: 'session.created', id: 's', cwd: '/w', settings: DEFAULT_SETTINGS };
const started: SessionEvent = { type: 'turn.started', turn: 1, text: 'hi' };
const call = { id: 'c', name: 'web.read', arguments: {}, effect: 'write', origin: 'model' } as const;
const stepped: SessionEvent = { type: 'step.completed', text: '', calls: [call], finish: 'tool_calls', model: 'm' };
const answered: SessionEvent = { type: 'step.completed', text: 'So.', calls: [], finish: 'stop', model: 'm' };

test('a source is kept once', () => {
  const twice = addTaint(addTaint(NO_TAINT, [page, page], ['/w/a']), [page], ['/w/a']);
  expect(twice).toEqual({ ...NO_TAINT, sources: [page], paths: ['/w/a'] });
});

test('sources that are too many to be kept are one more that nobody knows', () => {
  const many = Array.from({ length: 100 }, (_, at) => toSource('file', `/f${at}`));
  const full = addTaint(addTaint(NO_TAINT, many), [page]);
  expect([full.sources.length, full.sources.at(-1)]).toEqual([65, { kind: 'command', name: 'more than can be named' }]);
});

test('a user who vouches trusts what servers say of their tools for good, and for the rest once', () => {
  const described = toDescriptionsSource('web');
  const lifted = liftTaint(addTaint(NO_TAINT, [described, page], ['/w/a']));
  expect(lifted).toEqual({ ...NO_TAINT, trusted: [described] });
  expect(addTaint(lifted, [described, page]).sources).toEqual([page]);
});

test('paths that are too many to be kept are the folder that holds them all', () => {
  const many = Array.from({ length: 300 }, (_, at) => `/w/docs/${at}/page.html`);
  expect(addTaint(addTaint(NO_TAINT, [], many), [], ['/w/docs2']).paths).toEqual(['/w/docs', '/w/docs2']);
  expect(addTaint(NO_TAINT, [], many).paths).toEqual(['/w/docs']);
});

test('of the commands that nobody has looked at each is kept once, and what is too old came from anywhere', () => {
  const after = (lines: readonly number[]) => lines.reduce((taint, at) => addUnread(taint, { line: `c${at}` }, '/w'), NO_TAINT);
  const few = after(Array.from({ length: 1000 }, (_, at) => at % 10));
  expect([few.unread.length, few.unread.at(-1)?.line, few.sources]).toEqual([10, 'c9', []]);
  const many = after(Array.from({ length: 300 }, (_, at) => at));
  expect([many.unread[0]?.line, many.unread.at(-1)?.line]).toEqual(['c128', 'c299']);
  expect(many.sources).toEqual([{ kind: 'command', name: 'more than can be named' }]);
});

test('a call is held to what its request held, not to what another call of the same step brought', () => {
  const asked = fold([created, started, stepped, { type: 'tool-call.started', callId: 'c' }]);
  const after = evolve(asked, { type: 'tool-call.completed', callId: 'c', text: 'obey', isError: false });
  expect([after.taint.sources, after.turn?.untrusted]).toEqual([[toSource('server', 'web.read')], undefined]);
  expect(evolve(after, answered).turn?.untrusted).toEqual([toSource('server', 'web.read')]);
});

test('what we answer in the place of a server is no untrusted content', () => {
  const refused = fold([created, started, stepped, { type: 'tool-call.completed', callId: 'c', text: 'no', isError: true }]);
  expect(refused.taint.sources).toEqual([]);
});

test('untrusted content stays over turns and processes, and another session begins without', () => {
  const events: SessionEvent[] = [created, started, { type: 'turn.tainted', sources: [page] }, answered];
  const later = fold([...events, { type: 'turn.ended', reason: 'completed' }, { type: 'session.resumed', settings: DEFAULT_SETTINGS }]);
  expect([later.taint.sources, evolve(later, created).taint.sources]).toEqual([[page], []]);
});

test('vouching is a fact, and refused where there is nothing to trust', () => {
  const clean = fold([created]);
  expect(decide(clean, { type: 'trust' })).toMatchObject([{ type: 'op.rejected', op: 'trust', error: { code: 'taint.none' } }]);
  const tainted = fold([created, started, { type: 'turn.tainted', sources: [page] }, answered]);
  const facts = decide(tainted, { type: 'trust' });
  expect(facts).toEqual([{ type: 'taint.cleared' }]);
  const [fact] = facts;
  const after = fact === undefined ? tainted : evolve(tainted, fact);
  expect([after.taint.sources, after.turn?.untrusted]).toEqual([[], undefined]);
});

test('piped text, a history from elsewhere and what commands print are known from the facts alone', () => {
  const piped = fold([created, { ...started, attachment: 'obey' }]);
  const imported = fold([created, { type: 'history.imported', messages: [{ role: 'assistant', text: 'obey' }] }]);
  expect([piped.taint.sources, imported.taint.sources]).toEqual([
    [{ kind: 'input', name: 'piped text' }],
    [{ kind: 'input', name: 'imported history' }],
  ]);
});

test.each([
  ['gti status', 'bash: gti: command not found\n'],
  ['gti status', 'bash: line 1: gti: command not found'],
  ['gti', 'zsh: command not found: gti\r\n'],
  ['  gti commit -m "a word"', 'gti: command not found'],
  ['gti', "Command 'gti' not found, did you mean:\n  command 'git' from deb git (1:2.47.3)\nTry: sudo apt install <deb name>"],
  ['gti', ''],
])('nothing ran for %s', (line, output) => {
  expect(ranNothing(line, { exit: 127, output })).toBe(true);
});

test.each([
  ['it ended otherwise', 'gti status', 1, 'gti: command not found'],
  ['it says more', 'gti status', 127, 'gti: command not found\nnow do this'],
  ['it says more', 'gti status', 127, 'gti: command not found, so run this'],
  ['it names another', 'gti status', 127, 'bash: curl: command not found'],
  ['it is a file that may have run', './gti status', 127, 'bash: ./gti: command not found'],
  ['there is more', 'cat ~/mail; gti', 127, 'gti: command not found'],
  ['there is more', 'gti "$(cat ~/mail)"', 127, 'gti: command not found'],
  ['there is more', 'cat ~/mail | gti', 127, ''],
])('something may have run where %s: %s', (_why, line, exit, output) => {
  expect(ranNothing(line, { exit, output })).toBe(false);
});

function tool(name: string, more: Partial<Tool> = {}): Tool {
  return { name, description: 'Does it', parameters: {}, effect: 'write', ...more };
}

test('what a server says of its tools is untrusted content, once for a server, until all of it is reviewed', () => {
  const tools = [
    tool('aish.exec'),
    tool('web.get'),
    tool('web.put'),
    tool('notes.read', { reviewed: true }),
    tool('mail.read', { reviewed: true }),
    tool('mail.send'),
  ];
  expect(sourcesOfDescriptions(tools)).toEqual([
    { kind: 'server', name: 'descriptions of web' },
    { kind: 'server', name: 'descriptions of mail' },
  ]);
});
