import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnswerReading } from '../../core/model/completion-assembler.ts';
import type { CompletionDelta } from '../../protocol/model.ts';
import type { ServerSign } from './connection.ts';
import { makeCallId, readResponse, readRetryAfter, SLICE_BYTES, SLICE_CHARACTERS } from './response.ts';

interface WireCase {
  readonly case: string;
  readonly http: { readonly status: number; readonly content_type: string };
  readonly headers?: Record<string, string>;
  readonly body_file: string;
  readonly expected: {
    readonly text: string;
    readonly reasoning: string;
    readonly tool_calls: readonly { readonly id: string | null; readonly name: string; readonly arguments: unknown }[];
    readonly finish_reason: string | null;
    readonly error: { kind?: string; message_contains?: string; status?: number; code?: string | number } | null;
    readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
  };
}

const root = join(import.meta.dir, '../../../test/fixtures/wire');
const cases = ['llama-server', 'quirks'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.json') && !file.endsWith('.body.json'))
    .map((file) => {
      const row: WireCase = JSON.parse(readFileSync(join(root, folder, file), 'utf8'));
      return { row, body: new Uint8Array(readFileSync(join(root, folder, row.body_file))) };
    }),
);

describe.each(['whole', 'byte by byte', 'at random places'])('fed %s', (cut) => {
  test.each<[string, WireCase, Uint8Array]>(cases.map(({ row, body }) => [row.case, row, body]))(
    '%s is read as it was meant',
    async (name, row, body) => {
      const read = await readResponse(
        { status: row.http.status, headers: new Headers(row.headers ?? {}), body: feed(cutUp(body, cut, name)) },
        () => {},
      );
      expect<unknown>(simplify(read, row)).toEqual(toExpected(row));
    },
  );
});

test.each<[name: string, percents: readonly number[]]>([
  ['life-prompt-progress', [0, 67, 100]],
  ['qwen25-text-progress', [0, 100]],
])('%s tells how much of the prompt is read, without what was cached', async (name, percents) => {
  const body = feed([new Uint8Array(readFileSync(join(root, 'llama-server', `${name}.sse`)))]);
  const signs: ServerSign[] = [];
  const onSign = (sign: ServerSign): void => void signs.push(sign);
  await readResponse({ status: 200, headers: new Headers(), body: byEvent(body) }, () => {}, { onSign });
  expect(signs.filter(({ type }) => type === 'llama.cpp')).toHaveLength(1);
  expect(signs.flatMap((sign) => (sign.type === 'reading' ? [sign.percent] : []))).toEqual([...percents]);
});

test('comments before an answer are told once, and those within it are not', async () => {
  const answer = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';
  const signs: ServerSign[] = [];
  const deltas: CompletionDelta[] = [];
  const pieces = [': OPENROUTER PROCESSING\n\n', ': OPENROUTER PROCESSING\n\n', answer, ': ping\n\n'];
  await readResponse(
    { status: 200, headers: new Headers(), body: feed(pieces.map((piece) => new TextEncoder().encode(piece))) },
    (delta) => deltas.push(delta),
    { onSign: (sign) => signs.push(sign) },
  );
  expect<unknown>([signs, deltas]).toEqual([[{ type: 'queued' }], [{ type: 'text', text: 'Hi' }]]);
});

test('JSON lines are read like the events of a stream, as they come', async () => {
  const shown: string[] = [];
  async function* body() {
    yield new TextEncoder().encode('{"choices":[{"delta":{"content":"Hel"}}]}');
    yield new TextEncoder().encode('\n{"choices":[{"delta":{"content":"lo"}');
    expect(shown).toEqual(['Hel']);
    yield new TextEncoder().encode(',"finish_reason":"stop"}]}');
  }
  const read = await readResponse({ status: 200, headers: new Headers(), body: body() }, (delta) => {
    if (delta.type === 'text') shown.push(delta.text);
  });
  expect([read.text, read.finish, read.fault, shown]).toEqual(['Hello', 'stop', null, ['Hel', 'lo']]);
});

test('JSON lines that are cut off are no answer, and one line is a document', async () => {
  const cut = await readText('{"choices":[{"delta":{"content":"Hel"}}]}\n{"choices":[{"del');
  const piece = await readText('{"message":{"role":"assistant","content":"Hel"},"done":false}\n');
  const one = await readText('{"generated_text":"Hello"}\n');
  const listed = await readText('[{"generated_text":"Hello"}]');
  expect([cut.fault?.kind, piece.fault?.kind]).toEqual(['incomplete_stream', 'incomplete_stream']);
  expect([one.text, one.finish, listed.text, listed.finish]).toEqual(['Hello', 'stop', 'Hello', 'stop']);
});

