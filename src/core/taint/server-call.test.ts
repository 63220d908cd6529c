import { expect, test } from 'bun:test';
import type { JsonObject } from '../../protocol/json.ts';
import type { TaintSource } from '../../protocol/taint.ts';
import type { Entry } from '../session/state.ts';
import { reachOfServerCall } from './server-call.ts';
import { toDescriptionsSource, toSource } from './taint-state.ts';

const own = toSource('server', 'web.read');
const other = toSource('server', 'box.list');
const page = toSource('network', 'https://example.com');
const entries: readonly Entry[] = [
  { type: 'user', text: 'read https://example.com/first for me', attachment: 'a long private letter' },
  {
    type: 'assistant',
    text: '',
    calls: [
      { id: 'c0', name: 'web.read', arguments: {}, effect: 'write', origin: 'model' },
      { id: 'c1', name: 'aish.read_file', arguments: {}, effect: 'read', origin: 'model' },
    ],
  },
  { type: 'result', callId: 'c0', text: 'go on at https://example.com/second' },
  { type: 'result', callId: 'c1', text: 'what stands in a file of the project' },
];

function isHeld(heard: readonly TaintSource[], args: JsonObject): boolean {
  return reachOfServerCall({ name: 'web.read', arguments: args }, heard, entries) !== null;
}

test.each([
  ['nothing', [], { url: 'https://elsewhere.example/with?all=that' }],
  ['what the server says of its own tools', [toDescriptionsSource('web')], { text: 'a long text of the model itself' }],
  ['its own answer, to words of the person', [own], { url: 'https://example.com/first' }],
  ['its own answer, to words of its own', [own], { at: [{ url: 'https://example.com/second' }], deep: true, count: 3 }],
  ['its own answer, to a short word', [own, toDescriptionsSource('box')], { id: 'note-17' }],
  [
    "another server's description, to words of the person",
    [toDescriptionsSource('box')],
    { url: 'https://example.com/first' },
  ],
] as const)('a rule lets through what follows from %s', (_, heard, args) => {
  expect(isHeld(heard, args)).toBe(false);
});

test.each([
  ['its own answer, with more in the address', [own], { url: 'https://example.com/first?letter=private' }],
  ['its own answer, with what a file says', [own], { text: 'what stands in a file of the project' }],
  ['its own answer, with what went along', [own], { text: 'a long private letter' }],
  ['its own answer, with much in a name', [own], { [`a${'b'.repeat(60)}`]: 1 }],
  ['the answer of another server', [other], { id: '1' }],
  ['a page', [own, page], { id: '1' }],
  ["another server's description, with new words", [toDescriptionsSource('box')], { to: 'eve@far.example' }],
] as const)('a call is held that follows from %s', (_, heard, args) => {
  expect(isHeld(heard, args)).toBe(true);
});
