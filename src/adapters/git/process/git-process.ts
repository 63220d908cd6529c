import { existsSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { delimiter, isAbsolute } from 'node:path';
import { attempt } from '../../../core/text/attempt.ts';
import { describeStartFault } from '../../system/start-fault.ts';
import * as messages from './messages.ts';
import { joinRawPaths, splitRawPaths } from './raw-path.ts';

/** The input of one git call. */
export interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly input?: Uint8Array | string;
  /** Added to the scrubbed environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the process; the call fails then. */
  readonly signal?: AbortSignal | undefined;
  /** Somebody else has the processor first. */
  readonly yields?: boolean;
  /** Is given what git prints as it comes, where that is too much to hold; the outcome has none of it then. */
  readonly onOutput?: (chunk: Uint8Array) => void;
}

/** How a git call ended. */
export interface GitOutcome {
  readonly exit: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Settings no repository may override: each of them could start a program of the repository's choice,
 * wait for a user, or write where we promised not to.
 */
const SAFE_SETTINGS = `core.hooksPath=/dev/null core.fsmonitor=false core.askPass= core.logAllRefUpdates=false
  core.fsyncMethod=batch credential.helper= commit.gpgSign=false gc.auto=0 maintenance.auto=false
  submodule.recurse=false`
  .split(/\s+/)
  .flatMap((setting) => ['-c', setting]);

const SAFE_ENVIRONMENT = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  // A missing object of a partial clone would otherwise start ssh, and with it whatever the repository names as ssh.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_EDITOR: ':',
  GIT_PAGER: 'cat',
};

/** How long git gets to put its lock files away after the signal to end. */
const LAST_MOMENTS_MS = 500;

/** How often aish looks whether git waits for a pipe. */
const PIPE_LOOK_MS = 500;

/** Runs git with nothing of the caller's `GIT_*` environment and no helper programs; any exit status is an answer. */
export async function runGit(call: GitCall): Promise<GitOutcome> {
  if (call.signal?.aborted) throw messages.gitStopped();
  const child = startGit(call);
  if (call.yields === true) stepBack(child.pid);
  const reading = Promise.all([
    call.onOutput === undefined ? new Response(child.stdout).arrayBuffer() : passOn(child.stdout, call.onOutput),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const [stdout, stderr, exit] = await orWaiting(
    call.signal === undefined ? reading : orStopped(reading, child, call.signal),
    child,
    call.cwd,
  );
  return { exit, stdout: Buffer.from(stdout), stderr: stderr.trim() };
}

async function passOn(stream: ReadableStream<Uint8Array>, onOutput: (chunk: Uint8Array) => void): Promise<ArrayBuffer> {
  for await (const chunk of stream) onOutput(chunk);
  return new ArrayBuffer(0);
}

/**
 * Returns the result of `reading`, unless git opens a pipe, as in the place of a `.gitignore`, and so would wait without end. Only Linux
 * tells.
 */
async function orWaiting<T>(reading: Promise<T>, child: Bun.Subprocess, cwd: string): Promise<T> {
  let isWaiting = false;
  const watch = setInterval(() => {
    const where = attempt(() => readFileSync(`/proc/${child.pid}/wchan`, 'latin1'), '');
    if (where !== 'wait_for_partner') return;
    isWaiting = true;
    child.kill('SIGKILL');
  }, PIPE_LOOK_MS);
  const read = await reading.finally(() => clearInterval(watch));
  if (isWaiting) throw messages.gitWaits(cwd);
  return read;
}

/** A process that has ended by now has nothing to give. */
function stepBack(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {}
}

/** Returns the result of `reading`, unless the signal ends the process first. One that does not end, as on a lost disk, is left behind. */
async function orStopped<T>(reading: Promise<T>, child: Bun.Subprocess, signal: AbortSignal): Promise<T> {
  const left = Promise.withResolvers<never>();
  let last: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    last = setTimeout(() => {
      child.kill('SIGKILL');
      left.reject(messages.gitStopped());
    }, LAST_MOMENTS_MS);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const read = await Promise.race([reading, left.promise]);
    if (signal.aborted) throw messages.gitStopped();
    return read;
  } finally {
    signal.removeEventListener('abort', stop);
    clearTimeout(last);
  }
}

/** Runs git and returns what it printed; a failure is an error that names the step. */
export async function readGit(call: GitCall, purpose: string): Promise<Buffer> {
  return toOutput(await runGit(call), purpose, call.cwd);
}

/** Returns the output of git; a failure is an error that names the step. */
export function toOutput({ exit, stdout, stderr }: GitOutcome, purpose: string, cwd: string): Buffer {
  if (exit === 0) return stdout;
  if (DISK_FULL.test(stderr)) throw messages.diskFull(purpose, cwd);
  const reason = stderr.split('\n')[0] ?? '';
  throw messages.gitFailed(purpose, reason === '' ? messages.formatExit(exit) : reason, cwd);
}

/** How git and the system report a full disk. */
const DISK_FULL = /no space left on device|out of diskspace|disk quota exceeded/i;

function startGit(call: GitCall) {
  if (!existsSync(call.cwd)) throw messages.noDirectory(call.cwd);
  const path = safePath();
  const git = findGit(path);
  try {
    return Bun.spawn({
      cmd: [git, ...SAFE_SETTINGS, ...call.args],
      cwd: call.cwd,
      env: { ...inheritedEnvironment(), PATH: path, ...SAFE_ENVIRONMENT, ...call.env },
      stdin: call.input === undefined ? 'ignore' : Buffer.from(call.input),
      stdout: 'pipe',
      stderr: 'pipe',
    });
  } catch (cause) {
    const { isMissing, why, hint } = describeStartFault(cause);
    throw isMissing ? messages.gitMissing() : messages.notStarted(why, hint, cause);
  }
}

function findGit(path: string): string {
  const found = Bun.which('git', { PATH: path });
  if (found === null) throw messages.gitMissing();
  return found;
}

/** A folder of the PATH that is named from where one stands, such as ".", would let the repository bring its own git. */
function safePath(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => isAbsolute(folder)).join(delimiter);
}

