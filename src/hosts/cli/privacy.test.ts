import { expect, test } from 'bun:test';
import type { Route } from '../../core/router/route.ts';
import { judgePrivacy, type Privacy } from './privacy.ts';

const command: Route = { type: 'command', text: 'ls', reason: '' };
const message: Route = { type: 'message', text: 'why is that', reason: '' };
const meta: Route = { type: 'meta', text: ':output', reason: '' };

const cases: readonly (readonly [string, Route, boolean, Privacy])[] = [
  ['ls', command, false, 'open'],
  [' ls', command, false, 'private'],
  ['\tls', command, false, 'private'],
  ['ls', command, true, 'private'],
  ['why is that', message, false, 'open'],
  [' why is that', message, false, 'held back'],
  ['why is that', message, true, 'held back'],
  ['?why is that', message, true, 'open'],
  [':output', meta, false, 'open'],
  [':private echo x', meta, false, 'private'],
  [':private', meta, false, 'open'],
];

for (const [line, route, isOn, privacy] of cases) {
  test(`"${line}" is ${privacy}${isOn ? ' while private mode is on' : ''}`, () => {
    expect(judgePrivacy(line, route, isOn)).toBe(privacy);
  });
}
