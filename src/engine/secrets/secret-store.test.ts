import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import { SecretStore } from './secret-store.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'aish-secret store-'));
  mkdirSync(join(home, 'project'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function open(
  env: Record<string, string> = {},
  secrets: Partial<(typeof DEFAULT_CONFIG)['secrets']> = {},
): SecretStore {
  const config = { ...DEFAULT_CONFIG, secrets: { ...DEFAULT_CONFIG.secrets, ...secrets } };
  return new SecretStore({ config, env });
}

const place = (): { cwd: string; project: string; home: string } => ({
  cwd: join(home, 'project'),
  project: join(home, 'project'),
  home,
});
const TOKEN = `ghp_${'aB3dE5gH7jK9'.repeat(3)}`;

test('variables are known from the start by their names, passwords in addresses by where they stand', () => {
  const secretStore = open({
    MY_TOKEN: 'my-Token-value-9',
    REDIS_URL: 'redis://:redisPw123@h/0',
    SHELL_NAME: 'something-else-1',
  });
  expect(secretStore.redact('my-Token-value-9 redis://:redisPw123@h/0 redisPw123 something-else-1')).toBe(
    '⟨secret:MY_TOKEN⟩ ⟨secret:REDIS_URL⟩ ⟨secret:REDIS_URL.password⟩ something-else-1',
  );
  expect(secretStore.valueOf('REDIS_URL')).toBe('redis://:redisPw123@h/0');
  expect(secretStore.valueOf('NOBODY')).toBeNull();
});

test('a variable with a secret among other things is one as a whole', () => {
  const secretStore = open({ OPTIONS: '-H X:my-Token-value-9 -v', MY_TOKEN: 'my-Token-value-9' });
  expect(secretStore.valueOf('OPTIONS')).toBe('-H X:my-Token-value-9 -v');
  expect(secretStore.variables()).toEqual(new Set(['OPTIONS', 'MY_TOKEN']));
});

test('the name of the user is no secret whatever holds it, and the user may name what is one and what is none', () => {
  const env = { USER: 'somebody77', DB_PASSWORD: 'somebody77', CODE: 'my own code', API_KEY: 'open-to-All-1' };
  const secretStore = open(env, { names: ['CODE'], public: ['API_KEY'] });
  expect(secretStore.redact('somebody77 my own code open-to-All-1')).toBe('somebody77 ⟨secret:CODE⟩ open-to-All-1');
});

test('a file and an exported variable are known after a refresh, and a new value has a new name', async () => {
  const secretStore = open({ MY_TOKEN: 'my-Token-value-9' });
  writeFileSync(join(home, 'project/.env'), 'API_KEY=one-Key-1234\n');
  await secretStore.refresh({ ...place(), exports: { MY_TOKEN: 'my-Token-value-10', LATER_TOKEN: 'later-Token-1' } });
  expect(secretStore.redact('one-Key-1234 my-Token-value-9 my-Token-value-10 later-Token-1')).toBe(
    '⟨secret:API_KEY⟩ ⟨secret:MY_TOKEN⟩ ⟨secret:MY_TOKEN-2⟩ ⟨secret:LATER_TOKEN⟩',
  );
  expect(secretStore.variables()).toEqual(new Set(['MY_TOKEN', 'LATER_TOKEN']));
  expect(secretStore.names()).toEqual([
    { name: 'MY_TOKEN', from: 'environment' },
    { name: 'API_KEY', from: '.env' },
    { name: 'MY_TOKEN-2', from: 'environment' },
    { name: 'LATER_TOKEN', from: 'environment' },
  ]);
});

test('a typed line tells its secrets before it is kept', () => {
  const secretStore = open();
  secretStore.learnLine('export MY_TOKEN=typed-Token-1 && curl -u me:typedPass99 http://x.example');
  expect(secretStore.redact('typed-Token-1 typedPass99')).toBe('⟨secret:MY_TOKEN⟩ ⟨secret:password⟩');
});

test('what has the shape of a token is covered, and has the same name wherever it stands', () => {
  const secretStore = open();
  expect(secretStore.redact(`a ${TOKEN} b`)).toBe('a ⟨secret:github-token⟩ b');
  expect(secretStore.redact(`${TOKEN}x`.toLowerCase())).toBe('⟨secret:github-token⟩x');
  expect(secretStore.redact(`ghp_${'zY8xW6vU4tS2'.repeat(3)}`)).toBe('⟨secret:github-token-2⟩');
});

test('a name that was told before is given to no other value by its shape', () => {
  const secretStore = open();
  secretStore.reserve(['github-token']);
  expect(secretStore.redact(TOKEN)).toBe('⟨secret:github-token-2⟩');
});

test('only what is known is covered where a shape may be meant', () => {
  const secretStore = open({ MY_TOKEN: 'my-Token-value-9' });
  expect(secretStore.redactKnown(`my-Token-value-9 ${TOKEN}`)).toBe(`⟨secret:MY_TOKEN⟩ ${TOKEN}`);
});

test('a password too short to be looked for is covered where an address has it', () => {
  const secretStore = open();
  expect(secretStore.redact('http://u:abc123@h/ abc123 http://u:abc123@h/')).toBe(
    'http://u:⟨secret:url-password⟩@h/ abc123 http://u:⟨secret:url-password⟩@h/',
  );
});

test('what is covered once stays as it is', () => {
  const secretStore = open({ MY_TOKEN: 'my-Token-value-9' });
  const once = secretStore.redact(`PASSWORD=Winter2024!x my-Token-value-9 ${TOKEN} http://u:abc123@h/`);
  expect(secretStore.redact(once)).toBe(once);
});

test('bytes come out as they were but for secrets, whatever the pieces', () => {
  const secretStore = open({ MY_TOKEN: 'my-Token-value-9' });
  const bytes = Buffer.concat([
    Buffer.from(`é my-Token-value-9 ${TOKEN}\n`),
    Buffer.from([0xff, 0, 0xc3]),
    Buffer.from('\nhttp://u:abc123@h/ ü'),
  ]);
  const wanted = Buffer.concat([
    Buffer.from('é ⟨secret:MY_TOKEN⟩ ⟨secret:github-token⟩\n'),
    Buffer.from([0xff, 0, 0xc3]),
    Buffer.from('\nhttp://u:⟨secret:url-password⟩@h/ ü'),
  ]);
  for (const size of [1, 7, 1000]) {
    const stream = secretStore.byteStream();
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(stream.push(bytes.subarray(at, at + size)));
    expect(Buffer.concat([...pieces, stream.end()])).toEqual(wanted);
  }
});

test('a stream of words tells them at once, and learns of secrets meanwhile', () => {
  const secretStore = open();
  const stream = secretStore.stream();
  expect(stream.push('I say hel')).toBe('I say hel');
  secretStore.learnLine('export MY_TOKEN=typed-Token-1');
  const told = ['lo typed-Tok', 'en-1 ', TOKEN, ' bye'].map((piece) => stream.push(piece));
  expect(told).toEqual(['lo ', '⟨secret:MY_TOKEN⟩ ', '', '⟨secret:github-token⟩ bye']);
});

test('a word that may be a token, or the value of what is called one, is told when it is whole', () => {
  const stream = open().stream();
  const pieces = ['a ghp_', 'x9 b. token: ', 'q', 'w e postgres://', 'me:', 'se', 'cret-4@host/ ', 'bye'];
  expect(pieces.map((piece) => stream.push(piece))).toEqual([
    'a ',
    'ghp_x9 b. token: ',
    '',
    'qw e postgres://',
    'me:',
    '',
    '⟨secret:url-password⟩@host/ ',
    'bye',
  ]);
  expect(stream.waits).toBe(false);
});

test('a private key that comes line by line is covered whole', () => {
  const lines = Array.from({ length: 6 }, (_, at) =>
    Buffer.from(`line ${at} of some key that is none ${at * 104729}`).toString('base64'),
  );
  const text = `$ cat key\n-----BEGIN RSA PRIVATE KEY-----\n${lines.join('\n')}\n-----END RSA PRIVATE KEY-----\n$ `;
  const stream = open().byteStream();
  const told = text.split(/(?<=\n)/).map((line) => stream.push(Buffer.from(line)));
  expect(Buffer.concat([...told, stream.end()]).toString()).toBe(
    '$ cat key\n-----BEGIN RSA PRIVATE KEY-----\n⟨secret:private-key⟩\n-----END RSA PRIVATE KEY-----\n$ ',
  );
});

test('what a file in a subfolder holds is known before a command runs that reads it, and one that nobody named after the next', async () => {
  const secretStore = open();
  mkdirSync(join(home, 'project/packages/api'), { recursive: true });
  writeFileSync(join(home, 'project/packages/api/.env'), 'MAIL_RELAY=mono-canary-relay-zx81\n');
  await secretStore.lookAhead('ls; cat packages/api/.env', place());
  expect(secretStore.redact('mono-canary-relay-zx81')).toBe('⟨secret:MAIL_RELAY⟩');
  const other = open();
  await other.refresh({ ...place(), ran: 'grep -r RELAY .' });
  expect(other.redact('mono-canary-relay-zx81')).toBe('⟨secret:MAIL_RELAY⟩');
});

test('what a message takes along of a file with secrets is known as it is sent', async () => {
  const secretStore = open();
  await secretStore.refresh(place());
  const text = 'MAIL_RELAY=mono-canary-relay-zx81\n';
  secretStore.learnAttached([
    { type: 'text', path: 'packages/api/.env', about: '1 line', text },
    { type: 'text', path: 'notes.md', about: '1 line', text: 'OTHER=mono-canary-other-zx81\n' },
  ]);
  expect(secretStore.redact(`${text}mono-canary-other-zx81`)).toBe(
    'MAIL_RELAY=⟨secret:MAIL_RELAY⟩\nmono-canary-other-zx81',
  );
});

test('what a file held in an earlier session stays covered when it was replaced, where the history of the repository shows it', async () => {
  const memory = join(home, 'state/fingerprints');
  const next = (): SecretStore => new SecretStore({ config: DEFAULT_CONFIG, env: {}, memory });
  writeFileSync(
    join(home, 'project/.env'),
    'MAIL_RELAY=mono-canary-relay-zx81\nPASS_WORDS="seven long words of a phrase to keep"\n',
  );
  await next().refresh(place());
  writeFileSync(join(home, 'project/.env'), 'MAIL_RELAY=other-canary-relay-zx82\n');
  const later = next();
  await later.refresh(place());
  const log =
    '-MAIL_RELAY=mono-canary-relay-zx81\n-PASS_WORDS="seven long words of a phrase to keep"\n+MAIL_RELAY=other-canary-relay-zx82\n';
  const clean =
    '-MAIL_RELAY=⟨secret:MAIL_RELAY-2⟩\n-PASS_WORDS="⟨secret:PASS_WORDS⟩"\n+MAIL_RELAY=⟨secret:MAIL_RELAY⟩\n';
  expect(later.redact(log)).toBe(clean);
  const stream = next();
  await stream.refresh(place());
  const bytes = stream.byteStream();
  expect(Buffer.concat([bytes.push(Buffer.from(log)), bytes.end()]).toString()).toBe(clean);
});

test('a long text is covered as at once, in slices that leave others their turn', async () => {
  const lines = Array.from({ length: 40_000 }, (_, at) => `line ${at} of a long answer\n`);
  const key = [
    '-----BEGIN PRIVATE KEY-----',
    ...Array.from({ length: 300 }, () => `aB3dE5gH7jK9${'xY1z'.repeat(13)}`),
    '',
  ];
  // Across the ends of slices too.
  for (let at = 0; at < lines.length; at += 97)
    lines.splice(at, 1, `token ${TOKEN.slice(0, -4)}${String(at).padStart(5, '0')} here\n`);
  lines.splice(3000, 0, key.join('\n'));
  const text = lines.join('');
  const secretStore = open();
  let turns = 0;
  const tick = (): void => {
    turns += 1;
    ticking = setImmediate(tick);
  };
  let ticking = setImmediate(tick);
  const covered = await secretStore.redactLong(text);
  clearImmediate(ticking);
  expect(turns).toBeGreaterThanOrEqual(Math.floor(text.length / (64 * 1024)));
  expect(covered).not.toContain('xY1zxY1z');
  expect(covered).not.toContain(TOKEN.slice(0, -4));
  expect(covered === open().redact(text)).toBe(true);
  expect(secretStore.redact(covered) === covered).toBe(true);
});
