import { writeSync } from 'node:fs';
import { isShellScript } from '../adapters/system/file-status.ts';
import { enterStartDirectory } from '../adapters/system/own-program.ts';
import { isLoginShell, parseArgs } from '../core/command-line/invocation.ts';
import type { OpenSessionServer } from '../engine/session/session-server.ts';
import { endOnFault } from './cli/main/end-on-fault.ts';

const openServer: OpenSessionServer = async (options) =>
  (await import('./daemon/session-server.ts')).openSessionServer(options);

/** The door every start comes through: reads the command line and loads only what it asks for. */
async function main(): Promise<number> {
  // Packages warn programmers there, over the prompt of the user.
  console.warn = () => {};
  enterStartDirectory();
  const invocation = parseArgs(process.argv.slice(2), process.argv0, isShellScript);
  switch (invocation.type) {
    case 'help': {
      const { formatUsage } = await import('../core/command-line/help.ts');
      const { outputColumns } = await import('./cli/setup/output-terminal.ts');
      writeSync(1, formatUsage(invocation.topic, outputColumns() ?? undefined));
      return 0;
    }
    case 'version':
      writeSync(1, (await import('../core/command-line/help.ts')).formatVersion(Bun.version));
      return 0;
    case 'exec':
      return (await import('./cli/main/exec.ts')).runInOwnShell(invocation);
    case 'print':
      return (await import('./cli/main/print.ts')).runPrint(invocation);
    case 'subcommand':
      endOnFault();
      if (invocation.name === 'serve') {
        const { runServe } = await import('./daemon/serve.ts');
        return runServe(invocation.args, invocation.options, (context) => async (request, live) => {
          return (await import('./cli/commands/show.ts')).answerShow(request, live, context);
        });
      }
      if (invocation.name === 'mcp' && invocation.args[0] === 'serve') {
        const setup = await (await import('./cli/setup/setup.ts')).prepare(invocation.options);
        return (await import('./mcp/serve-mcp.ts')).serveMcp(invocation.args, setup, async (...endpoint) =>
          (await import('./daemon/serve.ts')).startMcpEndpoint(...endpoint),
        );
      }
      return (await import('./cli/main/subcommands.ts')).runSubcommand(invocation, openServer);
    case 'shell':
      return (await import('./cli/main/shell.ts')).runShell(
        { ...invocation, login: invocation.login || isLoginShell(process.argv0, process.env) },
        openServer,
      );
  }
}

try {
  process.exit(await main());
} catch (thrown) {
  const { reportFatal } = await import('./cli/main/fatal.ts');
  process.exit(await reportFatal(thrown));
}
