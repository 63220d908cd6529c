import type { AppliedReport, ChangeReport, DryRunReport } from '../../protocol/change-report.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { ContractEvent } from '../../protocol/contract.ts';
import type { DurableEvent, EventOf, Recorded, SessionEvent, TurnEnd } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { CallPreview, GrantedSecret } from '../../protocol/tool.ts';
import { isContractEvent } from '../contract/contract-run.ts';
import { describeContractEvent } from '../contract/receipt.ts';
import { formatExplorerLine, formatFailedCall, formatReport } from '../explore/messages.ts';
import { describeEffect } from '../impact/effect-words.ts';
import { formatGivenUp } from '../meta/messages.ts';
import { formatUnexplained, listReasons } from '../policy/messages.ts';
import { GUARD_RULES } from '../policy/policy.ts';
import { formatCompaction } from '../session/context-state.ts';
import { findLostCommand } from '../session/lost-command.ts';
import { formatHalt, formatHaltReport } from '../session/messages-later.ts';
import { formatCallTaint, formatSources } from '../session/taint-state.ts';
import { nameSome } from '../text/truncate.ts';

/** One piece of a transcript, whatever it is written as. No text of it has been made fit for a screen. */
export type Block =
  | { readonly type: 'session'; readonly id: string; readonly cwd: string; readonly at: number }
  | {
      readonly type: 'message';
      readonly turn: number;
      readonly at: number;
      readonly text: string;
      /** aish itself wrote it, in an autonomous run. */
      readonly isOwn: boolean;
      readonly attached: readonly string[];
    }
  | { readonly type: 'answer'; readonly text: string; readonly model: string }
  | { readonly type: 'call'; readonly name: string; readonly arguments: JsonObject }
  | { readonly type: 'result'; readonly name: string; readonly text: string; readonly isError: boolean }
  | { readonly type: 'command'; readonly at: number; readonly record: CommandRecord }
  /** Something that happened, in a line or a few. */
  | { readonly type: 'note'; readonly lines: readonly string[] };

/** Events that make another block than a note. */
type Shown = 'session.created' | 'turn.started' | 'step.completed' | 'tool-call.completed' | 'command.completed' | 'explorer.event';

/** Facts that show in others, or that nobody reads: the end of something shows its start. */
type Unshown =
  | Exclude<SessionEvent, DurableEvent>['type']
  | 'turn.stop-requested'
  | 'context.window'
  | 'compaction.started'
  | `request.${'prefixed' | 'sent' | 'counted'}`
  | 'tool-call.started'
  | 'tool-call.sampled'
  | 'command.started'
  | `restore.${'started' | 'resolved'}`
  | `session.${'recalled' | 'summarized'}`
  | 'dry-run.applying';

type Noted = Exclude<SessionEvent['type'], Shown | Unshown | ContractEvent['type']>;

const ENDS: Readonly<Record<TurnEnd, string | null>> = {
  completed: null,
  interrupted: 'interrupted',
  halted: 'halted',
  failed: 'failed',
  'depth-limit': 'ended: too many rounds of tool calls',
  'step-limit': 'ended: the limit of model requests was reached',
  denied: 'ended: too many calls were denied',
  'repeated-failure': 'ended: the same call failed again and again',
  'repeated-call': 'ended: the same call was repeated without a change',
  budget: 'ended: a limit of [budget] was reached',
  contract: 'ended: the autonomous run ended, or had no step left',
};

/** A session as pieces to read, in the order in which they happened. */
export function toBlocks(recorded: readonly Recorded[]): readonly Block[] {
  const names = new Map<string, string>();
  const open = new OpenCommand();
  const blocks = recorded.flatMap((one) => {
    const { event, at } = one;
    if (event.type === 'step.completed') for (const call of event.calls) names.set(call.id, call.name);
    return [...open.take(one), ...toBlock(event, at, names)];
  });
  return recorded.length > 1 ? [...blocks, ...open.end()] : blocks;
}

/** The user's command without an end so far. */
class OpenCommand {
  #started: Recorded | null = null;

