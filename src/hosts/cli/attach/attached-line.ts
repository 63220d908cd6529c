import { parseMetaCommand } from '../../../core/meta-command.ts';
import type { MetaEntry } from '../../../core/meta-entry.ts';
import { META_COMMANDS } from '../../../core/meta-table.ts';
import type { Route } from '../../../core/router/route.ts';
import { AishError } from '../../../protocol/error.ts';
import type { Op } from '../../../protocol/op.ts';
import type { Privacy } from '../privacy.ts';

/** What is done with a line that was entered at another seat. */
export type AttachedLine =
  | { readonly type: 'nothing' | 'leave' | 'help' | 'keyboard' }
  /** It waits for its turn, with the lines of all seats. */
  | { readonly type: 'in turn'; readonly op: Extract<Op, { type: 'run' | 'send' }> }
  | { readonly type: 'at once'; readonly op: Op };

/** Said for `:help` at another seat. */
export const ATTACHED_HELP = [
  'a line goes to the session: a command for its shell, or a message to the model; !LINE and ?TEXT say which',
  'history, completion, colours and keys are those of your own prompt; a blank before a command keeps it private',
  ':halt :undo :redo :compact :rehearse :name work here as they do there; :keyboard or Ctrl-] asks for the keyboard',
  'Ctrl-C stops what runs, Ctrl-\\ stops all that the model does, :quit or Ctrl-D leaves; the session goes on',
].join('\n');

/** The meta-commands that can be given at another seat. */
export const SEAT_COMMANDS: readonly MetaEntry[] = [
  ...META_COMMANDS.filter(({ name }) => /^(?:help|halt|undo|redo|compact|rehearse|name)$/.test(name)),
  {
    name: 'quit',
    usage: '',
    summary: 'leave this seat; the session goes on',
    required: 0,
    arguments: [],
    build: () => ({ name: 'quit' }),
  },
  {
    name: 'keyboard',
    usage: '',
    summary: 'ask the owner for the keyboard, or give it back',
    required: 0,
    arguments: [],
    build: () => null,
  },
];

/** Understands what was entered at another seat, by where it goes. Throws for what cannot be done there. */
export function readAttachedLine(route: Route, privacy: Privacy): AttachedLine {
  switch (route.type) {
    case 'nothing':
      return { type: 'nothing' };
    case 'command':
      return {
        type: 'in turn',
        op: { type: 'run', line: route.text, ...(privacy === 'private' ? { private: true } : {}) },
      };
    case 'message':
      return { type: 'in turn', op: { type: 'send', text: route.text } };
    case 'meta':
      return readMeta(route.text);
  }
}

function readMeta(text: string): AttachedLine {
  const word = text.trim();
  if (/^:(?:q|quit|detach|exit)$/.test(word)) return { type: 'leave' };
  if (word === ':keyboard') return { type: 'keyboard' };
  const parsed = parseMetaCommand(text);
  if (!parsed.ok) throw new AishError('meta.unknown', parsed.message, { hint: parsed.hint });
  const { command } = parsed;
  switch (command.name) {
    case 'help':
      return { type: 'help' };
    case 'halt':
      return { type: 'at once', op: { type: 'halt' } };
    case 'undo':
    case 'redo': {
      const { name, id, steps, paths } = command;
      const which = { checkpoint: id ?? null, direction: name, ...(steps === undefined ? {} : { steps }) };
      return { type: 'at once', op: { type: 'restore', ...which, ...(paths.length === 0 ? {} : { paths }) } };
    }
    case 'compact': {
      const { focus } = command;
      return { type: 'at once', op: { type: 'compact', ...(focus === undefined ? {} : { focus }) } };
    }
    case 'rehearse':
      return { type: 'at once', op: { type: 'rehearse', line: command.line } };
    case 'name':
      return { type: 'at once', op: { type: 'rename', name: command.text } };
    default:
      throw new AishError('meta.elsewhere', `:${command.name} works only where the session is open`, {
        hint: ':help says what works here',
      });
  }
}
