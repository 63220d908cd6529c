import { isJsonObject, type Json } from '../../protocol/json.ts';
import type { CallPreview, CallTaint, TaintSource, ToolCall } from '../../protocol/tool.ts';
import { isBelow, locate, type PathContext, TASK_FILES } from '../commands/place.ts';
import { findProgram } from '../commands/programs/find-program.ts';
import type { Classification } from '../commands/verdict.ts';
import type { Entry } from '../session/state.ts';
import { aliasOf, isDescriptions } from '../session/taint-state.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';
import * as messages from './messages.ts';
import { isGrave, type LineReading, readLine } from './read-line.ts';
import { type FileFacts, isOutside, type ReadContext } from './sources-of-line.ts';

interface ReachContext extends Pick<CallPreview, 'decided' | 'path' | 'secrets'> {
  /** The classification of a command's line. */
  readonly classification?: Classification;
}

/** An effect that needs an approval after untrusted content. */
export type Reach = Pick<CallTaint, 'reach' | 'isShown'>;

/**
 * The effect of a command or a built-in file tool that needs an approval after untrusted content: it leaves the project, gets a secret, or
 * runs something that the user has not seen. Null if there is none.
 */
export function reachOf(call: ToolCall, known: ReachContext, context: ReadContext, facts: FileFacts): Reach | null {
  if (known.decided?.autoRun === true) return null;
  const granted = reachOfSecrets(known);
  if (granted !== null) return granted;
  if (known.classification !== undefined) return reachOfLine(known.classification, context, facts);
  const { path } = known;
  if (path === undefined || call.name === 'aish.output') return null;
  if (isOutside(path, context)) return { reach: messages.formatOutside(path) };
  return call.effect !== 'read' && isExecuted(path, context) ? { reach: messages.formatRunsLater(path) } : null;
}

/** The same for the secrets that a call gets. */
export function reachOfSecrets({ secrets = [] }: Pick<CallPreview, 'secrets'>): Reach | null {
  return secrets.length === 0 ? null : { reach: messages.formatGetsSecrets(secrets.map(({ name }) => name)), isShown: true };
}

/** The same for a line. */
export function reachOfLine(classification: Classification, context: ReadContext, facts: FileFacts): Reach | null {
  const reading = readLine(classification, context);
  const { class: kind } = reading.classification;
  if (isGrave(reading.classification)) return { reach: messages.CLASS_REACH[kind], isShown: true };
  if (reading.runs) return { reach: messages.RUNS_HIDDEN_CODE, isShown: true };
  const outside =
    [...reading.paths].find((path) => isPlace(path, facts) && isOutside(facts.real(path), context)) ??
    [...reading.around].find((folder) => isOutside(folder, context));
  if (outside !== undefined) return { reach: messages.formatOutside(outside) };
  if (kind === 'read-only') return null;
  const setting = reading.commands.find(setsUp);
  return setting === undefined ? reachInside(reading, context) : { reach: messages.formatChangesLater(setting) };
}

function setsUp(command: string): boolean {
  const [program = '', verb = ''] = command.split(' ');
  const verbs = findProgram(program)?.setsUp;
  return verbs === '' || verbs?.split(' ').includes(verb) === true;
}

function reachInside({ hasTask, around, paths }: LineReading, context: ReadContext): Reach | null {
  const executed = [...paths].find((path) => path !== context.project && isExecuted(path, context));
  if (executed !== undefined && !hasTask) return { reach: messages.formatRunsLater(executed) };
  if (!hasTask) return null;
  const changed = context.paths.find((path) => [...around].some((folder) => isBelow(path, folder) || isBelow(folder, path)));
  return changed === undefined ? null : { reach: messages.formatRunsChanged(changed) };
}

/** Whether a path can be read or written: its first folder exists. */
function isPlace(path: string, facts: FileFacts): boolean {
  const [, first = ''] = path.split('/');
  return facts.exists(`/${first}`);
}

