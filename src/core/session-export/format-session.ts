/* A session as text for export, or the place in it around a hit. */
import type { CommandRecord } from '../../protocol/command.ts';
import type { Recorded } from '../../protocol/event.ts';
import { type JsonObject, toSafeJson } from '../../protocol/json.ts';
import { fold } from '../session/evolve.ts';
import { formatExit } from '../session/lost-command.ts';
import { formatSources } from '../session/taint-state.ts';
import { sanitizeLine, sanitizeText } from '../text/sanitize.ts';
import { truncateMiddle } from '../text/truncate.ts';
import type { Block } from './blocks.ts';

/** Most characters of one output; all of it is in the log, or in the file that the session keeps of it. */
const MOST_OUTPUT = 4000;
const MOST_TITLE = 80;

/** A session as a Markdown document. `formatTime` writes a time as the reader knows times. */
export function formatMarkdown(title: string, blocks: readonly Block[], formatTime: (at: number) => string): string {
  const parts = [`# ${inline(title)}`, ...blocks.map((block) => formatBlock(block, formatTime))].filter((part) => part !== '');
  return `${sanitizeText(parts.join('\n\n'))}\n`;
}

function formatBlock(block: Block, formatTime: (at: number) => string): string {
  switch (block.type) {
    case 'session':
      return `Session ${code(block.id)}, begun ${formatTime(block.at)} in ${code(block.cwd)}.`;
    case 'message':
      return formatMessage(block, formatTime(block.at));
    case 'answer':
      return block.text.trim();
    case 'call':
      return formatCall(block.name, block.arguments);
    case 'result':
      return block.text.trim() === '' ? '' : `${block.isError ? 'Error' : 'Result'}:\n\n${fence(block.text)}`;
    case 'command':
      return formatCommand(block.record);
    case 'note':
      return block.lines.map((line) => `- ${inline(line.trim())}`).join('\n');
  }
}

/** The heading of a turn of an autonomous run, whose message no user wrote. */
const OWN_MESSAGE = 'aish to the model';

function formatMessage({ turn, text, isOwn, attached }: Extract<Block, { type: 'message' }>, time: string): string {
  const [first = ''] = isOwn ? [OWN_MESSAGE] : text.trim().split('\n');
  const head = `## ${turn}. ${inline(cut(first))}`;
  const files = attached.map((file) => `- attached ${inline(file)}`).join('\n');
  const quoted = text.replaceAll(/^/gm, '> ');
  return [head, `*${time}*`, quoted, files].filter((part) => part !== '').join('\n\n');
}

/** A command is what is read first in a call that carries one. */
function formatCall(name: string, { command, ...others }: JsonObject): string {
  const isCommand = typeof command === 'string';
  const rest = isCommand ? others : { ...others, ...(command === undefined ? {} : { command }) };
  const parts = [
    `Call of ${code(name)}:`,
    ...(isCommand ? [fence(command, 'sh')] : []),
    ...(Object.keys(rest).length === 0 ? [] : [fence(JSON.stringify(rest, null, 2), 'json')]),
  ];
  return parts.join('\n\n');
}

function formatCommand(record: CommandRecord): string {
  if (record.private === true) return 'A private command.';
  const exit = record.exit === 0 ? [] : [`- ${formatExit(record)}`];
  const output = record.output.trim() === '' ? [] : [fence(record.output)];
  return [fence(record.line, 'sh'), ...output, ...exit].join('\n\n');
}

function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${truncateMiddle(text.replace(/(?<!\n)\n+$/, ''), MOST_OUTPUT)}\n${ticks}`;
}

function code(text: string): string {
  const line = sanitizeLine(text);
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``;
}

/** Untrusted content inside a line: nothing of it may begin a heading, a link or a page's markup. */
function inline(text: string): string {
  return sanitizeLine(text).replaceAll(/[\\`*_[\]<>#]/g, (mark) => `\\${mark}`);
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= MOST_TITLE ? text : `${characters.slice(0, MOST_TITLE - 1).join('')}…`;
}

/** A session as plain text: messages, commands, approvals and answers. */
export function formatPlain(blocks: readonly Block[]): string {
  return sanitizeText(blocks.flatMap(formatPlainBlock).join('\n')).trim();
}

function formatPlainBlock(block: Block): readonly string[] {
  switch (block.type) {
    case 'session':
      return [];
    case 'message':
      if (block.isOwn) return [`\n  ${OWN_MESSAGE}:`, block.text.replaceAll(/^/gm, '  | ')];
      return [`\n> ${block.text}`, ...block.attached.map((file) => `  attached ${file}`)];
    case 'answer':
      return [block.text];
    case 'call':
      return [`  ${block.name} ${JSON.stringify(block.arguments)}`];
    case 'result':
      return [block.text.replace(/\n$/, '').replaceAll(/^/gm, '  | ')];
    case 'command':
      return formatPlainCommand(block.record);
    case 'note':
      return block.lines.map((line) => `  ${line}`);
  }
}

function formatPlainCommand(record: CommandRecord): readonly string[] {
  if (record.private === true) return ['\n$ (a private command)'];
  const output = record.output.trimEnd();
  return [`\n$ ${record.line}`, ...(output === '' ? [] : [output]), `  ${formatExit(record)}`];
}

/** A session's facts, one JSON object a line: reading them gives the facts as they were. */
export function formatJsonLines(recorded: readonly Recorded[]): string {
  return recorded.map((one) => `${toSafeJson(one)}\n`).join('');
}

/** Most events of a place on either side of the hit: a session of commands alone is one long turn. */
const MOST_EVENTS = 100;
/** Most untrusted sources that a place names. */
const MOST_SOURCES = 8;

/** A turn of a session, from its message to the next, or the part of it around a hit. */
export interface SessionPlace {
  /** 0 before the first message. */
  readonly turn: number;
  readonly at: number;
  /** The directory at the hit. */
  readonly cwd: string;
  readonly recorded: readonly Recorded[];
  /** The untrusted content that may be in it: all that the model had read by then, and commands whose sources are not known yet. */
  readonly untrusted: readonly string[];
}

/** The place around the event with this number; null if the log has none. */
export function findPlace(recorded: readonly Recorded[], seq: number): SessionPlace | null {
  const hit = recorded.findIndex((one) => one.seq === seq);
  const found = recorded[hit];
  if (found === undefined) return null;
  const isStart = ({ event }: Recorded): boolean => event.type === 'turn.started';
  const start = recorded.findLastIndex((one, at) => at <= hit && isStart(one));
  const next = recorded.findIndex((one, at) => at > hit && isStart(one));
  const from = Math.max(start, hit - MOST_EVENTS, 0);
  const to = Math.min(next === -1 ? recorded.length : next, hit + MOST_EVENTS + 1);
  let [seen, cwd, turn] = [0, '', 0];
  const { taint } = fold(
    recorded.slice(0, to).map(({ event }) => event),
    (state) => {
      if (seen < hit) cwd = state.cwd;
      if (seen === hit) turn = state.turns;
      seen += 1;
    },
  );
  const names = [...taint.sources.map((one) => formatSources([one])), ...taint.unread.map(({ line }) => `\`${line}\``)];
  return { turn, at: found.at, cwd, recorded: recorded.slice(from, to), untrusted: names.slice(0, MOST_SOURCES) };
}
