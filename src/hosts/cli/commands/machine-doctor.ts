import { isatty } from 'node:tty';
import { readGit } from '../../../adapters/git/process/git-process.ts';
import { isListening } from '../../../adapters/model/local-server.ts';
import { listModels } from '../../../adapters/model/model-list.ts';
import { openSandbox } from '../../../adapters/sandbox/open-sandbox.ts';
import { findShell } from '../../../adapters/shell/program.ts';
import type { Options } from '../../../core/command-line/invocation.ts';
import { toShownUrl } from '../../../core/model/server-fault.ts';
import { ModelEndpoints } from '../../../engine/requests/model-endpoints.ts';
import { Engine } from '../../../engine/session/engine.ts';
import { AishError, type ErrorFact } from '../../../protocol/error.ts';
import { isDumbTerminal } from '../screen/capabilities.ts';
import { engineOptions, prepareForUser, runtimeFolder, type Setup } from '../setup/setup.ts';
import { type Finding, formatFindings } from './doctor-command.ts';
import * as messages from './messages-doctor.ts';

/** Longest wait for a model server. */
const MODEL_WAIT_MS = 3000;

/** Longest wait for MCP servers. */
const SERVER_WAIT_MS = 30_000;

/** Longest wait for a shell that does nothing. */
const SHELL_WAIT_MS = 5000;

/** `aish doctor`: looks at all that aish needs on this machine. Nothing to fix is good. */
export async function runDoctor(options: Options): Promise<{ readonly text: string; readonly isGood: boolean }> {
  const { setup, problem } = await prepareForUser(options);
  const engine = new Engine(engineOptions(setup));
  try {
    const looks = [checkShell(setup), checkSandbox(setup), checkGit(setup), checkModels(setup), checkMcp(engine)];
    const [shell = [], ...others] = await Promise.all(looks);
    const findings = [...checkConfig(setup, problem), ...shell, ...checkTerminal(setup), ...others.flat()];
    const toFix = findings.filter(({ state }) => state === 'fix').length;
    const end = toFix === 0 ? messages.ALL_GOOD : messages.formatToFix(toFix);
    // The words of a server may hold a secret, and users copy what they see into reports.
    return { text: await engine.redact(`${formatFindings(findings)}\n${end}`), isGood: toFix === 0 };
  } finally {
    await engine.close();
  }
}

function checkConfig({ loaded }: Setup, problem: ErrorFact | null): readonly Finding[] {
  const check = 'config';
  if (problem !== null) return [toFix(check, problem)];
  if (loaded.warnings.length > 0) {
    return loaded.warnings.map((text) => ({ check, state: 'fix', text, cure: messages.CONFIG_CURE }));
  }
  const text = loaded.file === null ? messages.NO_CONFIG : messages.formatConfigGood(loaded.file);
  return [{ check, state: 'ok', text }];
}

async function checkShell({ env, loaded }: Setup): Promise<readonly Finding[]> {
  const check = 'shell';
  return orFix(check, async () => {
    const program = findShell({ env, program: loaded.config.shell.program });
    const { success } = Bun.spawnSync([program, '-c', ':'], {
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: SHELL_WAIT_MS,
    });
    if (success) return [{ check, state: 'ok', text: messages.formatShellGood(program) }];
    return [{ check, state: 'fix', text: messages.formatShellBroken(program), cure: messages.SHELL_CURE }];
  });
}

function checkTerminal({ env }: Setup): readonly Finding[] {
  return [checkScreen(env), checkLocale(env)];
}

function checkScreen(env: Setup['env']): Finding {
  const check = 'terminal';
  if (![0, 1, 2].some((fd) => isatty(fd))) {
    return { check, state: 'note', text: messages.NO_TERMINAL, cure: messages.NO_TERMINAL_CURE };
  }
  if (isDumbTerminal(env)) return { check, state: 'fix', text: messages.TERMINAL_DUMB, cure: messages.TERMINAL_CURE };
  return { check, state: 'ok', text: messages.formatTerminalGood(env.TERM ?? '') };
}

