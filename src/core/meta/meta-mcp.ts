import type { McpAction, McpLook, MetaCommand, MetaEntry } from './meta-entry.ts';

/** The meta-commands about MCP servers. */
export const MCP_COMMANDS: readonly MetaEntry[] = [
  {
    name: 'mcp',
    action: 'connect',
    needs: 'owner',
    usage: '[alias=NAME] <url|command…>',
    summary: 'connect to an MCP server by its address, or start one',
    detail:
      'aish offers the tools of the server to the model as alias.tool. Without an alias, aish makes one from the host name or ' +
      'the program. An example with an alias: :mcp connect alias=fs server-fs .',
    arguments: ['url', 'alias'],
    repeats: true,
    build: parseConnect,
  },
  ofServer('disconnect', 'disconnect an MCP server'),
  {
    name: 'mcp',
    action: 'list',
    usage: '',
    summary: 'list the MCP servers and their state',
    arguments: [],
    build: () => ({ name: 'mcp', action: 'list' }),
  },
  {
    name: 'mcp',
    action: 'tools',
    usage: '[alias]',
    summary: 'list the tools of all MCP servers, or of one',
    arguments: ['server'],
    build: ([alias]) => ({ name: 'mcp', action: 'tools', ...(alias === undefined ? {} : { alias }) }),
  },
  {
    name: 'mcp',
    action: 'tool',
    usage: '<alias.name>',
    summary: 'show an MCP tool and its arguments',
    arguments: ['tool'],
    build: ([tool]) => (tool === undefined ? null : { name: 'mcp', action: 'tool', tool }),
  },
  {
    name: 'mcp',
    action: 'review',
    needs: 'owner',
    usage: '[alias]',
    summary: 'review the tool descriptions of an MCP server',
    detail:
      'Shows every tool in full, or the changes since your last review. After you type yes, the descriptions are no ' +
      'longer untrusted content, and aish holds back any new or changed tool until you review it.',
    arguments: ['server'],
    build: ([alias]) => ({ name: 'mcp', action: 'review', ...(alias === undefined ? {} : { alias }) }),
  },
  ofServer('unreview', 'withdraw the review of an MCP server'),
  {
    ...ofServer('login', 'log in to an MCP server'),
    usage: '<alias> [address]',
    detail:
      'Prints the address of the login page. If your browser runs on another machine, its last page cannot be shown: copy the ' +
      'address of that page and type :mcp login alias address.',
    arguments: ['server', 'words'],
    build: ([alias, pasted]) =>
      alias === undefined ? null : { name: 'mcp', action: 'login', alias, ...(pasted === undefined ? {} : { pasted }) },
  },
  ofServer('logout', 'forget the login to an MCP server'),
  ofServer('refresh', 'read the lists of an MCP server again'),
  ofServer('resources', 'list the resources of an MCP server'),
  ofServer('prompts', 'list the prompts of an MCP server'),
  ofServer('log', 'show the newest lines of the log of an MCP server'),
];

/** A command about one server; a command that changes something needs the owner. */
function ofServer(action: McpAction | McpLook, summary: string): MetaEntry {
  const reads = action === 'resources' || action === 'prompts' || action === 'log';
  return {
    name: 'mcp',
    action,
    ...(reads ? {} : { needs: 'owner' }),
    usage: '<alias>',
    summary,
    arguments: ['server'],
    build: ([alias]) => (alias === undefined ? null : { name: 'mcp', action, alias }),
  };
}

const ALIAS = /^alias=([\w-]+)$/;

/** An address with an alias behind it, or a command with an alias before it. */
function parseConnect(words: readonly string[]): MetaCommand | null {
  const named = ALIAS.exec(words[0] ?? '')?.[1];
  const [first, ...rest] = named === undefined ? words : words.slice(1);
  if (first === undefined || first === '') return null;
  if (/^[a-z][a-z0-9+.-]*:/i.test(first)) {
    if (!/^https?:\/\/[^/]/.test(first) || rest.length > 1) return null;
    const [alias = named] = rest;
    return { name: 'mcp', action: 'connect', url: first, ...(alias === undefined ? {} : { alias }) };
  }
  return { name: 'mcp', action: 'connect', command: [first, ...rest], ...(named === undefined ? {} : { alias: named }) };
}
