import type { NpmTool } from './npm-tool.ts';

/** The official inspector, which has a command line. */
export const INSPECTOR: NpmTool = {
  name: '@modelcontextprotocol/inspector',
  version: '2.12.0',
  entry: 'clients/launcher/build/index.js',
};

/** A host with a command line, of another project. */
export const MCPORTER: NpmTool = { name: 'mcporter', version: '0.12.3', entry: 'dist/cli.js' };

/** Official servers; two more are development dependencies. */
export const MEMORY_SERVER: NpmTool = {
  name: '@modelcontextprotocol/server-memory',
  version: '2026.8.31',
  entry: 'dist/index.js',
};
export const THINKING_SERVER: NpmTool = {
  name: '@modelcontextprotocol/server-sequential-thinking',
  version: '2026.8.31',
  entry: 'dist/index.js',
};

export const MCP_TOOLS: readonly NpmTool[] = [INSPECTOR, MCPORTER, MEMORY_SERVER, THINKING_SERVER];