  /** The command as a block, if aish ended while it ran. */
  take(recorded: Recorded): readonly Block[] {
    const { event } = recorded;
    const lost = event.type === 'session.resumed' ? (event.lost ?? this.#record()) : null;
    const at = this.#started?.at ?? recorded.at;
    if (event.type === 'command.started') this.#started = recorded;
    else if (event.type === 'command.completed' || event.type === 'session.resumed') this.#started = null;
    return lost === null ? [] : [{ type: 'command', at, record: lost }];
  }

  /** A log does not show whether the command is still running. */
  end(): readonly Block[] {
    const record = this.#record();
    return record === null
      ? []
      : note(`$ ${record.line}`, 'no end recorded: the command is still running, or aish was killed while it ran');
  }

  #record(): CommandRecord | null {
    return this.#started === null ? null : findLostCommand([this.#started], '');
  }
}

function toBlock(event: SessionEvent, at: number, names: ReadonlyMap<string, string>): readonly Block[] {
  switch (event.type) {
    case 'session.created':
      return [{ type: 'session', id: event.id, cwd: event.cwd, at }];
    case 'turn.started':
      return [
        { type: 'message', turn: event.turn, at, text: event.text, isOwn: event.contract !== undefined, attached: attachedTo(event) },
      ];
    case 'step.completed':
      return step(event);
    case 'tool-call.completed':
      return [
        { type: 'result', name: names.get(event.callId) ?? 'unknown', text: event.text, isError: event.isError },
        ...note(...(event.images ?? []).map(({ path, mime }) => `image ${path} (${mime})`)),
      ];
    case 'command.completed':
      return [{ type: 'command', at, record: event.record }];
    case 'explorer.event':
      return note(
        ...toBlock(event.event, at, names)
          .flatMap(toPlain)
          .map((line) => formatExplorerLine(event.explorer, line)),
      );
    default:
      return note(...toNote(event));
  }
}

/** A piece of an explorer's work. The results of its calls are in the log alone. */
function toPlain(block: Block): readonly string[] {
  switch (block.type) {
    case 'message':
      return [block.text];
    case 'answer':
      return formatReport(block.text).split('\n');
    case 'call':
      return [`${block.name} ${JSON.stringify(block.arguments)}`];
    case 'result':
      return block.isError ? [formatFailedCall(block.text.split('\n')[0] ?? '')] : [];
    case 'note':
      return block.lines;
    case 'session':
    case 'command':
      return [];
  }
}

function attachedTo({ attachment, files = [] }: EventOf<'turn.started'>): readonly string[] {
  const piped = attachment === undefined ? [] : [`piped input, ${attachment.length} characters`];
  return [...piped, ...files.map(({ path, about }) => `${path}, ${about}`)];
}

function step({ text, calls, model }: EventOf<'step.completed'>): readonly Block[] {
  const asked = calls.map((call): Block => ({ type: 'call', name: call.name, arguments: call.arguments }));
  return text.trim() === '' ? asked : [{ type: 'answer', text, model }, ...asked];
}

function note(...lines: readonly string[]): readonly Block[] {
  const shown = lines.filter((line) => line !== '');
  return shown.length === 0 ? [] : [{ type: 'note', lines: shown }];
}

