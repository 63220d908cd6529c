import { readGit } from '../../../adapters/git/process/git-process.ts';
import { type Diagnosis, examine } from '../../../adapters/model/doctor.ts';
import { isListening, LocalServer } from '../../../adapters/model/local-server.ts';
import { listModels } from '../../../adapters/model/model-list.ts';
import type { ModelEndpoint } from '../../../adapters/model/models.ts';
import type { Learned } from '../../../adapters/model/request-completion.ts';
import { openSandbox } from '../../../adapters/sandbox/open-sandbox.ts';
import { findShell } from '../../../adapters/shell/program.ts';
import { ProfileStore } from '../../../adapters/store/profile-store.ts';
import { isAtWork, RunStore } from '../../../adapters/store/run-store.ts';
import { isTerminal } from '../../../adapters/system/system-calls.ts';
import type { Options } from '../../../core/command-line/invocation.ts';
import type { Lesson } from '../../../core/model/endpoint-profile.ts';
import { toShownUrl } from '../../../core/model/server-fault.ts';
import { isDumbTerminal } from '../../../core/terminal/capabilities.ts';
import { formatTable } from '../../../core/terminal/table.ts';
import { wrapText } from '../../../core/terminal/wrap.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import { ModelEndpoints } from '../../../engine/requests/model-endpoints.ts';
import { Engine } from '../../../engine/session/engine.ts';
import { AishError, type ErrorFact } from '../../../protocol/error.ts';
import { outputColumns } from '../setup/output-terminal.ts';
import { engineOptions, prepareForUser, runtimeFolder, type Setup } from '../setup/setup.ts';
import * as messages from './messages-models.ts';

/** A report, and whether the model answered. */
interface DoctorReport {
  readonly text: string;
  readonly hasAnswered: boolean;
}

/** Examines a model, or the first one, and keeps what its server refuses for all later requests. */
export async function runModelDoctor(name: string | null, setup: Setup, signal: AbortSignal): Promise<DoctorReport> {
  const { env, discovery, paths } = setup;
  const { config } = setup.loaded;
  const endpoint = await new ModelEndpoints({ config, env, discovery }).find(name);
  const server = toServer(endpoint, setup);
  try {
    await server?.ensure(signal, () => {});
    const diagnosis = await examine(endpoint, signal);
    if (diagnosis.error === null) keepProfile(diagnosis, new ProfileStore(paths.state));
    return { text: formatDiagnosis(diagnosis), hasAnswered: diagnosis.error === null };
  } finally {
    server?.close();
  }
}

/** The server that aish runs for a model; it ends with the examination. */
function toServer({ name, baseUrl }: ModelEndpoint, { loaded, paths, env }: Setup): LocalServer | null {
  const { command, args = [] } = loaded.config.models[name] ?? {};
  if (command === undefined) return null;
  return new LocalServer({ name, command, args, baseUrl, log: `${paths.state}/servers/${name}.log`, env });
}

/** The new profile replaces the old one. */
function keepProfile({ endpoint: { baseUrl, model }, lessons }: Diagnosis, store: ProfileStore): void {
  store.forget(baseUrl, model ?? '');
  if (lessons.length > 0) store.keep(baseUrl, model ?? '', lessons);
}

function formatDiagnosis(diagnosis: Diagnosis): string {
  const { endpoint, error, lessons } = diagnosis;
  const { name } = endpoint;
  const title = `${sanitizeLine(name)}: ${sanitizeLine(endpoint.model ?? '?')} (${toShownUrl(endpoint.baseUrl)})`;
  const kept = lessons.length === 0 ? messages.NO_DIFFERENCES : messages.formatKept(name);
  return [title, formatFindings(toFindings(diagnosis)), ...(error === null ? [kept] : [])].join('\n');
}

/** One line of the report. */
interface Finding {
  readonly check: keyof typeof messages.CHECKS;
  /** `note`: aish copes with it. `fix`: the user should change something. */
  readonly state: keyof typeof messages.MARKS;
  readonly text: string;
  /** The setting to change. */
  readonly cure?: string;
}

