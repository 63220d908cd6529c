import { expect, test } from 'bun:test';
import { Home } from '../support/aish.ts';
import { PATIENCE } from '../support/at-prompt.ts';
import { answer, answered, ask, learnTools, officialServer, pause, stdioServer } from '../support/conversation.ts';
import { calls, held, resultTexts, startModelServer, text } from '../support/model-server.ts';

const LONG = 120_000;
const TOOL = 'every.trigger-elicitation-request';
const CALL = calls({ name: 'every__trigger-elicitation-request', arguments: {} });
const HEAD = /^The MCP server every asks you for input:$/m;
const KEYS = /\[y\] fill in the form \| \[n\] decline \| Ctrl-C cancels$/;

/** The official server with a form of thirteen fields, in a session that lets its tool run. */
async function withForm(home: Home, gate: Promise<void> = Promise.resolve()) {
  const server = startModelServer({ script: [held(CALL, gate), text('Asked.')] });
  const every = stdioServer('every', [officialServer('mcp-server-everything'), 'stdio']);
  home.useModel(server.url, `${every}[mcp.auto_approve]\n"${TOOL}" = true\n`);
  await learnTools(home);
  return server;
}

test(
  '[mcp.form] each field is read in the terminal, and the server gets the values, which are in no log',
  async () => {
    using home = new Home();
    await using server = await withForm(home);
    await using terminal = home.open([], { columns: 120, rows: 60 });
    await ask(terminal, 'go');
    await terminal.waitForHistory(HEAD, PATIENCE);
    await terminal.waitFor(KEYS, PATIENCE);
    expect(terminal.history()).toContain('server: Please provide inputs for the following fields:');
    await answer(terminal, 'y');
    const fill = async (at: number, typed: string): Promise<void> => {
      await terminal.waitForHistory(
        (shown) => new RegExp(`Field ${at} of 13[^]*value:[^\\n]*$`).test(shown.trimEnd()),
        PATIENCE,
      );
      await pause();
      terminal.type(typed);
      terminal.press('enter');
    };
    await fill(1, 'Ada of the form');
    await fill(2, 'maybe');
    await terminal.waitForHistory('This does not fit: expected yes or no.', PATIENCE);
    terminal.press('ctrl-u');
    await fill(2, 'yes');
    for (let at = 3; at <= 13; at += 1) await fill(at, '');
    await answered(terminal, 'Asked.');
    const [result = ''] = resultTexts(server);
    expect(result).toContain('Ada of the form');
    expect(result).toContain('"integer": 42');
    expect(result).toContain('"check": true');
    expect(server.failures).toEqual([]);
  },
  LONG,
);

test(
  '[mcp.form] a key typed before is no answer, and Ctrl-C cancels the form and not the turn',
  async () => {
    using home = new Home();
    const typed = Promise.withResolvers<void>();
    await using server = await withForm(home, typed.promise);
    await using terminal = home.open([], { columns: 120, rows: 60 });
    await ask(terminal, 'go');
    await server.requested(1);
    terminal.type('y');
    typed.resolve();
    await terminal.waitFor(KEYS, PATIENCE);
    await pause(terminal);
    expect(terminal.history()).not.toContain('Field 1 of');
    terminal.press('ctrl-c');
    await terminal.waitForHistory('Asked.', PATIENCE);
    expect(resultTexts(server)).toEqual([expect.stringMatching(/cancel/i)]);
    expect(server.failures).toEqual([]);
  },
  LONG,
);

test(
  '[mcp.form] without a terminal the form is declined at once, and a line says so',
  async () => {
    using home = new Home();
    await using server = await withForm(home);
    const { code, out, error } = await home.run(['go']);
    expect({ code, out }).toEqual({ code: 0, out: 'Asked.\n' });
    expect(error).toContain('aish: declined: the MCP server every asked for input, and nobody is here to answer');
    expect(resultTexts(server)).toEqual([expect.stringMatching(/decline/i)]);
    expect(server.failures).toEqual([]);
  },
  LONG,
);
