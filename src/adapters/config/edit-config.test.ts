import { expect, test } from 'bun:test';
import { lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { AishError } from '../../protocol/error.ts';
import { addServers, readForeignServers, removeServer } from './edit-config.ts';

const FOLDER = useFolder('edit-servers');
let files = 0;

function file(text: string): string {
  files += 1;
  const path = join(FOLDER, `config-${files}.toml`);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

async function codeOf(action: Promise<unknown>): Promise<string> {
  const thrown: unknown = await action.then(
    () => null,
    (error: unknown) => error,
  );
  return thrown instanceof AishError ? thrown.code : String(thrown);
}

const OWN = `# my servers
[mcp.servers.notes] # remote
url = "https://notes.example/mcp"

[mcp.servers.notes.headers]
x-team = "red"

[mcp.auto_approve]
"notes.*" = true
`;

test('a server is added behind what is there, and removed again with all of its tables', async () => {
  const path = file(OWN);
  await addServers(path, { fs: { command: 'server-fs', args: ['-y', '.'], env: { MODE: 'a "b"' } } });
  const added = '\n[mcp.servers.fs]\ncommand = "server-fs"\nargs = ["-y", "."]\nenv = { MODE = "a \\"b\\"" }\n';
  expect(readFileSync(path, 'utf8')).toBe(`${OWN}${added}`);
  await removeServer(path, 'notes');
  expect(readFileSync(path, 'utf8')).toBe(`# my servers\n[mcp.auto_approve]\n"notes.*" = true\n\n${added.slice(1)}`);
  await removeServer(path, 'fs');
  expect(readFileSync(path, 'utf8')).toBe('# my servers\n[mcp.auto_approve]\n"notes.*" = true\n');
});

test('a file is made for the first server, for its user only, and a link to it stays', async () => {
  const path = join(FOLDER, 'new.toml');
  await addServers(path, { web: { url: 'https://web.example/mcp' } });
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([
    '[mcp.servers.web]\nurl = "https://web.example/mcp"\n',
    0o600,
  ]);
  const link = join(FOLDER, 'link.toml');
  symlinkSync(path, link);
  await addServers(link, { fs: { command: 'server-fs' } });
  expect([lstatSync(link).isSymbolicLink(), readFileSync(path, 'utf8').includes('[mcp.servers.fs]')]).toEqual([
    true,
    true,
  ]);
});

test('nothing is written for a server that is there, is not there, is wrong, or cannot be told from the rest', async () => {
  const inline = '[mcp.servers]\nfs = { command = "server-fs" }\n';
  const paths = [file(OWN), file(OWN), file(OWN), file(inline)];
  const [one = '', two = '', three = '', four = ''] = paths;
  const codes = await Promise.all([
    codeOf(addServers(one, { notes: { command: 'x' } })),
    codeOf(removeServer(two, '__proto__')),
    codeOf(addServers(three, { bad: { command: 'x', url: 'https://x.example' } })),
    codeOf(removeServer(four, 'fs')),
  ]);
  expect(codes).toEqual(['config.exists', 'mcp.unknown-server', 'config.invalid', 'config.edit']);
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual([OWN, OWN, OWN, inline]);
});

test('servers of other programs are read from their files', () => {
  const claude = { mcpServers: { 'my fs': { type: 'stdio', command: 'npx-like', args: ['-y', 'fs'], env: { A: 1 } } } };
  const code = { servers: { web: { type: 'http', url: 'https://web.example/mcp', headers: { 'x-a': 'b' } } } };
  const codex = '[mcp_servers.docs]\nurl = "https://docs.example"\nbearer_token_env_var = "DOCS"\nenabled = false\n';
  const read = (text: string) => readForeignServers(file(text));
  expect([read(JSON.stringify(claude)), read(JSON.stringify(code)), read(codex)]).toEqual([
    { 'my-fs': { command: 'npx-like', args: ['-y', 'fs'], env: { A: '1' } } },
    { web: { url: 'https://web.example/mcp', headers: { 'x-a': 'b' } } },
    { docs: { url: 'https://docs.example', auth_env: 'DOCS', enabled: false } },
  ]);
  expect(() => read('{}')).toThrow(AishError);
  expect(readForeignServers(join(FOLDER, 'none'))).toBeNull();
  // It has no end.
  expect(() => readForeignServers('/dev/zero')).toThrow('not a regular file');
});
