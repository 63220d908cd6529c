import { type FoundCommand, findCustomCommands, findSkills } from '../../../adapters/extend/extension-files.ts';
import { expandCommand, parseCustomLine, toMetaEntries, toSentCommand } from '../../../core/extend/extensions.ts';
import { formatPath } from '../../../core/prompt/directories.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import { AishError } from '../../../protocol/error.ts';
import type { SentCommand } from '../../../protocol/model.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages-extend.ts';

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
