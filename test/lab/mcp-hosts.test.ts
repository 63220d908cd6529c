import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AISH, Home } from '../support/aish.ts';
import { stdioServer } from '../support/conversation.ts';
import { INSPECTOR, MCPORTER, MEMORY_SERVER, THINKING_SERVER } from '../support/mcp-tools.ts';
import { hasTool, type NpmTool, runTool, toolPath } from '../support/npm-tool.ts';

/* Programs of other projects speak with aish: hosts with `aish mcp serve`, and official servers with aish. */

const LONG = 120_000;
const RULES = '[safety]\napprove = ["echo"]\ndeny = ["rm"]\n';
const READS = ['--approve', 'read-only'];

/** A server on a port, with its address and token. */
async function listen(home: Home) {
  const program = home.start([...READS, 'mcp', 'serve', '--port', '0'], {});
  const { value } = await program.stdout.getReader().read();
  const [, url = '', file = ''] = /^listening (\S+) token-file (\S+)/.exec(new TextDecoder().decode(value)) ?? [];
  return { url, token: readFileSync(file, 'utf8').trim(), program };
}

describe.skipIf(!hasTool(INSPECTOR))(`${INSPECTOR.name} drives aish mcp serve`, () => {
  test(
    'over HTTP: it lists and calls tools, reads a session, and is refused with a wrong token',
    async () => {
      using home = new Home();
      home.configure(RULES);
      const { url, token, program } = await listen(home);
      const inspect = async (given: string, ...words: readonly string[]) => {
        const header = ['--transport', 'http', '--header', `Authorization: Bearer ${given}`];
        const command = [process.execPath, toolPath(INSPECTOR), '--cli', url, ...header, ...words];
        return (await runTool(command, { cwd: home.work, env: home.env })).output;
      };
      const list = await inspect(token, '--method', 'tools/list');
      for (const name of ['exec', 'read_file', 'write_file', 'edit_file', 'output'])
        expect(list).toContain(`"${name}"`);
      const call = ['--method', 'tools/call', '--tool-name'];
      expect(await inspect(token, ...call, 'exec', '--tool-arg', 'command=echo from-the-inspector')).toContain(
        'from-the-inspector',
      );
      expect(await inspect(token, ...call, 'read_file', '--tool-arg', 'path=README')).toContain('hello');
      expect(await inspect(token, ...call, 'exec', '--tool-arg', 'command=rm README')).toContain('"isError": true');
      const resources = await inspect(token, '--method', 'resources/list');
      const [uri = ''] = /aish:\/\/session\/[\w-]+/.exec(resources) ?? [];
      expect(await inspect(token, '--method', 'resources/read', '--uri', uri)).toContain('rm README');
      expect(await inspect('wrong', '--method', 'tools/list')).not.toContain('"exec"');
      program.kill('SIGTERM');
      await program.exited;
    },
    LONG,
  );
});

describe.skipIf(!hasTool(MCPORTER))(`${MCPORTER.name} drives aish mcp serve`, () => {
  test.each(['stdio', 'http'])(
    'over %s: it lists and calls tools, and gets the reason of a denied call',
    async (way) => {
      using home = new Home();
      home.configure(RULES);
      const served = way === 'http' ? await listen(home) : null;
      const aish =
        served === null
          ? { command: AISH, args: [...READS, 'mcp', 'serve'], env: home.env, cwd: home.work }
          : { baseUrl: served.url, headers: { Authorization: `Bearer ${served.token}` } };
      const config = join(home.root, 'mcporter.json');
      writeFileSync(config, JSON.stringify({ mcpServers: { aish } }));
      const drive = async (...words: readonly string[]) => {
        const command = [process.execPath, toolPath(MCPORTER), ...words, '--config', config];
        return (await runTool(command, { cwd: home.work, env: { ...home.env, MCPORTER_NO_DAEMON: '1' } })).output;
      };
      const list = await drive('list', 'aish', '--json');
      for (const name of ['exec', 'read_file', 'write_file', 'edit_file', 'output'])
        expect(list).toContain(`"${name}"`);
      expect(await drive('call', 'aish.exec', 'command=echo from-mcporter')).toContain('from-mcporter');
      expect(await drive('call', 'aish.read_file', 'path=README')).toContain('hello');
      expect(await drive('call', 'aish.write_file', 'path=new.txt', 'content=x')).toContain('aish cannot ask its user');
      served?.program.kill('SIGTERM');
      await served?.program.exited;
    },
    LONG,
  );
});

/** The everything and the file server run in `src/adapters/mcp/servers-stdio.test.ts`, and the OAuth-protected one in `oauth.test.ts`. */
describe('aish mcp call uses the official servers', () => {
  const ask = async (server: NpmTool, tool: string, args: object): Promise<string> => {
    using home = new Home();
    const memory = join(home.root, 'memory.json');
    const env = `env = { MEMORY_FILE_PATH = ${JSON.stringify(memory)} }\n`;
    home.configure(`${stdioServer('lab', [process.execPath, toolPath(server)])}${env}`);
    const { out, error } = await home.run(['mcp', 'call', `lab.${tool}`, JSON.stringify(args)]);
    return `${out}${error}`;
  };

  test.skipIf(!hasTool(MEMORY_SERVER))(
    MEMORY_SERVER.name,
    async () => {
      const entities = [{ name: 'aish', entityType: 'program', observations: ['is a shell'] }];
      expect(await ask(MEMORY_SERVER, 'create_entities', { entities })).toContain('is a shell');
    },
    LONG,
  );

  test.skipIf(!hasTool(THINKING_SERVER))(
    THINKING_SERVER.name,
    async () => {
      const thought = { thought: 'one', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false };
      expect(await ask(THINKING_SERVER, 'sequentialthinking', thought)).toContain('"thoughtHistoryLength": 1');
    },
    LONG,
  );
});
