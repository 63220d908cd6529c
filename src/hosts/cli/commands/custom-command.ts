import { type FoundCommand, findCustomCommands, findSkills } from '../../../adapters/extend/extension-files.ts';
import { attachmentBudget } from '../../../adapters/files/attach-files.ts';
import type { ServerPrompt } from '../../../adapters/mcp/catalogue.ts';
import type { McpServer } from '../../../adapters/mcp/server.ts';
import type { Completion } from '../../../core/completion/completion.ts';
import { expandCommand, parseCustomLine, toMetaEntries, toSentCommand } from '../../../core/extend/extensions.ts';
import { splitWords } from '../../../core/meta/meta-command.ts';
import { formatPath } from '../../../core/prompt/directories.ts';
import { escapeForDisplay, sanitizeLine } from '../../../core/text/sanitize.ts';
import { truncateMiddle } from '../../../core/text/truncate.ts';
import { AishError } from '../../../protocol/error.ts';
import type { SentCommand } from '../../../protocol/model.ts';
import type { OpOf } from '../../../protocol/op.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages-extend.ts';

/* The `:` lines that aish sends to the model as a message: custom commands, and the prompts of MCP servers. */

/** The place where commands are looked for. */
interface CommandPlace {
  readonly setup: Pick<Setup, 'env' | 'paths' | 'loaded'>;
  readonly cwd: string;
}

/** A custom command as a message to the model. */
export interface CommandMessage {
  readonly text: string;
  readonly command: SentCommand;
  /** The line that tells the user what is sent. */
  readonly note: string;
}

function toContext({ setup, cwd }: CommandPlace) {
  const { env, paths, loaded } = setup;
  const { folders } = loaded.config.extend;
  return { cwd, home: env.HOME ?? '/', config: paths.config, state: paths.state, folders };
}

/** The custom commands that hold in a directory. */
function findCommands(place: CommandPlace): readonly FoundCommand[] {
  return findCustomCommands(toContext(place));
}

/** `:skills`: each skill with its description, its file, and whether the model gets it. */
export function listSkills(place: CommandPlace): string {
  const { env } = place.setup;
  const rows = findSkills(toContext(place)).map(({ name, description, path, isTrusted }) => {
    const shown = escapeForDisplay(formatPath(path, env.HOME));
    return messages.formatSkill(
      escapeForDisplay(name),
      description,
      isTrusted ? shown : messages.formatNotOffered(shown),
    );
  });
  return rows.length === 0 ? messages.NO_SKILLS : rows.join('\n');
}

/** The rows of help and completion for the custom commands that may be used. */
export function listCustomEntries(place: CommandPlace) {
  return toMetaEntries(findCommands(place).filter(({ isTrusted }) => isTrusted));
}

/** The message of a line such as `:review 12`; null for a line that names no custom command. Throws if its file is not trusted. */
export function readCustomCommand(line: string, place: CommandPlace): CommandMessage | null {
  const typed = parseCustomLine(line);
  const command = typed === null ? undefined : findCommands(place).find(({ name }) => name === typed.name);
  if (typed === null || command === undefined) return null;
  const path = escapeForDisplay(formatPath(command.path, place.setup.env.HOME));
  if (!command.isTrusted)
    throw new AishError('trust.needed', messages.formatUntrustedCommand(command.name, path), {
      hint: messages.TRUST_HINT,
    });
  const { model } = command;
  const isKnown = Object.hasOwn(place.setup.loaded.config.models, model);
  const text = expandCommand(command, typed.args);
  return {
    text: isKnown ? `@${model} ${text}` : text,
    command: toSentCommand(command),
    note: messages.formatSends(path, text.length, isKnown || model === '' ? null : model),
  };
}

/** The part of the MCP servers that gives prompts and resources. */
interface PromptServers {
  statuses(): readonly { readonly alias: string }[];
  server(alias: string): Pick<McpServer, 'prompts' | 'getPrompt' | 'complete' | 'resources'>;
}

const LINE = /^\s*:([\w-]+)\.(\S*)/;

/**
 * The message of a line such as `:notes.review topic=x`: the prompt of a server, which goes to the model like an attached file. Null for a
 * line that names no server. Words without `=` are the arguments in their order. `context` is the size of the model's window in tokens, if
 * it is known: a longer prompt is cut, as a file is.
 */
