import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EventLog, readLog } from './event-log.ts';
import { formatHeader, sealLine } from './log-line.ts';

let home = '';
let path = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'event-log-fault-'));
  path = join(home, 'one', 'log.jsonl');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A program that has the log in hand as `log` and its path as its first argument. */
function writeProgram(body: string): string {
  const program = join(home, 'program.ts');
  const log = JSON.stringify(join(import.meta.dir, 'event-log.ts'));
  writeFileSync(program, `import { EventLog } from ${log};\nconst path = process.argv[2] ?? '';\n${body}`);
  return program;
}

async function readUntil(stream: ReadableStream<Uint8Array>, word: string): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes(word)) return;
  }
  throw new Error(`ended without "${word}": ${text}`);
}

const ENDLESS = `
const log = EventLog.create(path);
for (let n = 1; ; n++) {
  log.append([{ type: 'tool-call.completed', callId: 'c' + n, text: 'x'.repeat(n % 3000), isError: false }], n);
  if (n === 300) process.stdout.write('running\\n');
}
`;

test('after kill -9 in the middle of writing the log opens with all its events in order', async () => {
  const child = Bun.spawn([process.execPath, writeProgram(ENDLESS), path], { stdout: 'pipe', stderr: 'inherit' });
  await readUntil(child.stdout, 'running');
  child.kill('SIGKILL');
  await child.exited;
  const { log, recorded } = EventLog.open(path);
  log.close();
  expect(recorded.length).toBeGreaterThanOrEqual(300);
  expect(recorded.every((entry, index) => entry.at === index + 1)).toBe(true);
});

const HOLD = `
const log = EventLog.create(path);
log.append([{ type: 'tool-call.started', callId: 'c' }], 1);
const child = Bun.spawn(['sleep', '30']);
process.stdout.write('holding ' + child.pid + '\\n');
setInterval(() => {}, 1000);
`;

test('a second process is refused while the first lives, and let in once it is killed although its child lives on', async () => {
  const holder = Bun.spawn([process.execPath, writeProgram(HOLD), path], { stdout: 'pipe', stderr: 'inherit' });
  const reader = holder.stdout.getReader();
  const grandchild = Number(/holding (\d+)/.exec(new TextDecoder().decode((await reader.read()).value))?.[1]);
  try {
    expect(() => EventLog.open(path)).toThrow('another aish has this session open');
    holder.kill('SIGKILL');
    await holder.exited;
    const { log, recorded } = EventLog.open(path);
    log.close();
    expect(recorded).toHaveLength(1);
  } finally {
    process.kill(grandchild);
  }
});

const FILL = `
const log = EventLog.create(path);
let failure = null;
let n = 0;
while (failure === null) {
  try { log.append([{ type: 'tool-call.completed', callId: 'c' + n, text: 'x'.repeat(700), isError: false }], n); n++; }
  catch (error) { failure = error.code; }
}
let again = null;
try { log.append([{ type: 'tool-call.completed', callId: 'big', text: 'x'.repeat(700), isError: false }], n); } catch (error) { again = error.code; }
log.close();
process.stdout.write(JSON.stringify({ n, failure, again }));
`;

test('a write that no longer fits is an error, and the log ends with its last whole line', async () => {
  // The limit is counted in blocks of 512 bytes or of 1 KiB, depending on the shell.
  const script = `trap '' XFSZ; ulimit -f 16; exec "$0" "$1" "$2"`;
  const child = Bun.spawn(['sh', '-c', script, process.execPath, writeProgram(FILL), path], { stdout: 'pipe' });
  const told: unknown = JSON.parse(await new Response(child.stdout).text());
  await child.exited;
  const recorded = readLog(path);
  expect(told).toEqual({ n: recorded.length, failure: 'session.write-failed', again: 'session.write-failed' });
  expect(recorded.length).toBeGreaterThan(5);
  expect(readFileSync(path).at(-1)).toBe(10);
  const { log, warnings } = EventLog.open(path);
  log.close();
  expect(warnings).toEqual([]);
});

/** A log as a newer release of the same format may leave it: facts of kinds this one does not know, between ones that it does. */
function writeNewerLog(): void {
  const facts = [
    { type: 'turn.started', turn: 1, text: 'go' },
    { type: 'dream.begun', depth: 2 },
    { type: 'turn.ended', reason: 'completed' },
    { type: 'dream.ended' },
  ];
  mkdirSync(dirname(path), { recursive: true });
  const lines = facts.map((event, index) => sealLine({ seq: index + 1, at: 1, event }));
  writeFileSync(path, [formatHeader(), ...lines].join(''));
}

test('events that only a newer release knows are passed over, told of, kept in the file and counted', () => {
  writeNewerLog();
  const before = readFileSync(path, 'utf8');
  const { log, recorded, warnings } = EventLog.open(path);
  const [next] = log.append([{ type: 'tool-call.started', callId: 'c' }], 2);
  log.close();
  expect(recorded.map(({ seq, event }) => [seq, event.type])).toEqual([
    [1, 'turn.started'],
    [3, 'turn.ended'],
  ]);
  expect(warnings).toEqual([
    'a newer aish wrote events that this aish does not know (dream.begun, dream.ended); this aish skips them, and they stay in the log',
  ]);
  expect([next?.seq, readFileSync(path, 'utf8').startsWith(before)]).toEqual([5, true]);
  expect(readLog(path).map(({ seq }) => seq)).toEqual([1, 3, 5]);
});

test('a clock that is set back, or years ahead, changes neither order nor content', () => {
  const times = [1_000, 500, 0, 4_102_444_800_000, 1, Number.MAX_SAFE_INTEGER, -5];
  const log = EventLog.create(path);
  for (const at of times) log.append([{ type: 'tool-call.started', callId: `at${at}` }], at);
  log.close();
  const { log: again, recorded, warnings } = EventLog.open(path);
  again.close();
  expect([recorded.map(({ at }) => at), recorded.map(({ seq }) => seq), warnings]).toEqual([
    times,
    times.map((_, index) => index + 1),
    [],
  ]);
});

const TURNS = `
const turns = Number(process.argv[3]);
for (let done = 0; done < turns; ) {
  let opened = null;
  try { opened = EventLog.open(path); } catch (error) { if (error.code !== 'session.locked') throw error; }
  if (opened === null) { await new Promise((resolve) => setImmediate(resolve)); continue; }
  opened.log.append([{ type: 'tool-call.started', callId: process.pid + '-' + done }, { type: 'tool-call.completed', callId: process.pid + '-' + done, text: '', isError: false }], 1);
  opened.log.close();
  done++;
}
`;

test('two processes that want one log take turns: what each appends at once stays together, and nothing is lost', async () => {
  const first = EventLog.create(path);
  first.append([{ type: 'turn.started', turn: 1, text: 'go' }], 1);
  first.close();
  const program = writeProgram(TURNS);
  const processes = [1, 2].map(() =>
    Bun.spawn([process.execPath, program, path, '100'], { stdout: 'inherit', stderr: 'inherit' }),
  );
  expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual([0, 0]);
  const { log, recorded, warnings } = EventLog.open(path);
  log.close();
  const pairs = recorded.slice(1).map(({ event }) => ('callId' in event ? event.callId : ''));
  const torn = pairs.filter((id, index) => index % 2 === 1 && id !== pairs[index - 1]);
  const [one = '', other = ''] = processes.map(({ pid }) => `${pid}-`);
  const ofEach = [one, other].map((prefix) => pairs.filter((id) => id?.startsWith(prefix)).length);
  expect({ warnings, torn, ofEach }).toEqual({ warnings: [], torn: [], ofEach: [200, 200] });
});
