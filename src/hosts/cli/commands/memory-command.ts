import { logPath, readLog } from '../../../adapters/store/event-log.ts';
import { MemoryStore } from '../../../adapters/store/memory-store.ts';
import { type GivenOptions, misuse, readArgs } from '../../../core/command-line/subcommand-args.ts';
import {
  createFact,
  type Fact,
  isFaded,
  isInScope,
  isLive,
  isProposed,
  isSameText,
  searchFacts,
  toFactText,
} from '../../../core/memory/facts.ts';
import { formatTable } from '../../../core/terminal/table.ts';
import { quoteText, wrapProse } from '../../../core/terminal/wrap.ts';
import { attempt } from '../../../core/text/attempt.ts';
import { escapeForDisplay, sanitizeLine } from '../../../core/text/sanitize.ts';
import { AishError } from '../../../protocol/error.ts';
import { type FactLine, LONGEST_FACT, type MarkLine, SCOPES } from '../../../protocol/memory.ts';
import type { Setup } from '../setup/setup.ts';
import type { OpenReview } from './mcp-command.ts';
import * as messages from './messages-extend.ts';

interface MemoryContext {
  readonly setup: Pick<Setup, 'paths' | 'env'>;
  readonly cwd: string;
  readonly redact: (text: string) => string;
  /** The session and the turn of a fact that the user adds; empty outside of a session. */
  readonly source: Pick<FactLine, 'session' | 'turn'>;
  readonly now: number;
}

/** The facts, and everything to change them with. */
interface OpenMemory extends MemoryContext {
  readonly store: MemoryStore;
  readonly facts: readonly Fact[];
}

/** Most sessions that are named for a forgotten fact. */
const MOST_SESSIONS = 20;

/** Carries out `aish memory`, `:memory` and `:remember`: returns the text to print, or the inbox with its question. */
export function runMemory(args: readonly string[], context: MemoryContext): string | OpenReview {
  const { setup, cwd } = context;
  const { action, words, options } = readArgs('memory', args);
  const store = new MemoryStore({ state: setup.paths.state, cwd, home: setup.env.HOME ?? '' });
  const memory: OpenMemory = { ...context, store, facts: store.read().facts };
  switch (action) {
    case 'list':
      return formatFacts(memory.facts.filter(isListed(memory)), memory) || messages.NO_FACTS;
    case 'search':
      return (
        formatFacts(searchFacts(memory.facts.filter(isListed(memory)), words.join(' ')), memory) || messages.NO_MATCH
      );
    case 'add':
      return add(words.join(' '), options, memory);
    case 'edit':
      return edit(words, options, memory);
    case 'forget':
      return forget(words, memory);
    case 'inbox':
      return openInbox(memory);
  }
}

function isListed({ now }: OpenMemory): (fact: Fact) => boolean {
  return (fact) => isLive(fact, now);
}

function formatFacts(facts: readonly Fact[], memory: OpenMemory): string {
  const rows = facts.map((fact) => {
    const notes = notesOf(fact, memory);
    const text = sanitizeLine(notes.length === 0 ? fact.text : `${fact.text} (${notes.join('; ')})`);
    return [fact.id, sanitizeLine(messages.formatScope(fact.scope, fact.place)), text];
  });
  return formatTable(rows);
}

function notesOf(fact: Fact, { facts, now }: OpenMemory): readonly string[] {
  const { uses, expires, untrusted } = fact;
  const older = facts.find((one) => one.id === fact.supersedes && isLive(one, now));
  const last = uses.at(-1)?.at;
  return [
    ...(last === undefined ? [] : [messages.formatUseCount(uses.length, toDay(last))]),
    ...(expires === undefined ? [] : [messages.formatExpires(toDay(expires))]),
    ...(older === undefined ? [] : [messages.formatMayReplace(older.id)]),
    ...(untrusted === undefined ? [] : [messages.FROM_UNTRUSTED]),
    ...(isFaded(fact, now) ? [messages.FADED] : []),
  ];
}

function add(typed: string, options: GivenOptions, memory: OpenMemory): string {
  const { store, facts, now, source } = memory;
  const text = readText(typed, memory);
  const scope = readScope(options) ?? (store.place.project === null ? 'directory' : 'project');
  const fact = { text, scope, by: 'user', confirmed: now, ...source, ...readExpiry(options, now) } as const;
  const line = createFact(fact, { facts, place: store.place, now });
  const known = facts.find(
    (one) => isLive(one, now) && isSameText(one.text, text) && one.scope === scope && one.place === line.place,
  );
  if (known !== undefined) {
    store.append([{ mark: 'confirmed', of: [known.id], at: now }]);
    return messages.formatKnown(known.id);
  }
  const id = keep(line, [], memory);
  const older = facts.find((one) => one.id === line.supersedes);
  return [
    messages.formatKept(id, sanitizeLine(messages.formatScope(line.scope, line.place))),
    ...(text === toFactText(typed) ? [] : [messages.HAD_SECRET]),
    ...(older === undefined ? [] : [messages.formatContradiction(older.id, sanitizeLine(older.text))]),
  ].join('\n');
}

function edit([id = '', ...words]: readonly string[], options: GivenOptions, memory: OpenMemory): string {
  const { store, facts, now, source } = memory;
  const old = findFact(id, memory);
  const scope = readScope(options);
  const fact = {
    text: readText(words.join(' '), memory),
    scope: scope ?? old.scope,
    by: 'user',
    confirmed: now,
    untrusted: old.untrusted,
  } as const;
  const others = facts.filter((one) => one !== old);
  const line = createFact(
    { ...fact, ...source, ...readExpiry(options, now) },
    { facts: others, place: store.place, now },
  );
  const placed = scope === undefined ? { ...line, place: old.place } : line;
  return messages.formatEdited(keep(placed, [toWithdrawn([old.id], now)], memory), old.id);
}

