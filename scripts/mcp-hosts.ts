// Installs MCP hosts and servers of other projects, outside of the checkout, and lets them speak with aish. `npm test` skips these tests by
// name until this has run once.
import { MCP_TOOLS } from '../test/support/mcp-tools.ts';
import { installTool } from '../test/support/npm-tool.ts';

for (const tool of MCP_TOOLS) await installTool(tool);
process.exitCode = await Bun.spawn([process.execPath, 'scripts/test.ts', 'test/lab/mcp-hosts.test.ts'], {
  stdio: ['inherit', 'inherit', 'inherit'],
}).exited;
