import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventLog, readLog } from './event-log.ts';

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