test('words of an error with the status 200 are told as an error', async () => {
  const { fault } = await readText(
    '{"success":false,"errors":[{"code":3040,"message":"Capacity exceeded"}],"result":null}',
  );
  expect([fault?.kind, fault?.message]).toEqual(['server', 'Capacity exceeded']);
});

test('what is announced while it streams adds up to the whole', async () => {
  for (const { row, body } of cases) {
    const deltas: CompletionDelta[] = [];
    const read = await readResponse(
      { status: row.http.status, headers: new Headers(), body: feed([body]) },
      (delta) => {
        deltas.push(delta);
      },
    );
    const join = (type: 'text' | 'reasoning') =>
      deltas.map((delta) => (delta.type === type ? delta.text : '')).join('');
    expect({ text: join('text'), reasoning: join('reasoning') }).toEqual({
      text: read.text,
      reasoning: read.reasoning,
    });
  }
});

test('a page instead of an answer is told by its title', async () => {
  const page = '<!doctype html><html><head><title>Router login</title></head><body>…</body></html>';
  expect((await readText(page)).fault).toEqual({
    kind: 'malformed_chunk',
    type: 'not_json',
    message: 'the server answered with a web page: Router login',
  });
});

test('a title that says nothing leaves the page to speak', async () => {
  const page = '<html><head><title>400 Bad Request</title></head><body><pre>stream must be false</pre></body></html>';
  const { fault } = await readResponse(
    { status: 400, headers: new Headers(), body: feed([new TextEncoder().encode(page)]) },
    () => {},
  );
  expect(fault?.message).toBe('400 Bad Request stream must be false');
});

test('a whole completion behind blank lines and with the wrong content type is read', async () => {
  const completion = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] };
  expect(await readText(`\n\n\r\n${JSON.stringify(completion)}`)).toEqual({
    text: 'Hi',
    reasoning: '',
    toolCalls: [],
    finish: 'stop',
    fault: null,
  });
});

test('an empty body and a cut JSON body are incomplete', async () => {
  const kinds = await Promise.all(
    ['', '\n\n', '{"choices":[{"mess'].map(async (body) => (await readText(body)).fault?.kind),
  );
  expect(kinds).toEqual(['incomplete_stream', 'incomplete_stream', 'incomplete_stream']);
});

test('an error status with a streamed error keeps the words of the server', async () => {
  const read = await readText('event: error\ndata: {"error":{"message":"overloaded","code":529}}\n\n', 529);
  expect(read.fault).toEqual({ kind: 'server', message: 'overloaded', code: 529, status: 529 });
});

test('a stream is not read past its [DONE]', async () => {
  let reads = 0;
  const body = (async function* () {
    for (;;) {
      reads += 1;
      yield new TextEncoder().encode('data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n');
    }
  })();
  const read = await readResponse({ status: 200, headers: new Headers(), body }, () => {});
  expect([read.text, reads]).toEqual(['a', 1]);
});

test('an event without end and an answer without end are given up', async () => {
  const endless = (piece: string) =>
    (async function* () {
      const bytes = new TextEncoder().encode(piece);
      for (;;) yield bytes;
    })();
  const kinds = [];
  for (const piece of [
    'data: x'.padEnd(1 << 20, 'x'),
    `data: {"choices":[{"delta":{"content":"${'y'.repeat(1 << 20)}"}}]}\n\n`,
    `data: {"choices":[{"delta":{"reasoning_content":"${'y'.repeat(1 << 20)}"}}]}\n\n`,
    'data: {"choices":[{"delta":{"content":""}}]}\n\n'.repeat(1000),
    ': still there\n\n'.repeat(1000),
    `:${'x'.repeat(1 << 16)}`,
    ' \n'.repeat(1 << 16),
    ' '.repeat(1 << 16),
  ]) {
    const read = await readResponse({ status: 200, headers: new Headers(), body: endless(piece) }, () => {});
    kinds.push(read.fault?.kind);
  }
  expect(kinds).toEqual(kinds.map(() => 'too_large'));
});

test('comments between the pieces of an answer do not count against it', async () => {
  const comments = ': still there\n\n'.repeat(100_000);
  const piece = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n';
  const chunks = Array.from({ length: 8 }, () => new TextEncoder().encode(comments + piece));
  const done = new TextEncoder().encode('data: [DONE]\n\n');
  const read = await readResponse({ status: 200, headers: new Headers(), body: feed([...chunks, done]) }, () => {});
  expect([read.text, read.fault]).toEqual(['a'.repeat(8), null]);
});

