import { isLoginShell, parseArgs } from './cli/args.ts';
import { endOnFault } from './cli/end-on-fault.ts';

/** The door every start comes through: reads the command line and loads only what it asks for. */
async function main(): Promise<number> {
  const invocation = parseArgs(process.argv.slice(2), process.argv0);
  switch (invocation.type) {
    case 'help':
      return (await import('./cli/help.ts')).printHelp(invocation.topic);
    case 'version':
      return (await import('./cli/help.ts')).printVersion();
    case 'exec':
      return (await import('./cli/exec.ts')).runInOwnShell(invocation);
    case 'print':
      return (await import('./cli/print.ts')).runPrint(invocation);
    case 'subcommand':
      endOnFault();
      if (invocation.name === 'serve') {
        const { runServe } = await import('./daemon/serve.ts');
        return runServe(invocation.args, invocation.options, (place) => async (request, live) => {
          return (await import('./cli/look-for-seat.ts')).lookForSeat(request, live, place);
        });
      }
      return (await import('./cli/subcommands.ts')).runSubcommand(invocation);
    case 'shell':
      return (await import('./cli/shell.ts')).runShell(
        { ...invocation, login: invocation.login || isLoginShell(process.argv0, process.env) },
        async (options) => (await import('./daemon/session-door.ts')).openSessionDoor(options),
      );
  }
}

try {
  process.exit(await main());
} catch (thrown) {
  const { reportFatal } = await import('./cli/fatal.ts');
  process.exit(await reportFatal(thrown));
}