/** Appends a fact, and returns its number. */
function keep(line: FactLine, marks: readonly MarkLine[], { store }: OpenMemory): string {
  store.append([line, ...marks]);
  const kept = store.read().facts.findLast(({ text, at }) => text === line.text && at === line.at);
  return kept?.id ?? '';
}

function readText(typed: string, { redact }: OpenMemory): string {
  const text = toFactText(redact(typed));
  if (text === '') throw misuse('memory');
  if (text.length <= LONGEST_FACT) return text;
  throw new AishError('usage', messages.formatTooLong(text.length, LONGEST_FACT), { hint: messages.SHORTER_HINT });
}

function readScope(options: GivenOptions): Fact['scope'] | undefined {
  const [scope, other] = SCOPES.filter((one) => options.has(`--${one}`));
  if (other !== undefined) throw misuse('memory', messages.ONE_SCOPE);
  return scope;
}

function readExpiry(options: GivenOptions, now: number): Pick<FactLine, 'expires'> {
  const age = options.age('--for');
  return age === undefined ? {} : { expires: now + age };
}

function findFact(id: string, { facts }: OpenMemory): Fact {
  const found = facts.find((fact) => fact.id === id && fact.withdrawn === undefined);
  if (found !== undefined) return found;
  throw new AishError('memory.unknown', messages.formatNoFact(id), { hint: messages.LISTS_FACTS });
}

function toWithdrawn(of: readonly string[], at: number): MarkLine {
  return { mark: 'withdrawn', of, at };
}

function forget(ids: readonly string[], memory: OpenMemory): string {
  const found = ids.map((id) => findFact(id, memory));
  memory.store.append([toWithdrawn(ids, memory.now)]);
  return found.flatMap((fact) => describeForgotten(fact, memory.setup.paths.state)).join('\n');
}

/** A forgotten fact with the sessions and turns that had it, newest first. */
function describeForgotten({ id, text, uses }: Fact, state: string): readonly string[] {
  const shown = uses.slice(-MOST_SESSIONS).reverse();
  const left = uses.length - shown.length;
  return [
    messages.formatForgotten(id, sanitizeLine(text)),
    ...(id.startsWith('p') ? [messages.STILL_IN_PROJECT] : []),
    ...(uses.length === 0 ? [messages.NEVER_SENT] : []),
    ...shown.map(({ session, turn }) =>
      messages.formatInfluenced(sanitizeLine(session), describeTurns(state, session, turn)),
    ),
    ...(left === 0 ? [] : [messages.formatMoreSessions(left)]),
  ];
}

function describeTurns(state: string, session: string, first: number): string {
  const recorded = attempt(() => readLog(logPath(state, session)), null);
  if (recorded === null) return messages.formatTurnsOn(first);
  const turns = recorded.flatMap(({ event }) => (event.type === 'turn.started' ? [event.turn] : []));
  return messages.formatTurns(first, Math.max(first, ...turns.slice(-1)));
}

/** The proposals and the facts that nothing used for long; the user keeps or declines them. */
function openInbox(memory: OpenMemory): string | OpenReview {
  const { facts, now, store } = memory;
  const open = facts.filter((fact) => isProposed(fact) || (isFaded(fact, now) && isInScope(fact, store.place)));
  if (open.length === 0) return messages.INBOX_EMPTY;
  return {
    alias: 'memory',
    show: (columns) => open.flatMap((fact) => describeOpen(fact, facts, columns)).join('\n'),
    question: messages.INBOX_QUESTION,
    answer: (text) => takeAnswer(text, open, memory),
  };
}

/** A proposal as a diff: the new fact, and the known one that it may contradict. */
function describeOpen(fact: Fact, facts: readonly Fact[], columns: number): readonly string[] {
  const { id, text, scope, place, session, turn, untrusted, uses, confirmed } = fact;
  const quote = (sign: string, words: string): readonly string[] =>
    quoteText(escapeForDisplay(words), columns, sign, '  ¦ ');
  const explain = (words: string): readonly string[] => wrapProse(escapeForDisplay(words), columns, '    ');
  if (confirmed !== undefined) {
    const day = toDay(Math.max(confirmed, uses.at(-1)?.at ?? 0));
    return [...quote(`? ${id}: `, text), ...explain(messages.formatUnused(day))];
  }
  const older = facts.find((one) => one.id === fact.supersedes && one.withdrawn === undefined);
  return [
    ...(older === undefined ? [] : [...quote(`  ${older.id}: `, older.text), ...explain(messages.STAYS)]),
    ...quote(`+ ${id}: `, text),
    ...explain(`${messages.formatScope(scope, place)}; ${messages.formatProposedIn(session ?? '', turn ?? 0)}`),
    ...(untrusted === undefined ? [] : explain(messages.formatReadBefore(untrusted))),
  ];
}

function takeAnswer(text: string, open: readonly Fact[], { store, now }: OpenMemory): string {
  const words = text
    .trim()
    .toLowerCase()
    .split(/[\s,]+/);
  const ids = open.map(({ id }) => id);
  if (words.join(' ') === 'no') {
    store.append([toWithdrawn(ids, now)]);
    return messages.DECLINED;
  }
  const kept = words.join(' ') === 'yes' ? ids : words;
  if (!kept.every((id) => ids.includes(id))) return messages.INBOX_UNCHANGED;
  store.append([{ mark: 'confirmed', of: kept, at: now }]);
  return messages.formatAccepted(kept);
}

function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
