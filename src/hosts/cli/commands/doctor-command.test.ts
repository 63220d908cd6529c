import { afterAll, describe, expect, test } from 'bun:test';
import { type Asked, usual } from '../../../../test/support/quirk-kinds.ts';
import { answer, CALL, callPart, refuse } from '../../../../test/support/quirk-replies.ts';
import { QuirkServer } from '../../../../test/support/quirk-server.ts';
import { LONG_LIMIT_MS, QUIRKS } from '../../../../test/support/quirks.ts';
import { examine } from '../../../adapters/model/doctor.ts';
import { toEndpoint } from '../../../adapters/model/models.ts';
import { formatFindings, toFindings } from './doctor-command.ts';

/** No test waits for a server that is not ready. */
const CLOCK = { wait: async () => {}, random: () => 0 };

/** A good server says all this. */
const GOOD = [
  'server ok',
  'answer ok',
  'speed ok',
  'call ok',
  'parallel ok',
  'names ok',
  'ids ok',
  'roles ok',
  'alternation ok',
  'window ok',
  'model ok',
];

/** The server of the quirks differs in this even without a quirk: a call at a time, no size of its context, and an answer to any name. */
const USUAL = ['parallel note', 'window note', 'model note'];

const server = new QuirkServer();
afterAll(() => server.close());

async function find(baseUrl: string, limitMs = LONG_LIMIT_MS, model: string | undefined = 'm'): Promise<string[]> {
  const config = { base_url: baseUrl, timeout_ms: limitMs, ...(model === '' ? {} : { model }) };
  const diagnosis = await examine(toEndpoint('test', config, null), new AbortController().signal, CLOCK);
  return toFindings(diagnosis).map(({ check, state }) => `${check} ${state}`);
}

test('on a terminal the texts of the report fold within their column', () => {
  const findings = [
    { check: 'server', state: 'ok', text: 'It was ready at once.' },
    {
      check: 'call',
      state: 'fix',
      text: 'The model made no call, although aish asked for one.',
      cure: 'llama-server: --jinja',
    },
  ] as const;
  expect(`\n${formatFindings(findings, 48)}`).toBe(`
ok   server      It was ready at once.
FIX  tool calls  The model made no call,
                 although aish asked for one.
                 llama-server: --jinja`);
  expect(formatFindings(findings, 100).split('\n').length).toBe(3);
});

const LEARNED: Readonly<Record<string, readonly string[]>> = {
  's-no-stream_options': ['fields note'],
  's-strict-fields': ['fields note'],
  'err-array': ['fields note'],
  'err-plain': ['fields note'],
  's-mute': ['fields note'],
  'err-spring': ['fields note'],
  's-unnamed': ['fields note'],
  's-no-tools-unnamed': ['tools fix'],
  's-no-tools-in-stream': ['stream note'],
  's-tool-role-unnamed': ['roles note'],
  's-tool-role-500': ['server note', 'roles note'],
  's-one-tool': ['tools note'],
  's-user-first': ['roles note'],
  's-type-list': ['schema note'],
  's-no-system': ['roles note'],
  's-no-system-openai': ['roles note'],
  's-no-tool-role': ['roles note'],
  's-no-tool-role-pydantic': ['roles note'],
  's-need-max_tokens': ['limit note'],
  's-need-less-tokens': ['limit note'],
  's-no-tools': ['tools fix'],
  'err-ollama-tools': ['tools fix'],
  's-auto-tool-vllm': ['tools fix'],
  's-tool-count-4': ['tools note'],
  's-content-parts': ['fields note'],
  's-needs-tool_choice': ['fields note'],
  's-no-stream': ['stream note'],
  's-content-null': ['content note'],
  's-no-empty-content': ['content note'],
  'r-must-not-return': ['fields note'],
};

const ANSWERED: Readonly<Record<string, readonly string[]>> = {
  'r-think-tags': ['reasoning note'],
  'r-thinking-tags': ['reasoning note'],
  'r-call-in-reasoning': ['call fix'],
  'length-half-call': ['answer fix'],
  'loop-same-call': ['answer fix'],
  'loop-same-failure': ['answer fix'],
  'empty-answer': ['answer fix'],
  'empty-once': ['answer fix'],
  'invisible-answer': ['answer fix'],
  'empty-first': ['answer fix'],
  'reason-only': ['answer fix'],
  'reason-only-length': ['answer fix'],
  'length-text': ['answer fix'],
  'length-counted': ['answer fix'],
  'length-other-word': ['answer fix'],
  'content-filter': ['answer fix'],
  refusal: ['answer fix'],
  ndjson: [],
  'last-twice': [],
  'no-done': [],
  'ping-events': [],
  'double-data': [],
  'name-marks': [],
  'm-ok': [],
};

