import { afterAll, beforeAll, expect, test } from 'bun:test';
import { examine } from '../../src/adapters/model/doctor.ts';
import { ASK_FOR_CALL, toResultRequest } from '../../src/adapters/model/doctor-probes.ts';
import { type ModelEndpoint, toEndpoint } from '../../src/adapters/model/models.ts';
import { requestOnce } from '../../src/adapters/model/request-completion.ts';
import { toFindings } from '../../src/hosts/cli/commands/doctor-command.ts';
import { QuirkServer } from '../support/quirk-server.ts';
import { LONG_LIMIT_MS } from '../support/quirks.ts';

/** Refusals of servers, and the line of the doctor about each. */
const REFUSALS: Readonly<Record<string, string>> = {
  's-no-stream_options': 'fields note',
  'err-spring': 'fields note',
  's-unnamed': 'fields note',
  's-mute': 'fields note',
  's-type-list': 'schema note',
  's-content-parts': 'fields note',
  's-needs-tool_choice': 'fields note',
  's-no-system': 'roles note',
  's-user-first': 'roles note',
  's-no-tool-role': 'roles note',
  's-no-tool-role-pydantic': 'roles note',
  's-tool-role-unnamed': 'roles note',
  's-need-max_tokens': 'limit note',
  's-need-less-tokens': 'limit note',
  's-no-tools': 'tools fix',
  's-no-tools-unnamed': 'tools fix',
  's-tool-count-4': 'tools note',
  's-no-stream': 'stream note',
  's-content-null': 'content note',
  's-no-empty-content': 'content note',
};

/** A server that refuses every tool, and looks at nothing else first, answers each request as if it had not the second quirk. */
const HIDDEN = /^s-no-tools(-unnamed)?\+s-(type-list|tool-count-4|needs-tool_choice)$/;

/** The server of the quirks differs in this even without a quirk. */
const USUAL = ['parallel note', 'window note', 'model note'];

const names = Object.keys(REFUSALS);
const PAIRS = names.flatMap((one, at) =>
  names.slice(at + 1).flatMap((other) => [`${one}+${other}`, `${other}+${one}`]),
);

const clock = { wait: async () => {}, random: () => 0 };
const { signal } = new AbortController();
const server = new QuirkServer();
const played = new Map<string, { readonly found: readonly string[]; readonly answer: string }>();

/** The requests of a turn, with what the doctor learned and nothing more. */
async function runLoop(endpoint: ModelEndpoint): Promise<string> {
  const first = await requestOnce(endpoint, ASK_FOR_CALL, () => {}, signal);
  if (first.toolCalls.length === 0) return first.text;
  const calls = first.toolCalls.map((call) => ({ ...call, id: 'abcdefghi' }));
  const next = toResultRequest({ role: 'assistant', content: first.text, toolCalls: calls }, calls);
  return (await requestOnce(endpoint, next, () => {}, signal)).text;
}

async function play(pair: string): Promise<void> {
  const config = { base_url: server.url(pair), timeout_ms: LONG_LIMIT_MS, model: 'm' };
  const diagnosis = await examine(toEndpoint('test', config, null), signal, clock);
  const found = toFindings(diagnosis).map(({ check, state }) => `${check} ${state}`);
  const named = found.filter((one) => !one.endsWith(' ok') && !USUAL.includes(one));
  played.set(pair, { found: [...new Set(named)].sort(), answer: await runLoop(diagnosis.endpoint) });
}

beforeAll(async () => {
  const next = PAIRS.values();
  const worker = async (): Promise<void> => {
    for (const pair of next) await play(pair);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}, 120_000);
afterAll(() => server.close());

test.each(PAIRS)('the doctor names both quirks, and the tool loop passes after it: %s', (pair) => {
  const both = pair.split('+', HIDDEN.test(pair) ? 1 : 2).map((name) => REFUSALS[name] ?? '');
  const { found, answer } = played.get(pair) ?? {};
  expect(found).toEqual([...new Set(both)].sort());
  expect(answer).toMatch(both.includes('tools fix') ? /talk|blue/ : /^It says that the sea is blue\.$/);
});
