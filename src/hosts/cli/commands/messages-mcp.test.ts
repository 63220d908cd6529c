import { expect, test } from 'bun:test';
import { printMessages } from '../../../../test/support/print-messages.ts';
import * as messages from './messages-mcp.ts';

test('the texts about MCP servers', () => {
  const all = printMessages(messages, {
    formatRefreshed: [['fs']],
    formatLoggedIn: [['fs']],
    formatLoggedOut: [['fs']],
    formatNotLoggedIn: [['fs']],
    formatNoOpenLogin: [['fs']],
    formatLoginPage: [['fs', 'https://auth.example/authorize?state=1']],
    formatLoginStart: [['fs', 'https://auth.example/authorize?state=1']],
    formatApproved: [['fs.read']],
    formatApproveWith: [['fs', 'abc123']],
    formatAdded: [
      [['fs', 'web'], '/c/config.toml'],
      [[], '/c/config.toml'],
    ],
    formatRemovedServer: [['fs', '/c/config.toml']],
    formatNoForeignFile: [['a.json']],
    formatNoTools: [['fs', 'connection refused']],
    formatFollowPrompt: [['notes.review']],
    formatNoPrompt: [['notes', 'review']],
    formatListsPrompts: [['notes']],
    formatMissingArgument: [['notes.review', 'topic']],
    formatPromptUsage: [['notes', 'review', ['topic', 'style']]],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    the arguments of aish mcp call are one JSON object, such as '{"text": "x"}'
    name the configuration file of another program, such as ~/.claude.json
    (hidden)
    the server did not answer in time
    The server has logged nothing in this session.
    The server has no prompts.
    The server has no resources.
    a prompt of an MCP server
    aish added fs, web to /c/config.toml.
    aish added no server to /c/config.toml.
    To trust the definition as it is now: aish mcp approve fs --pin abc123
    aish now trusts the definition of fs.read.
    Follow the prompt notes.review, which is attached.
    :mcp prompts notes lists the prompts
    You are logged in to fs.
    aish forgot the login to fs.
    Open this page to log in to fs:
    https://auth.example/authorize?state=1
    If your browser runs on another machine, type :mcp login fs and the address of its last page.
    Open this page to log in to fs:
    https://auth.example/authorize?state=1
    If your browser runs on another machine, paste the address of its last page here.
    notes.review needs the argument topic
    there is no file a.json
    no login to fs is open; type :mcp login fs
    notes has no prompt "review"
    fs has no tools: connection refused
    There is no login to fs.
    type :notes.review topic=… style=…
    aish read the lists of fs again.
    aish removed fs from /c/config.toml.
    "
  `);
});