/** Findings about the quirks that users reported, where the loop works in the end. */
const REPORTED: Readonly<Record<string, readonly string[]>> = {
  'v-502-in-200': ['server note'],
  'v-malformed-function-call': ['server note'],
  'v-needs-reasoning_content': ['roles note'],
  'v-needs-reasoning-litellm': ['roles note'],
  'v-thought_signature': ['roles note'],
  'v-content-and-thinking': ['server note', 'roles note'],
  'v-non-empty-content': ['content note'],
  'v-single-call-template': ['server note', 'roles note'],
  'v-last-must-be-user': ['roles note'],
  'v-error-problem-json': ['fields note'],
  'v-error-databricks': ['fields note'],
  'v-error-detail-object': ['fields note'],
  'v-error-in-error': ['fields note'],
  'v-error-parsing-tool-call': ['server note'],
  'v-524-once': ['server note'],
  'v-520-once': ['server note'],
  'v-522-once': ['server note'],
  'v-503-detail-object': ['server note'],
};

function expectedReported(name: string): readonly string[] {
  switch (QUIRKS[name]?.expected.end) {
    case 'loop':
      return REPORTED[name] ?? [];
    case 'talk':
      return ['tools fix'];
    case 'gap':
      return ['answer fix'];
    default:
      return ['server fix'];
  }
}

/** The findings about a quirk, without those about the usual server. */
function expected(name: string): readonly string[] {
  const known = LEARNED[name] ?? ANSWERED[name];
  if (known !== undefined) return known;
  if (name.startsWith('v-')) return expectedReported(name);
  if (name.startsWith('t-')) return ['call fix'];
  return [QUIRKS[name]?.expected.end === 'failed' ? 'server fix' : 'server note'];
}

describe('the doctor names the one quirk of a server', () => {
  test.concurrent.each(Object.entries(QUIRKS))('%s', async (name, quirk) => {
    const found = await find(server.url(name), quirk.limitMs ?? LONG_LIMIT_MS, quirk.models === undefined ? 'm' : '');
    const named = found.filter((one) => !one.endsWith(' ok') && !USUAL.includes(one));
    expect(named).toEqual([...expected(name)]);
  });
});

interface Probed {
  readonly asked: Asked['body'];
  readonly path: string;
}

/** A good server with one difference: what the check refuses. */
async function findAt(differ: (probed: Probed) => Response | null): Promise<string[]> {
  await using probed = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    fetch: async (request) => {
      const path = new URL(request.url).pathname;
      const body: Asked['body'] = request.method === 'POST' ? JSON.parse(await request.text()) : { messages: [] };
      return differ({ asked: body, path }) ?? goodServer(body, path);
    },
  });
  return await find(`http://127.0.0.1:${probed.port}/v1`);
}

function goodServer(body: Asked['body'], path: string): Response {
  if (path === '/props') return Response.json({ default_generation_settings: { n_ctx: 32_768 } });
  if (path !== '/v1/chat/completions') return new Response('', { status: 404 });
  if (body.model !== 'm') return refuse(404, `The model '${body.model}' does not exist`, { code: 'model_not_found' });
  const isForTwo = JSON.stringify(body.messages).includes('b.txt');
  if (isForTwo) return twoCalls();
  return usual({ body, nth: 1, hasResult: body.messages.at(-1)?.role === 'tool' || body.tools === undefined });
}

function twoCalls(): Response {
  const [first, second] = ['a.txt', 'b.txt'].map((path, index) => ({
    index,
    id: `call_000${index}`,
    type: 'function',
    function: { ...CALL, arguments: JSON.stringify({ path }) },
  }));
  return answer([{ tool_calls: [first] }, { tool_calls: [second] }], 'tool_calls');
}

const DIFFERENCES: Readonly<Record<string, (probed: Probed) => Response | null>> = {
  'parallel note': ({ asked }) => (JSON.stringify(asked.messages).includes('b.txt') ? answer([callPart()]) : null),
  'names note': ({ asked }) =>
    JSON.stringify(asked.tools ?? []).includes('aish.') ? refuse(400, 'Invalid tools[0].function.name') : null,
  'ids note': ({ asked }) =>
    asked.messages.some(({ tool_call_id: id }) => id !== undefined && id.length !== 9)
      ? refuse(400, 'Tool call id has to be of length 9')
      : null,
  'alternation note': ({ asked: { messages } }) =>
    messages.some(({ role }, at) => role === 'user' && messages[at - 1]?.role === 'user')
      ? refuse(500, 'Jinja Exception: roles must alternate')
      : null,
  'window fix': ({ path }) =>
    path === '/props' ? Response.json({ default_generation_settings: { n_ctx: 4096 } }) : null,
  'model note': ({ asked, path }) =>
    path === '/v1/chat/completions' && asked.model !== 'm' ? goodServer({ ...asked, model: 'm' }, path) : null,
};

test('a good server is good in all', async () => {
  expect(await findAt(() => null)).toEqual(GOOD);
});

test.each(Object.entries(DIFFERENCES))('a server that differs: %s', async (named, differ) => {
  const [check] = named.split(' ');
  expect(await findAt(differ)).toEqual(GOOD.map((one) => (one.startsWith(`${check} `) ? named : one)));
});

const PAIRS = Object.keys(DIFFERENCES).flatMap((one, at, all) =>
  all.slice(at + 1).map((other) => [one, other] as const),
);

test.each(PAIRS)('a server that differs twice: %s and %s', async (one, other) => {
  const found = await findAt((probed) => DIFFERENCES[one]?.(probed) ?? DIFFERENCES[other]?.(probed) ?? null);
  expect(found.filter((line) => !line.endsWith(' ok')).sort()).toEqual([one, other].sort());
});
