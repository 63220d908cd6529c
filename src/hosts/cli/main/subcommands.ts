import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { formatCheck, formatConfig, formatExample } from '../../../adapters/config/format-config.ts';
import { configPath } from '../../../adapters/config/load.ts';
import { openRuntimeFolder, toPaths } from '../../../adapters/config/paths.ts';
import { sendRequest, toRefusal } from '../../../adapters/daemon/daemon-request.ts';
import { enterDirectory } from '../../../adapters/system/own-program.ts';
import type { Invocation, Options } from '../../../core/command-line/invocation.ts';
import { misuse, readArgs } from '../../../core/command-line/subcommand-args.ts';
import type { OpenSessionServer } from '../../../engine/session/session-server.ts';
import { AishError } from '../../../protocol/error.ts';
import { isJsonObject } from '../../../protocol/json.ts';
import { askAtTerminal, outputColumns, printProse } from '../setup/output-terminal.ts';
import { printText } from '../setup/process-output.ts';
import { prepare, type Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';

/** All subcommands but `serve`, which is another host. */
type SubcommandInvocation = Extract<Invocation, { type: 'subcommand' }>;

/** Runs `aish sessions`, `aish undo` and so on. The answer is the exit status. */
export async function runSubcommand(invocation: SubcommandInvocation, openServer: OpenSessionServer): Promise<number> {
  const { args, options } = invocation;
  switch (invocation.name) {
    case 'run':
      return (await import('./run-contract.ts')).runContract(args, options, openServer);
    case 'demo':
      return (await import('../demo/demo.ts')).runDemo(args);
    case 'config':
      return config(args, invocation);
    case 'halt':
      return prose(await runHalt(args));
    case 'completion':
      return print(await completion(args, options));
    case 'mcp':
      return (await import('./mcp-subcommand.ts')).runMcpSubcommand(readArgs('mcp', args), await prepare(options));
    case 'models':
      return (await import('../commands/models-command.ts')).runModels(args, await prepare(options));
    case 'memory':
      return atShell(memory(args, options));
    case 'cost':
      return print((await import('../commands/usage-command.ts')).runCost(args, await prepare(options), Date.now()));
    case 'doctor':
      return doctor(args, options);
    case 'sessions':
      return (await import('../sessions/sessions-command.ts')).runSessions(args, await place(options));
    case 'attach':
      return (await import('../attach/run-attach.ts')).runAttach(args, await place(options));
    case 'undo':
    case 'redo':
      return atShell(
        (await import('../commands/undo-command.ts')).runUndo(invocation.name, args, await place(options)),
      );
    case 'checkpoints': {
      const { runCheckpoints } = await import('../commands/checkpoints-command.ts');
      const columns = outputColumns() ?? Number.POSITIVE_INFINITY;
      return print(await runCheckpoints(args, { setup: await prepare(options), now: Date.now(), columns }));
    }
    case 'diff':
      return atShell((await import('../commands/outputs.ts')).runDiff(args, await place(options)));
    case 'serve':
      // Another host runs it.
      return 0;
  }
}

/** Hints name meta-commands such as `:undo`; a shell has `aish undo` instead. */
async function atShell(running: Promise<number>): Promise<number> {
  try {
    return await running;
  } catch (cause) {
    if (!(cause instanceof AishError) || cause.hint === undefined) throw cause;
    const hint = cause.hint.replace(/(?<![^\s(]):(?=(?:checkpoints|diff|undo|redo|memory)\b)/g, 'aish ');
    throw new AishError(cause.code, cause.message, { hint, cause });
  }
}

async function place(options: Options): Promise<{ readonly setup: Setup; readonly options: Options }> {
  return { setup: await prepare(options), options };
}

function print(text: string): number {
  printText(text);
  return 0;
}

function prose(text: string): number {
  printProse(text);
  return 0;
}

async function memory(args: readonly string[], options: Options): Promise<number> {
  const { openSecretStore } = await import('../../../engine/secrets/process-secrets.ts');
  const { runMemory } = await import('../commands/memory-command.ts');
  const setup = await prepare(options);
  const secrets = await openSecretStore({ ...setup, config: setup.loaded.config });
  const redact = (text: string): string => secrets.redact(text);
  const opened = runMemory(args, { setup, cwd: setup.cwd, redact, source: {}, now: Date.now() });
  if (typeof opened === 'string') return prose(opened);
  print(opened.show(outputColumns() ?? 80));
  const answer = askAtTerminal(opened.question);
  return prose(answer === null ? '' : await opened.answer(answer));
}

async function doctor(args: readonly string[], options: Options): Promise<number> {
  readArgs('doctor', args);
  const { text, isGood } = await (await import('../commands/doctor-command.ts')).runDoctor(options);
  printText(text);
  return isGood ? 0 : 1;
}

async function config(args: readonly string[], { options }: SubcommandInvocation): Promise<number> {
  const path = configPath({
    env: process.env,
    cwd: enterDirectory(options.cwd),
    ...(options.config === undefined ? {} : { file: options.config }),
  });
  const { action } = readArgs('config', args);
  switch (action) {
    case 'path':
      return print(path);
    case 'show':
      return print(formatConfig((await prepare(options)).loaded));
    case 'check':
      return prose(formatCheck((await prepare(options)).loaded));
    case 'init':
      return prose(initialize(path));
    case 'trust':
    case 'untrust':
      return trust(action, options);
  }
}

/** A mistake in the configuration must not prevent a user from withdrawing the trust: it then names no further folders. */
async function trust(action: 'trust' | 'untrust', options: Options): Promise<number> {
  const { trustProject, untrustProject } = await import('../commands/trust-command.ts');
  const folders = await prepare(options).then(
    ({ loaded }) => loaded.config.extend.folders,
    () => [],
  );
  const { config, state } = toPaths(process.env);
  const project = { cwd: enterDirectory(options.cwd), config, state, home: process.env.HOME ?? '/', folders };
  return prose(action === 'trust' ? trustProject(project) : untrustProject(project));
}

function initialize(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, formatExample(), { flag: 'wx', mode: 0o600 });
    return messages.formatWritten(path);
  } catch (cause) {
    throw new AishError('config.exists', messages.formatExists(path), { hint: messages.EXISTS_HINT, cause });
  }
}