export async function readServerPrompt(
  line: string,
  servers: PromptServers | null,
  signal: AbortSignal,
  context?: number,
): Promise<OpOf<'send'> | null> {
  const [whole = '', alias = '', name = ''] = LINE.exec(line) ?? [];
  const server = findServer(alias, servers);
  if (server === null) return null;
  const prompt = (await server.prompts(signal)).find((one) => one.name === name);
  if (prompt === undefined) throw noPrompt(alias, name);
  const args = toArguments(prompt, splitWords(line.slice(whole.length)) ?? []);
  const missing = prompt.arguments.find(({ name: one, isRequired }) => isRequired && args[one] === undefined);
  if (missing !== undefined) throw missingArgument(alias, prompt, missing.name);
  const text = truncateMiddle(await server.getPrompt(name, args, signal), attachmentBudget(context));
  const path = `${alias}.${name}`;
  const file = { type: 'text', path, about: messages.PROMPT_OF_SERVER, text, server: true } as const;
  return { type: 'send', text: messages.formatFollowPrompt(path), files: [file] };
}

function toArguments(prompt: ServerPrompt, words: readonly string[]): Record<string, string> {
  const args: Record<string, string> = {};
  for (const word of words) {
    const named = prompt.arguments.find(({ name }) => word.startsWith(`${name}=`));
    const next = prompt.arguments.find(({ name }) => args[name] === undefined);
    if (named !== undefined) args[named.name] = word.slice(named.name.length + 1);
    else if (next !== undefined) args[next.name] = word;
  }
  return args;
}

/** Completes the name of a prompt, the names of its arguments, and by the server their values. */
export async function completeServerPrompt(
  before: string,
  servers: PromptServers | null,
  signal: AbortSignal,
): Promise<readonly Completion[]> {
  const [whole = '', alias = '', name = ''] = LINE.exec(before) ?? [];
  const server = findServer(alias, servers);
  if (server === null) return [];
  const prompts = await server.prompts(signal);
  if (whole === before) return toCompletions(before, name, prompts, (one) => [one.name, one.description]);
  const prompt = prompts.find((one) => one.name === name);
  const typed = /\S*$/.exec(before)?.[0] ?? '';
  const [argument = '', value] = typed.split(/=(.*)/s);
  if (prompt === undefined) return [];
  if (value === undefined)
    return toCompletions(before, typed, prompt.arguments, (one) => [`${one.name}=`, one.description]);
  const values = await server.complete(name, { name: argument, value }, signal).catch(() => []);
  return toCompletions(before, value, values, (one) => [one, '']);
}

/** Completes the address of a resource behind `@alias:`. */
export async function completeResource(
  before: string,
  mention: string,
  servers: PromptServers | null,
  signal: AbortSignal,
): Promise<readonly Completion[]> {
  const [alias = '', typed = ''] = mention.split(/:(.*)/s);
  const resources = (await findServer(alias, servers)?.resources(signal)) ?? [];
  const listed = resources.filter(({ isTemplate }) => !isTemplate);
  return toCompletions(before, typed, listed, ({ uri, name }) => [uri, name]);
}

function toCompletions<T>(
  before: string,
  typed: string,
  candidates: readonly T[],
  show: (one: T) => readonly [text: string, description: string],
): readonly Completion[] {
  return candidates.flatMap((one) => {
    const [text, description] = show(one).map(sanitizeLine);
    if (text === undefined || !text.startsWith(typed) || /\s/.test(text)) return [];
    return [{ start: before.length - typed.length, text, ...(description ? { description } : {}) }];
  });
}

function findServer(alias: string, servers: PromptServers | null): ReturnType<PromptServers['server']> | null {
  const isKnown = servers?.statuses().some((status) => status.alias === alias) === true;
  return servers !== null && isKnown ? servers.server(alias) : null;
}

const noPrompt = (alias: string, name: string): AishError =>
  new AishError('mcp.no-prompt', messages.formatNoPrompt(alias, name), { hint: messages.formatListsPrompts(alias) });

const missingArgument = (alias: string, prompt: ServerPrompt, name: string): AishError =>
  new AishError('mcp.no-prompt', messages.formatMissingArgument(`${alias}.${prompt.name}`, name), {
    hint: messages.formatPromptUsage(
      alias,
      prompt.name,
      prompt.arguments.map((one) => one.name),
    ),
  });
