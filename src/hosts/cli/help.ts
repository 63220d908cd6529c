import { writeSync } from 'node:fs';
import { VERSION } from '../version.ts';

/** What `aish --help` prints. */
export const HELP = `aish: a shell you talk to

  aish                            the shell, in this directory
  aish "question"                 one answer, then exit; piped input is attached
  aish -p, --print PROMPT         the same, explicit
  aish -c COMMAND [ARG…]          what a shell does with -c: your own shell runs it at once
  aish serve                      daemon: HTTP API on a unix socket; --port N for loopback TCP
  aish sessions [list|show ID|remove ID]
  aish undo [ID] [PATH…]          put files back as they were before a change; aish checkpoints, aish diff [ID]
  aish mcp [list|tools|tool NAME] aish models   aish config [show|path|check|init]
  aish demo                       the whole loop with a scripted model, in a repository of its own

  --output text|json|stream-json  how a one-shot answer is printed
  --model NAME                    a model of the configuration
  --continue, --resume [ID]       go on with the last session here, or with a named one
  --approve ask|read-only|all     what may run without asking; commands are always asked
  --max-steps N                   the most model requests of one turn
  --cwd DIR   --config FILE   --no-color   --version   --help

Exit: 0 ok, 1 failed, 2 usage, 3 denied, 4 limit reached, 130 interrupted.
At the prompt :help tells the rest.
`;

/** Prints the help. The answer is the exit status. */
export function printHelp(): number {
  writeSync(1, HELP);
  return 0;
}

/** Prints name and version. The answer is the exit status. */
export function printVersion(): number {
  writeSync(1, `aish ${VERSION}\n`);
  return 0;
}