/** Project files that control what runs, by lower-case name. */
const NAMES: ReadonlySet<string> = new Set([
  ...TASK_FILES.map((name) => name.toLowerCase()),
  ...`package-lock.json pnpm-workspace.yaml turbo.json nx.json lerna.json deno.json deno.jsonc .justfile
    taskfile.yml taskfile.yaml guardfile fastfile settings.gradle settings.gradle.kts gradlew mvnw build.sbt
    build.zig mix.exs setup.cfg pyproject.toml tox.ini pytest.ini manage.py tasks.py fabfile.py cmakelists.txt
    configure meson.build wscript sconstruct dockerfile containerfile vagrantfile procfile docker-compose.yml
    docker-compose.yaml compose.yml compose.yaml jenkinsfile .gitlab-ci.yml .travis.yml appveyor.yml
    azure-pipelines.yml bitbucket-pipelines.yml .drone.yml cloudbuild.yaml .pre-commit-config.yaml lefthook.yml
    .lintstagedrc .gitattributes .babelrc .eslintrc .mocharc.js .mocharc.cjs .mocharc.json .nvmrc .tool-versions
    mise.toml .mise.toml flake.nix default.nix shell.nix agents.md claude.md gemini.md .cursorrules .windsurfrules
    copilot-instructions.md`.split(/\s+/),
]);

const FOLDERS = /\/(?:\.github\/(?:workflows|actions)|\.circleci|\.buildkite|\.cursor|\.git|\.husky|\.githooks|hooks|bin|scripts?)\//;
const PATTERNS = joinedRegExp(
  '',
  String.raw`\.(?:sh|bash|zsh|fish|bat|cmd|ps1|mk|make|gradle|service|timer|desktop)$|(?:^|\.)config\.(?:[cm]?[jt]s|json`,
  String.raw`|toml|ya?ml)$|^\.eslintrc\.|^\.babelrc\.|^dockerfile\.|^requirements.*\.txt$|^\.env(?:\.|$)`,
);

/** Whether a file is run, or controls what runs, sooner or later: by a task, by a hook, by another machine, or by the next model. */
function isExecuted(path: string, context: PathContext): boolean {
  if (locate(path, null, context).isGuarded) return true;
  const folded = path.toLowerCase();
  const name = folded.slice(folded.lastIndexOf('/') + 1);
  const below = folded.startsWith(`${context.project.toLowerCase()}/`) ? folded.slice(context.project.length) : folded;
  return NAMES.has(name) || PATTERNS.test(name) || FOLDERS.test(below);
}

/** A shorter word carries no information from elsewhere. */
const SHORT = 12;

/**
 * The effect of an MCP tool call that needs an approval after untrusted content; null if there is none. Nobody knows where a server sends
 * its input, so a call counts as a connection. A rule may allow two exceptions:
 *
 * - A server's own result may lead to another call of the same server that passes nothing new to it: the user's words, the server's words,
 *   and short words. The server learns nothing from that, and could do the same on its own.
 * - A server's description of its own tools may lead to calls of those tools, and to a call of another server that contains only the user's
 *   words.
 */
export function reachOfServerCall(
  call: Pick<ToolCall, 'name' | 'arguments'>,
  untrusted: readonly TaintSource[],
  entries: readonly Entry[],
): Reach | null {
  const alias = call.name.slice(0, call.name.indexOf('.'));
  const isOwn = (source: TaintSource) => source.kind === 'server' && aliasOf(source) === alias;
  const others = untrusted.filter((source) => !(isOwn(source) && isDescriptions(source)));
  if (others.length === 0) return null;
  const isHarmless = others.every((source) => isOwn(source) || isDescriptions(source));
  if (isHarmless && givesNothingNew(call.arguments, wordsFor(alias, entries))) return null;
  return { reach: messages.formatSendsTo(alias) };
}

/** The user's messages, and the results of the server itself. */
function wordsFor(alias: string, entries: readonly Entry[]): readonly string[] {
  const called = new Set(
    entries.flatMap((entry) =>
      entry.type === 'assistant' ? entry.calls.filter(({ name }) => name.startsWith(`${alias}.`)).map(({ id }) => id) : [],
    ),
  );
  return entries.flatMap((entry) => {
    if (entry.type === 'user') return [entry.text];
    return entry.type === 'result' && called.has(entry.callId) ? [entry.text] : [];
  });
}

function givesNothingNew(value: Json, words: readonly string[]): boolean {
  if (typeof value === 'string') return value.length <= SHORT || words.some((text) => text.includes(value));
  if (Array.isArray(value)) return value.every((one) => givesNothingNew(one, words));
  if (!isJsonObject(value)) return true;
  return Object.entries(value).every(([name, one]) => name.length <= 40 && givesNothingNew(one, words));
}