/** The lines of each other event. One that is neither here nor named above does not compile. */
const NOTES: { readonly [T in Noted]: (event: SessionEvent & { readonly type: T }) => readonly string[] } = {
  'session.resumed': () => ['another process resumed the session'],
  'session.forked': (event) => ['to' in event ? `copied as session ${event.to}` : `began as a copy of session ${event.from}`],
  'session.named': ({ by, name }) => (by === 'user' ? [`named: ${name}`] : []),
  'settings.changed': ({ settings }) => [`settings: model ${settings.model ?? '(default)'}, approve ${settings.approve}`],
  'history.imported': ({ messages }) => messages.map(({ role, text }) => `earlier, ${role === 'user' ? 'the user' : 'the model'}: ${text}`),
  'turn.tainted': ({ sources }) => [`the model read untrusted content: ${formatSources(sources)}`],
  'taint.cleared': () => ['the user trusted the untrusted content'],
  'session.halted': (event) => [formatHalt(event)],
  'halt.completed': (event) => [formatHaltReport(event) ?? ''],
  'turn.ended': endOfTurn,
  'context.compacted': (event) => [formatCompaction(event)],
  'compaction.failed': (event) => [formatCompaction(event)],
  'approval.requested': ({ preview }) => describePreview(preview).map((fact, at) => (at === 0 ? `aish asked: ${fact}` : fact)),
  'approval.decided': (event) => [describeDecision(event), ...(event.preview === undefined ? [] : describePreview(event.preview))],
  'form.requested': (event) => [describeForm(event)],
  'form.answered': (event) => [describeForm(event)],
  'impact.estimated': ({ report }) => describeReport(report),
  'hook.added': ({ command, text }) => [`the hook ${command} added: ${text}`],
  'checkpoint.created': ({ again, checkpoint }) => (again === true ? [] : [`checkpoint ${checkpoint.id}`]),
  'checkpoint.finalized': ({ id, error }) => (error === undefined ? [] : [`checkpoint ${id} is incomplete: ${error.message}`]),
  'checkpoint.skipped': ({ why }) => [`no checkpoint: ${why}`],
  'dry-run.started': ({ number, line }) => [`dry run ${number}: ${line}`],
  'dry-run.completed': ({ report, error }) => (report === undefined ? [`no dry run: ${error?.message ?? ''}`] : dryRunResult(report)),
  'dry-run.discarded': ({ number }) => [`the user discarded dry run ${number}`],
  'dry-run.applied': ({ report, error }) => (report === undefined ? [`not applied: ${error?.message ?? ''}`] : applied(report)),
  'restore.conflicted': ({ prompt }) => prompt.conflicts.map(({ path, why }) => `aish asked about ${path}: ${why}`),
  'restore.abandoned': ({ part }) => [`the user cancelled the undo: ${formatGivenUp(part)}`],
  'restore.completed': restored,
};

function toNote(event: SessionEvent): readonly string[] {
  if (isContractEvent(event)) return describeContractEvent(event);
  return isNoted(event) ? describeEvent(event) : [];
}

function isNoted(event: SessionEvent): event is SessionEvent & { readonly type: Noted } {
  return Object.hasOwn(NOTES, event.type);
}

function describeEvent<T extends Noted>(event: SessionEvent & { readonly type: T }): readonly string[] {
  return NOTES[event.type](event);
}

function endOfTurn({ reason, text, error }: EventOf<'turn.ended'>): readonly string[] {
  const why = ENDS[reason];
  const end = error === undefined ? (why ?? '') : `${why ?? 'ended'}: ${error.message}`;
  return [...(text === undefined ? [] : [`the answer so far: ${text}`]), end];
}

function dryRunResult({ record, items, count, ...report }: DryRunReport): readonly string[] {
  const left = count - items.length;
  return [
    `dry run: exit ${record.exit ?? '?'}, ${count} ${count === 1 ? 'change' : 'changes'}`,
    ...items.map(
      ({ kind, path, from, about }) => `  ${kind} ${from === undefined ? '' : `${from} → `}${path}${about === '' ? '' : ` (${about})`}`,
    ),
    ...(left > 0 ? [`  and ${left} more`] : []),
    ...describeReport(report).map((line) => `  ${line}`),
  ];
}

function applied({ applied: done, left, conflicts }: AppliedReport): readonly string[] {
  return [
    `applied: ${done.length === 0 ? 'nothing' : nameSome(done, MOST_NAMED)}`,
    ...(left.length === 0 ? [] : [`not chosen: ${nameSome(left, MOST_NAMED)}`]),
    ...conflicts.map(({ path, why }) => `not applied: ${path}: ${why}`),
  ];
}

function restored({ checkpoint, direction, report, error }: EventOf<'restore.completed'>): readonly string[] {
  const what = `${direction ?? 'undo'} ${checkpoint ?? ''}`.trim();
  if (report === undefined) return [`${what}: ${error?.message ?? 'nothing changed'}`];
  return [
    `${what}: ${`restored ${report.restored.length === 0 ? 'nothing' : nameSome(report.restored, MOST_NAMED)}`}`,
    ...(report.kept === undefined || report.kept.length === 0 ? [] : [`kept: ${nameSome(report.kept, MOST_NAMED)}`]),
    ...report.refused.slice(0, MOST_NAMED).map(({ path, why }) => `not restored: ${path}: ${why}`),
    ...(report.refused.length > MOST_NAMED ? [`not restored: ${report.refused.length - MOST_NAMED} more`] : []),
  ];
}

