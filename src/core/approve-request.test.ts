import { expect, test } from 'bun:test';
import { parseApproveRequest } from './approve-request.ts';

test.each([
  ['', { type: 'list' }],
  ['read-only', { type: 'mode', mode: 'read-only' }],
  ['why', { type: 'why', back: 1 }],
  ['why 3', { type: 'why', back: 3 }],
  ['why not', null],
  ['revoke', null],
  ['revoke git log', { type: 'revoke', rule: 'git log' }],
  ['save 2', { type: 'save', rule: '2' }],
  ['git log', { type: 'add', prefix: 'git log' }],
  ['all targets', { type: 'add', prefix: 'all targets' }],
] as const)(':approve %s is understood', (text, request) => {
  expect(parseApproveRequest(text)).toEqual(request);
});