/** The findings as a table: each with the setting to change below it. On a terminal, texts fold within their column. */
export function formatFindings(
  findings: readonly Finding[],
  columns = outputColumns() ?? Number.POSITIVE_INFINITY,
): string {
  const heads = findings.map(({ check, state }) => [messages.MARKS[state], messages.CHECKS[check]]);
  const left =
    Math.max(
      0,
      ...formatTable(heads)
        .split('\n')
        .map((head) => head.length),
    ) + 2;
  const fold = (text: string) => wrapText(sanitizeLine(text), Math.max(LEAST_TEXT, columns - left)).split('\n');
  const rows = findings.flatMap(({ text, cure }, at) =>
    [...fold(text), ...(cure === undefined ? [] : fold(cure))].map((row, line) => [
      ...(line === 0 ? (heads[at] ?? []) : ['', '']),
      row,
    ]),
  );
  return formatTable(rows);
}

/** A narrower column is hard to read. */
const LEAST_TEXT = 24;

/** A smaller context fills up soon. */
const SMALL_WINDOW = 8192;

/** The findings of an examination, in the order of the report. */
export function toFindings(diagnosis: Diagnosis): readonly Finding[] {
  return [
    ...findServer(diagnosis),
    ...findAnswer(diagnosis),
    ...diagnosis.lessons.map(findLesson),
    ...findCalls(diagnosis),
    ...findRoles(diagnosis),
    ...findReasoning(diagnosis),
    ...findWindow(diagnosis),
    ...toAnswer('model', diagnosis.readsModel),
  ];
}

function findServer({ delays, error }: Diagnosis): readonly Finding[] {
  if (error !== null)
    return [
      { check: 'server', state: 'fix', text: error.message, ...(error.hint === undefined ? {} : { cure: error.hint }) },
    ];
  return delays.length === 0
    ? [{ check: 'server', state: 'ok', text: messages.SERVER_READY }]
    : [{ check: 'server', state: 'note', text: messages.formatWaited(delays) }];
}

function findAnswer({ answer, speed }: Diagnosis): readonly Finding[] {
  const measured: readonly Finding[] = speed === null ? [] : [{ check: 'speed', state: 'ok', text: toSpeed(speed) }];
  if (answer === null) return measured;
  if (answer === 'whole') return [{ check: 'answer', state: 'ok', text: messages.ANSWER_WHOLE }, ...measured];
  const [text, cure] =
    answer === 'repeated' ? [messages.ANSWER_REPEATED, messages.REPEATED_CURE] : messages.GAPS[answer];
  return [{ check: 'answer', state: 'fix', text, cure }, ...measured];
}

function toSpeed({ firstTokenMs, tokensPerSecond }: NonNullable<Diagnosis['speed']>): string {
  const perSecond = tokensPerSecond === null ? null : tokensPerSecond.toFixed(tokensPerSecond < 10 ? 1 : 0);
  return messages.formatSpeed((firstTokenMs / 1000).toFixed(2), perSecond);
}

const LESSON_CHECKS: Readonly<Record<Lesson['type'], Finding['check']>> = {
  omit: 'fields',
  plainest: 'fields',
  content: 'fields',
  add: 'fields',
  'no-stream': 'stream',
  'no-tools': 'tools',
  'most-tools': 'tools',
  'plain-schema': 'schema',
  'text-tool-turns': 'roles',
  'fold-system': 'roles',
  'empty-content': 'content',
  'token-limit': 'limit',
};

function findLesson({ lesson, text }: Learned): Finding {
  const found = { check: LESSON_CHECKS[lesson.type], text: messages.formatLessonLine(text) };
  if (lesson.type === 'no-tools') return { ...found, state: 'fix', cure: messages.PARSER_CURE };
  return { ...found, state: 'note' };
}

