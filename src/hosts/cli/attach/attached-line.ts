import { formatHelp } from '../../../core/help-text.ts';
import type { HistoryRequest } from '../../../core/history-request.ts';
import { atSeat, SEAT_ENTRIES } from '../../../core/meta-at-seat.ts';
import { parseMetaCommand } from '../../../core/meta-command.ts';
import type { AtSeat, MetaCommand, MetaEntry, ThemeChoice } from '../../../core/meta-entry.ts';
import { toRequest } from '../../../core/meta-request.ts';
import type { Route } from '../../../core/router/route.ts';
import { AishError } from '../../../protocol/error.ts';
import type { Op } from '../../../protocol/op.ts';
import type { Privacy } from '../privacy.ts';

/** What is done with a line that was entered at another seat. */
export type AttachedLine =
  | { readonly type: 'nothing' | 'leave' | 'keyboard' }
  | { readonly type: 'help'; readonly topic: string | undefined }
  /** It waits for its turn, with the lines of all seats. */
  | { readonly type: 'in turn'; readonly op: Extract<Op, { type: 'run' | 'send' }> }
  | { readonly type: 'at once'; readonly op: Op }
  /** The owner says what it says. */
  | { readonly type: 'look'; readonly line: string }
  /** The person's own history, which every terminal of theirs has. */
  | { readonly type: 'history'; readonly request: HistoryRequest }
  | { readonly type: 'theme'; readonly theme: ThemeChoice | undefined };

/** The meta-commands that can be given at another seat. */
export const SEAT_COMMANDS: readonly MetaEntry[] = [
  ...SEAT_ENTRIES.map((entry) =>
    entry.name === 'quit' ? { ...entry, summary: 'leave this seat; the session goes on' } : entry,
  ),
  {
    name: 'keyboard',
    usage: '',
    summary: 'ask the owner for the keyboard, or give it back',
    required: 0,
    arguments: [],
    build: () => null,
  },
];

/** What to do in the place of what works only where the session is open. */
const INSTEAD: Readonly<Partial<Record<MetaCommand['name'], string>>> = {
  new: ':quit leaves this seat, and aish begins a session of your own',
  resume: ':quit leaves this seat, and aish --resume ID goes on with another session',
  demo: 'aish demo shows it in any shell',
  private: 'a blank before a command keeps that one private',
};

/** Said for `:help` at another seat. */
export function formatSeatHelp(topic: string | undefined, columns: number): string {
  if (topic !== undefined) {
    const text = formatHelp(topic, columns);
    if (text !== null) return text;
    throw new AishError('meta.unknown', `there is no command :${topic}`, { hint: ':help says what works here' });
  }
  return [
    'a line goes to the session: a command for its shell, or a message to the model; !LINE and ?TEXT say which',
    'history, completion, colours and keys are those of your own prompt; a blank before a command keeps it private',
    `${namesOf('request')} work here as they do there; :keyboard or Ctrl-] asks for the keyboard`,
    `${namesOf('look')} show here what they show there`,
    'Ctrl-C stops what runs, Ctrl-\\ stops all that the model does, :quit or Ctrl-D leaves; the session goes on',
  ].join('\n');
}

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
  if (atSeat(command) === 'look') return { type: 'look', line: text };
  switch (command.name) {
    case 'help':
      return { type: 'help', topic: command.topic };
    case 'history':
      return { type: 'history', request: command.request };
    case 'theme':
      return { type: 'theme', theme: command.theme };
    case 'halt':
    case 'undo':
    case 'redo':
    case 'compact':
    case 'rehearse':
    case 'name':
      return { type: 'at once', op: toRequest(command) };
    default:
      throw new AishError('meta.elsewhere', `${word} works only where the session is open`, {
        hint: INSTEAD[command.name] ?? 'type it there; :help says what works here',
      });
  }
}

function namesOf(use: AtSeat): string {
  const names = SEAT_ENTRIES.filter((entry) => entry.atSeat === use).map(({ name }) => `:${name}`);
  return [...new Set(names)].join(' ');
}