/** The first of the three variables that is set decides, as in every program. */
function checkLocale({ LC_ALL, LC_CTYPE, LANG }: Setup['env']): Finding {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== '') ?? '';
  const check = 'locale';
  if (/utf-?8/i.test(locale)) return { check, state: 'ok', text: messages.formatLocaleGood(locale) };
  return { check, state: 'note', text: messages.NO_LOCALE, cure: messages.LOCALE_CURE };
}

/** aish works without a sandbox, so its absence is a note. */
async function checkSandbox(setup: Setup): Promise<readonly Finding[]> {
  const check = 'sandbox';
  const sandbox = openSandbox({ path: setup.env.PATH ?? '', folder: () => runtimeFolder(setup) });
  try {
    const why = await sandbox.available();
    if (why === null) return [{ check, state: 'ok', text: messages.formatSandboxGood(sandbox.kind) }];
    return [{ check, state: 'note', text: messages.formatSandboxMissing(why), cure: messages.SANDBOX_CURE }];
  } finally {
    sandbox.close();
  }
}

async function checkGit({ cwd }: Setup): Promise<readonly Finding[]> {
  const check = 'undo';
  return orFix(check, async () => {
    const version = (await readGit({ cwd, args: ['--version'] }, 'read the version of git')).toString().trim();
    return [{ check, state: 'ok', text: messages.formatGitGood(version) }];
  });
}

/** The servers of all configured models, or the best one that aish finds. */
async function checkModels({ env, discovery, loaded: { config } }: Setup): Promise<readonly Finding[]> {
  const endpoints = new ModelEndpoints({ config, env, discovery });
  const names = Object.keys(config.models);
  const check = 'models';
  const { signal } = new AbortController();
  const look = (name: string | null): Promise<readonly Finding[]> =>
    orFix(check, async () => {
      const endpoint = await endpoints.find(name);
      const hasCommand = config.models[endpoint.name]?.command !== undefined;
      if (hasCommand && !(await isListening(new URL(endpoint.baseUrl)))) {
        return [{ check, state: 'ok', text: messages.formatServerStarts(endpoint.name) }];
      }
      await listModels(endpoint, signal, MODEL_WAIT_MS).catch((thrown: unknown) => {
        // A server without a list of models can still answer requests.
        if (!(thrown instanceof AishError) || thrown.code !== 'model.no-list') throw thrown;
      });
      const text = messages.formatServerGood(endpoint.name, toShownUrl(endpoint.baseUrl));
      return [{ check, state: 'ok', text }];
    });
  return (await Promise.all(names.length === 0 ? [look(null)] : names.map(look))).flat();
}

async function checkMcp(engine: Engine): Promise<readonly Finding[]> {
  const check = 'mcp';
  return orFix(check, async () => {
    const servers = await engine.servers();
    await servers?.tools({ waitMs: SERVER_WAIT_MS, signal: new AbortController().signal });
    const statuses = servers?.statuses() ?? [];
    if (statuses.length === 0) return [{ check, state: 'ok', text: messages.NO_SERVER }];
    return statuses.map(({ alias, error, toolCount }): Finding => {
      if (error === undefined) return { check, state: 'ok', text: messages.formatMcpGood(alias, toolCount) };
      return { check, state: 'fix', text: messages.formatMcpBroken(alias, error), cure: messages.MCP_CURE };
    });
  });
}

/** The findings, or the error that came instead. */
async function orFix(check: Finding['check'], look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (thrown) {
    if (thrown instanceof AishError) return [toFix(check, thrown)];
    throw thrown;
  }
}

function toFix(check: Finding['check'], { message, hint }: Pick<ErrorFact, 'message' | 'hint'>): Finding {
  return { check, state: 'fix', text: message, ...(hint === undefined ? {} : { cure: hint }) };
}
