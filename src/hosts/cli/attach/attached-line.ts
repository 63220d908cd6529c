import type { HttpSessionClient } from '../../../adapters/daemon/http-client.ts';
import { isExecutable } from '../../../adapters/system/executable.ts';
import { parseMetaCommand } from '../../../core/meta-command.ts';
import type { Route } from '../../../core/router/route.ts';
import { routeLine } from '../../../core/router.ts';
import { AishError } from '../../../protocol/error.ts';
import type { Op } from '../../../protocol/op.ts';

/** What is done with a line that was entered at another seat. */
export type AttachedLine =
  | { readonly type: 'nothing' | 'leave' | 'help' | 'keyboard' }
  /** It waits for its turn, with the lines of all seats. */
  | { readonly type: 'in turn'; readonly op: Extract<Op, { type: 'run' | 'send' }> }
  | { readonly type: 'at once'; readonly op: Op };

/** What is known of the place a line is entered at. */
export interface AttachedPlace {
  readonly client: Pick<HttpSessionClient, 'knownWords'>;
  readonly shell: 'bash' | 'zsh';
  readonly path: string;
}

/** Said for `:help` at another seat. */
export const ATTACHED_HELP = [
  'a line goes to the session: a command for its shell, or a message to the model; !LINE and ?TEXT say which',
  ':halt :undo :redo :compact :rehearse :name work here as they do there; :keyboard or Ctrl-] asks for the keyboard',
  'Ctrl-C stops what runs, Ctrl-\\ stops all that the model does, :quit or Ctrl-D leaves; the session goes on',
].join('\n');

/** Reads a line that was entered at another seat. Throws for what cannot be done there. */
export async function readAttachedLine(line: string, place: AttachedPlace): Promise<AttachedLine> {
  const route = await routeElsewhere(line, place);
  switch (route.type) {
    case 'nothing':
      return { type: 'nothing' };
    case 'command':
      return { type: 'in turn', op: { type: 'run', line: route.text } };
    case 'message':
      return { type: 'in turn', op: { type: 'send', text: route.text } };
    case 'meta':
      return readMeta(route.text);
  }
}

/** The session's shell is asked about words it alone can know; without one, this machine's programs count. */
async function routeElsewhere(line: string, { client, shell, path }: AttachedPlace): Promise<Route> {
  const asked = new Set<string>();
  const facts = { shell, knowsCall: () => false, hasFile: () => null, lastExit: 0 } as const;
  const guess = routeLine(line, {
    ...facts,
    knows: (word) => {
      asked.add(word);
      return false;
    },
  });
  if (asked.size === 0) return guess;
  const known = (await client.knownWords([...asked])) ?? (await programsAmong(asked, path));
  return routeLine(line, { ...facts, knows: (word) => known.has(word) });
}

async function programsAmong(words: ReadonlySet<string>, path: string): Promise<ReadonlySet<string>> {
  const folders = path.split(':').filter((folder) => folder.startsWith('/'));
  const found = await Promise.all(
    [...words].map(async (word) => {
      if (word.includes('/')) return [];
      for (const folder of folders) if (await isExecutable(`${folder}/${word}`)) return [word];
      return [];
    }),
  );
  return new Set(found.flat());
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