function inheritedEnvironment(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value === undefined || name.startsWith('GIT_') || name === 'SSH_ASKPASS') continue;
    kept[name] = value;
  }
  return kept;
}

/** Asks which of some raw paths git ignores. With a status above 1, git could not tell. */
export async function readIgnored(
  call: Omit<GitCall, 'args' | 'input'>,
  paths: readonly string[],
  options: readonly string[] = [],
): Promise<GitOutcome & { readonly ignored: readonly string[] }> {
  const args = ['check-ignore', ...options, '-z', '--stdin'];
  // check-ignore takes names, not patterns, and refuses to be told so.
  const env = { ...call.env, GIT_LITERAL_PATHSPECS: '0' };
  const outcome = await runGit({ ...call, args, input: joinRawPaths(paths), env });
  return { ...outcome, ignored: outcome.exit === 0 ? splitRawPaths(outcome.stdout) : [] };
}

/** Names of the filters that are configured. With `ownOnly` just those that the repository itself brings. */
export async function readFilters(
  place: Omit<GitCall, 'args' | 'input'>,
  { ownOnly }: { readonly ownOnly: boolean },
): Promise<readonly string[]> {
  const args = ['config', '--show-scope', '-z', '--name-only', '--get-regexp', '^filter\\.'];
  const fields = (await runGit({ ...place, args })).stdout.toString('utf8').split('\0');
  const filters = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const filter = /^filter\.(.*)\.[^.]*$/s.exec(fields[at + 1] ?? '')?.[1];
    if (filter !== undefined && (!ownOnly || fields[at] === 'local' || fields[at] === 'worktree')) filters.add(filter);
  }
  return [...filters];
}

/** Settings for git that take the programs of filters away. If they are required, git fails rather than go without. */
export function disarmFilters(
  filters: readonly string[],
  { required }: { readonly required: boolean },
): readonly string[] {
  return filters.flatMap((filter) => {
    if (filter.includes('=')) throw messages.badFilter(filter);
    const name = `filter.${filter}`;
    const settings = [`${name}.clean=`, `${name}.smudge=`, `${name}.process=`, `${name}.required=${required}`];
    return settings.flatMap((setting) => ['-c', setting]);
  });
}