const CALLS: Readonly<Record<NonNullable<Diagnosis['call']>, Omit<Finding, 'check'>>> = {
  parsed: { state: 'ok', text: messages.CALL_PARSED },
  printed: { state: 'fix', text: messages.CALL_PRINTED, cure: messages.PARSER_CURE },
  damaged: { state: 'fix', text: messages.CALL_DAMAGED, cure: messages.PARSER_CURE },
  none: { state: 'fix', text: messages.CALL_NONE, cure: messages.NONE_CURE },
};

function findCalls({ call, answer, hasParallelCalls, takesDots, takesLongIds }: Diagnosis): readonly Finding[] {
  // An answer that is missing or cut has no good call either.
  const isAnswered = call === 'parsed' || call === 'printed' || answer === 'whole';
  return [
    ...(call === null || !isAnswered ? [] : [{ check: 'call', ...CALLS[call] } as const]),
    ...toAnswer('parallel', hasParallelCalls),
    ...toAnswer('names', takesDots),
    ...toAnswer('ids', takesLongIds),
  ];
}

function findRoles({ lessons, error, takesSameRole }: Diagnosis): readonly Finding[] {
  const hasLesson = lessons.some(({ lesson }) => LESSON_CHECKS[lesson.type] === 'roles');
  const taken: readonly Finding[] =
    hasLesson || error !== null ? [] : [{ check: 'roles', state: 'ok', text: messages.ROLES }];
  return [...taken, ...toAnswer('alternation', takesSameRole)];
}

function findReasoning({ reasoning }: Diagnosis): readonly Finding[] {
  switch (reasoning) {
    case null:
      return [];
    case 'field':
      return [{ check: 'reasoning', state: 'ok', text: messages.REASONING }];
    case 'tags':
      return [{ check: 'reasoning', state: 'note', text: messages.REASONING_TAGS, cure: messages.TAGS_CURE }];
  }
}

function findWindow({ window, error, endpoint: { context } }: Diagnosis): readonly Finding[] {
  if (error !== null) return [];
  const check = 'window';
  if (window === null) {
    if (context !== undefined) return [];
    return [{ check, state: 'note', text: messages.NO_WINDOW, cure: messages.WINDOW_CURE }];
  }
  if (context !== undefined && context > window) {
    const text = messages.formatWindowDiffers(window, context);
    return [{ check, state: 'fix', text, cure: messages.formatDiffersCure(window) }];
  }
  const text = messages.formatWindow(window);
  return [
    window < SMALL_WINDOW ? { check, state: 'fix', text, cure: messages.LARGER_CURE } : { check, state: 'ok', text },
  ];
}

function toAnswer(check: keyof typeof messages.ANSWERS, isSo: boolean | null): readonly Finding[] {
  const [yes, no] = messages.ANSWERS[check];
  if (isSo === null) return [];
  return [isSo ? { check, state: 'ok', text: yes } : { check, state: 'note', text: no }];
}

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
    const findings = [
      ...checkConfig(setup, problem),
      ...shell,
      checkScreen(setup.env),
      checkLocale(setup.env),
      ...others.flat(),
      ...checkRuns(setup),
    ];
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
  if (loaded.warnings.length > 0)
    return loaded.warnings.map((text) => ({ check, state: 'fix', text, cure: messages.CONFIG_CURE }));
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

function checkScreen(env: Setup['env']): Finding {
  const check = 'terminal';
  if (![0, 1, 2].some((fd) => isTerminal(fd)))
    return { check, state: 'note', text: messages.NO_TERMINAL, cure: messages.NO_TERMINAL_CURE };
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

/** The runs in working copies whose changes were neither applied nor discarded. */
function checkRuns({ paths }: Setup): readonly Finding[] {
  const waiting = new RunStore(paths.state).list().filter((run) => !isAtWork(run));
  if (waiting.length === 0) return [];
  const text = messages.formatRunsWaiting(waiting.map(({ id, project }) => `${id} (${project})`));
  return [{ check: 'runs', state: 'note', text, cure: messages.RUNS_CURE }];
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
      if (hasCommand && !(await isListening(new URL(endpoint.baseUrl))))
        return [{ check, state: 'ok', text: messages.formatServerStarts(endpoint.name) }];
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