/** Files that are named each; more are counted. */
const MOST_NAMED = 20;

/** Describes the content of a call's approval prompt, or the facts by which a rule decided: one fact each. */
function describePreview(preview: CallPreview): readonly string[] {
  const { decided, why, undoable, problem, again, hook, taint, secrets = [], sandboxed, path, linked, foreign } = preview;
  return [
    ...(decided === undefined ? [] : [[decided.class, listReasons(decided).join('; ')].filter((part) => part !== '').join(': ')]),
    ...(decided === undefined || decided.hardDenials.length === 0 ? [] : [`a built-in rule denies it: ${decided.hardDenials.join(', ')}`]),
    ...(path !== undefined && (linked || foreign) ? [`real path: ${path}${foreign ? ' (outside the project)' : ''}`] : []),
    ...(undoable ? [] : [`this cannot be undone${why === undefined ? '' : `: ${why}`}`]),
    ...(problem === undefined ? [] : [`this would fail: ${problem}`]),
    ...(taint === undefined ? [] : [formatCallTaint(taint)]),
    ...secrets.map(describeSecret),
    ...(sandboxed === true ? ['in the sandbox'] : []),
    ...(again === undefined ? [] : [`aish asked again: ${again}`]),
    ...(hook === undefined ? [] : [hook]),
  ];
}

function describeSecret({ name, to, rule, exported }: GrantedSecret): string {
  const how = exported === true ? 'the environment of ' : '';
  return `gives the secret ${name} to ${how}${to}${rule === undefined ? '' : ` (rule "${rule}")`}`;
}

/** Describes the question of a server and its answer, whose values no log has. */
function describeForm(event: EventOf<`form.${string}`>): string {
  if (event.type === 'form.requested') {
    const { server, message, url, fields } = event.request;
    const asked = url === undefined ? fields.map(({ title }) => title).join(', ') : url;
    return `the server ${server} asked the user: ${message} (${asked})`;
  }
  if (event.by === 'headless') return 'aish declined the form, because nobody could answer';
  if (event.by === 'server') return 'the server withdrew the form';
  return `the user ${FORM_ANSWERS[event.action]} the form`;
}

const FORM_ANSWERS = { accept: 'answered', decline: 'declined', cancel: 'cancelled' } as const;

/** Describes the decision about a call, its author, and its reason. */
function describeDecision(event: EventOf<'approval.decided'>): string {
  const { decision, by, rule, reason, commands, command } = event;
  if (decision === 'edit') return `the user changed the command to: ${command ?? ''}`;
  if (rule === GUARD_RULES.hook && reason !== undefined) return reason;
  const who = by === 'user' ? 'the user' : by === 'headless' ? 'default, because nobody could answer' : 'a rule';
  const done = decision === 'allow' ? 'allowed' : 'denied';
  const whose = rule === undefined ? `${done} by ${who}` : `${done} by ${by === 'user' ? 'the user, always for' : 'the rule'} "${rule}"`;
  const always = commands === undefined ? '' : `, always for ${commands.map((prefix) => `"${prefix} …"`).join(', ')}`;
  return `${whose}${always}${reason === undefined || reason === '' ? '' : `: ${reason}`}`;
}

/** Describes the changes that a call would have made, as its approval prompt or its dry run showed them. */
function describeReport({ effects, hosts, unknown, unexplained = [], notes, counting }: ChangeReport): readonly string[] {
  const lines = [
    ...effects.map((effect) => describeEffect(effect)),
    ...(hosts.length === 0 ? [] : [`would connect to ${hosts.join(', ')}`]),
    ...[...unexplained.map(formatUnexplained), ...unknown].map((one) => `unknown effect: ${one}`),
    ...notes,
    ...(counting === true ? ['the estimate is incomplete'] : []),
  ];
  return lines.length === 0 ? ['would change nothing'] : lines;
}