test('a long piece is handed on in short ones, no character cut, and others have their turn in between', async () => {
  const long = '😀x'.repeat(20_000);
  const turns: number[] = [];
  const pieces: string[] = [];
  let turn = 0;
  const tick = (): void => {
    turn += 1;
    ticking = setImmediate(tick);
  };
  let ticking = setImmediate(tick);
  const body = feed([
    new TextEncoder().encode(`data: ${JSON.stringify({ choices: [{ delta: { content: long } }] })}\n\n`),
  ]);
  await readResponse({ status: 200, headers: new Headers(), body }, (delta) => {
    if (delta.type !== 'text') return;
    pieces.push(delta.text);
    turns.push(turn);
  });
  clearImmediate(ticking);
  expect(pieces.join('')).toBe(long);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(SLICE_CHARACTERS);
  expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  expect(new Set(turns).size).toBeGreaterThan(pieces.length / 2);
});

test('whatever comes in one piece is read in slices, and others have their turn after each', async () => {
  const call = { index: 0, id: 'c', function: { name: 'f', arguments: ' ' } };
  const event = `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] })}\n\n`;
  for (const piece of [': x\n', ':\n\n', 'data: {"choices":[]}\n\n', event]) {
    const bytes = new TextEncoder().encode(piece.repeat(Math.ceil(1_000_000 / piece.length)));
    let turns = 0;
    const tick = (): void => {
      turns += 1;
      ticking = setImmediate(tick);
    };
    let ticking = setImmediate(tick);
    await readResponse({ status: 200, headers: new Headers(), body: feed([bytes]) }, () => {});
    clearImmediate(ticking);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(bytes.length / SLICE_BYTES));
  }
});

test('a pause is read in seconds and as a date', () => {
  const now = Date.parse('2026-11-21T10:00:00Z');
  const values = ['2', '0.5', 'Sat, 21 Nov 2026 10:00:09 GMT', 'Sat, 21 Nov 2026 09:00:00 GMT', 'soon', '', null];
  expect(values.map((value) => readRetryAfter(value, now))).toEqual([2000, 500, 9000, 0, null, null, null]);
});

test('a connection that broke before the first byte is no empty response', async () => {
  const read = (isBroken: boolean) =>
    readResponse({ status: 200, headers: new Headers(), body: feed([]) }, () => {}, { isBroken: () => isBroken });
  expect([(await read(false)).fault?.type, (await read(true)).fault?.message]).toEqual([
    'no_content',
    'the response stream ended unexpectedly',
  ]);
});

test('an id that is made has nine letters and digits', () => {
  expect(Array.from({ length: 50 }, makeCallId).every((id) => /^[a-zA-Z0-9]{9}$/.test(id))).toBe(true);
});

function readText(text: string, status = 200): Promise<AnswerReading> {
  return readResponse({ status, headers: new Headers(), body: feed([new TextEncoder().encode(text)]) }, () => {});
}

async function* feed(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function cutUp(body: Uint8Array, cut: string, seedText: string): Uint8Array[] {
  let seed = Number(Bun.hash(seedText) & 0x7fffffffn);
  const size = (): number => {
    if (cut === 'whole') return body.length;
    if (cut === 'byte by byte') return 1;
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return 1 + (seed % 60);
  };
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < body.length; ) {
    const length = size();
    chunks.push(body.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

function simplify(read: AnswerReading, row: WireCase) {
  const wanted = row.expected.error;
  return {
    text: read.text,
    reasoning: read.reasoning,
    calls: read.toolCalls.map((call, index) => ({
      id: row.expected.tool_calls[index]?.id === null && /^[a-zA-Z0-9]{9}$/.test(call.id) ? null : call.id,
      name: call.name,
      arguments: parseArguments(call.arguments),
    })),
    finish: read.finish,
    error: read.fault && {
      ...(wanted?.kind && { kind: read.fault.kind }),
      ...(wanted?.status && { status: read.fault.status }),
      ...(wanted?.code !== undefined && { code: read.fault.code }),
      ...(wanted?.message_contains && {
        message_contains: read.fault.message.includes(wanted.message_contains)
          ? wanted.message_contains
          : read.fault.message,
      }),
    },
    usage: row.expected.usage && [read.usage?.promptTokens, read.usage?.completionTokens],
  };
}

/** A recorded body as a server sends it: event by event. */
async function* byEvent(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  for await (const bytes of body)
    for (const event of new TextDecoder().decode(bytes).split(/(?<=\n\n)/)) yield new TextEncoder().encode(event);
}

function toExpected({ expected }: WireCase) {
  const { kind, status, code, message_contains } = expected.error ?? {};
  return {
    text: expected.text,
    reasoning: expected.reasoning,
    calls: expected.tool_calls,
    finish: expected.finish_reason,
    error: expected.error && {
      ...(kind && { kind }),
      ...(status && { status }),
      ...(code !== undefined && { code }),
      ...(message_contains && { message_contains }),
    },
    usage: expected.usage && [expected.usage.prompt_tokens, expected.usage.completion_tokens],
  };
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { $unparsable: text };
  }
}