/** `aish completion SHELL`: the script for a shell; for that script, with words behind `--`, what the last one may become. */
async function completion(args: readonly string[], options: Options): Promise<string> {
  const { COMPLETION_SHELLS, completeArgs } = await import('../../../core/command-line/completion-scripts.ts');
  if (args.length === 0) throw misuse('completion');
  const { script, row } = COMPLETION_SHELLS[readArgs('completion', args.slice(0, 1)).action];
  if (args[1] !== '--') return script;
  const found = completeArgs(args.slice(2));
  if (found.type === 'words') return found.candidates.map(row).join('\n');
  const { kind, prefix, summary } = found;
  if (kind === 'file' || kind === 'folder') return `:${kind}`;
  return (await listNames(kind, options)).map((name) => row({ text: prefix + name, summary })).join('\n');
}

/** The names of a kind; none after an error, because a completion cannot show one. */
async function listNames(kind: 'model' | 'session' | 'checkpoint', options: Options): Promise<readonly string[]> {
  try {
    const { cwd, loaded, paths } = await prepare(options);
    switch (kind) {
      case 'model':
        return Object.keys(loaded.config.models);
      case 'session':
        return (await import('../../../adapters/store/sessions.ts')).listSessions(paths.state).map(({ id }) => id);
      case 'checkpoint':
        return (await (await import('../../../adapters/git/snapshot/timeline.ts')).timeline(cwd)).map(({ id }) => id);
    }
  } catch {
    return [];
  }
}

/** `aish halt`: stops the model in every session of the daemon, and waits for the end. Returns the text to print. */
async function runHalt(args: readonly string[]): Promise<string> {
  const socket = readArgs('halt', args).options.get('--socket');
  const path = socket === undefined ? join(openRuntimeFolder(process.env), 'aish.sock') : resolve(socket);
  const response = await post(path);
  if (!response.ok) throw await toRefusal(response);
  const body: unknown = await response.json();
  const halted = isJsonObject(body) ? Number(body.halted ?? 0) : 0;
  return messages.formatHalted(halted);
}

async function post(path: string): Promise<Response> {
  try {
    return await sendRequest({ type: 'socket', path }, { method: 'POST', path: '/halt' });
  } catch (cause) {
    if (!(cause instanceof AishError) || cause.code !== 'daemon.unreachable') throw cause;
    throw new AishError(cause.code, messages.formatNoDaemon(path), { hint: messages.NO_DAEMON_HINT, cause });
  }
}
