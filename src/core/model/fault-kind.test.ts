import { expect, test } from 'bun:test';
import type { Json } from '../../protocol/json.ts';
import { classifyFault, type FaultKind } from './fault-kind.ts';
import { readServerFault } from './server-fault.ts';

test.each<[status: number | undefined, body: Json, kind: FaultKind]>([
  [401, { error: { message: 'no' } }, 'unauthorized'],
  [400, { error: { message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }, 'unauthorized'],
  [403, { error: { message: 'no' } }, 'forbidden'],
  [403, { error: { message: 'Country, region, or territory not supported' } }, 'region'],
  [451, { error: { message: 'Unavailable for legal reasons' } }, 'region'],
  [403, { error: { message: 'Project does not have access to model `m`', code: 'model_not_found' } }, 'model-missing'],
  [400, { error: { message: 'm is not a valid model ID' } }, 'model-missing'],
  [400, { error: { message: 'Invalid model name passed in model=m' } }, 'model-missing'],
  [400, { error: { message: 'The model `m` has been decommissioned' } }, 'model-missing'],
  [410, { error: { message: 'The model `m` has been deprecated' } }, 'model-missing'],
  [405, { detail: 'Method Not Allowed' }, 'path-missing'],
  [400, { error: { message: 'Your credit balance is too low' } }, 'no-credit'],
  [429, { error: { code: '1113', message: '余额不足或无可用资源包,请充值。' } }, 'no-credit'],
  [undefined, { status_code: 1008, status_msg: 'insufficient balance' }, 'no-credit'],
  [400, { error: { message: 'no', code: 'content_filter' } }, 'filtered'],
  [400, { error: { message: 'bad' } }, 'refused'],
  [501, { error: { message: 'not implemented' } }, 'refused'],
  [409, { error: { message: 'conflict' } }, 'unavailable'],
  [425, { error: { message: 'too early' } }, 'unavailable'],
  [undefined, { error: { message: 'wait', code: '503' } }, 'unavailable'],
  [undefined, { error: { message: 'wait', type: 'overloaded_error' } }, 'overloaded'],
  [undefined, { error: { message: 'wait', type: 'rate_limit_error' } }, 'rate-limited'],
  [undefined, { error: { message: 'oh', type: 'server_error' } }, 'server-error'],
  [undefined, { error: { message: 'oh' } }, 'stream-error'],
  [400, { error: { message: 'User location is not supported for the API use.' } }, 'region'],
  [429, { error: 'Your team has either used all available credits or reached its monthly spending limit.' }, 'no-credit'],
  [400, { error: { message: 'Failed to call a function.', code: 'tool_use_failed' } }, 'server-error'],
  [503, { error: 'Model m is currently loading', estimated_time: 20 }, 'loading'],
])('status %p with %j is %s', (status, body, kind) => {
  expect(classifyFault({ ...readServerFault(body), ...(status === undefined ? {} : { status }) })).toBe(kind);
});
