import type { AttachedFile } from '../../protocol/attachment.ts';
import type { BlastRadius } from '../../protocol/blast-radius.ts';
import type { ErrorFact } from '../../protocol/error.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { RequestFrame } from '../../protocol/request-frame.ts';
import type { CallTaint } from '../../protocol/taint.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { concealRecord } from '../secrets/conceal-record.ts';
import { concealCompaction } from './conceal-compaction.ts';
import { concealApplied, concealRehearsal } from './conceal-rehearsal.ts';
import { concealQuestion, concealReport } from './conceal-restore.ts';

/** How secrets are taken out of a text. */
export interface Cover {
  /** What is known to be secret, and what looks like it: for text that is only read. */
  readonly text: (text: string) => string;
  /** Only what is known: for text that means something to a program, such as the arguments of a call. */
  readonly known: (text: string) => string;
}

/** A fact without the secrets in it; ids, directories and pictures are left as they are. What streams was covered as it came. */
export function concealEvent(event: SessionEvent, cover: Cover): SessionEvent {
  switch (event.type) {
    case 'session.created':
    case 'session.forked':
    case 'settings.changed':
    case 'turn.stop-requested':
    case 'taint.lifted':
    // Made of what was covered before.
    case 'session.halted':
    case 'halt.completed':
    case 'context.window':
    case 'request.sent':
    case 'tool-call.started':
    case 'restore.started':
    case 'restore.resolved':
    case 'restore.dropped':
    case 'rehearsal.applying':
    case 'rehearsal.dropped':
    case 'text.delta':
    case 'reasoning.delta':
      return event;
    case 'history.imported':
      return { ...event, messages: event.messages.map((message) => ({ ...message, text: cover.text(message.text) })) };
    case 'turn.started':
    case 'step.completed':
    case 'turn.ended':
    case 'approval.requested':
    case 'approval.decided':
      return concealTurn(event, cover);
    case 'turn.tainted':
      return { ...event, sources: event.sources.map((source) => ({ ...source, name: cover.known(source.name) })) };
    case 'checkpoint.created':
    case 'checkpoint.sealed':
    case 'checkpoint.skipped':
    case 'restore.asked':
    case 'restore.completed':
      return concealUndo(event, cover);
    case 'tool-call.completed':
    case 'command.started':
    case 'command.completed':
    case 'session.resumed':
      return concealRun(event, cover);
    case 'rehearsal.started':
    case 'rehearsal.completed':
    case 'rehearsal.applied':
      return concealTried(event, cover);
    case 'call.measured':
      return { ...event, blast: concealBlast(event.blast, cover) };
    case 'context.compacted':
    case 'compaction.started':
    case 'compaction.failed':
      return concealCompaction(event, cover.text);
    case 'request.framed':
      return { ...event, frame: concealFrame(event.frame, cover) };
    case 'session.named':
    case 'tool-call.delta':
      return { ...event, name: (event.type === 'session.named' ? cover.text : cover.known)(event.name) };
    case 'op.rejected':
      return { ...event, error: concealError(event.error, cover) };
    case 'notice':
      return { ...event, text: cover.text(event.text) };
  }
}

type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>;

function concealUndo(
  event: EventOf<`checkpoint.${'created' | 'sealed' | 'skipped'}` | 'restore.asked' | 'restore.completed'>,
  cover: Cover,
): SessionEvent {
  switch (event.type) {
    case 'checkpoint.created':
      return { ...event, checkpoint: { ...event.checkpoint, label: cover.text(event.checkpoint.label) } };
    case 'checkpoint.sealed':
      return withError(event, cover);
    case 'checkpoint.skipped':
      return { ...event, why: cover.text(event.why) };
    case 'restore.asked':
      return { ...event, question: concealQuestion(event.question, cover) };
    case 'restore.completed':
      return concealRestore(event, cover);
  }
}

function concealTried(event: EventOf<`rehearsal.${'started' | 'completed' | 'applied'}`>, cover: Cover): SessionEvent {
  if (event.type === 'rehearsal.started') return { ...event, line: cover.known(event.line) };
  if (event.type === 'rehearsal.applied') return concealApplied(withError(event, cover), cover);
  const { report } = event;
  return withError(report === undefined ? event : { ...event, report: concealRehearsal(report, cover) }, cover);
}

function concealTurn(
  event: EventOf<'turn.started' | 'step.completed' | 'turn.ended' | 'approval.requested' | 'approval.decided'>,
  cover: Cover,
): SessionEvent {
  switch (event.type) {
    case 'turn.started': {
      const { attachment, files } = event;
      return {
        ...event,
        text: cover.text(event.text),
        ...(attachment === undefined ? {} : { attachment: cover.text(attachment) }),
        ...(files === undefined ? {} : { files: files.map((file) => concealFile(file, cover)) }),
      };
    }
    case 'step.completed': {
      const { reasoning, calls } = event;
      return {
        ...event,
        text: cover.text(event.text),
        ...(reasoning === undefined ? {} : { reasoning: cover.text(reasoning) }),
        calls: calls.map((call) => concealCall(call, cover)),
      };
    }
    case 'turn.ended':
      return withError(event.text === undefined ? event : { ...event, text: cover.text(event.text) }, cover);
    case 'approval.requested':
      return { ...event, preview: concealPreview(event.preview, cover) };
    case 'approval.decided':
      return concealDecision(event, cover);
  }
}

/** What runs is what is recorded: an edited command and the rules that were made of one keep all but what is known. */
function concealDecision(event: EventOf<'approval.decided'>, { text, known }: Cover): SessionEvent {
  const { rule, reason, commands, command, preview } = event;
  return {
    ...event,
    ...(rule === undefined ? {} : { rule: known(rule) }),
    ...(reason === undefined ? {} : { reason: text(reason) }),
    ...(commands === undefined ? {} : { commands: commands.map(known) }),
    ...(command === undefined ? {} : { command: known(command) }),
    ...(preview === undefined ? {} : { preview: concealPreview(preview, { text, known }) }),
  };
}

function concealRun(
  event: EventOf<'tool-call.completed' | 'command.started' | 'command.completed' | 'session.resumed'>,
  { text }: Cover,
): SessionEvent {
  switch (event.type) {
    case 'session.resumed':
      return event.lost === undefined ? event : { ...event, lost: concealRecord(event.lost, text) };
    case 'command.started':
      return { ...event, line: text(event.line) };
    case 'command.completed':
      return { ...event, record: concealRecord(event.record, text) };
    case 'tool-call.completed': {
      const record = event.record === undefined ? {} : { record: concealRecord(event.record, text) };
      return { ...event, text: text(event.text), ...record };
    }
  }
}

function concealRestore(event: EventOf<'restore.completed'>, cover: Cover): SessionEvent {
  return withError(concealReport(event, cover), cover);
}

/** The model's own words about a call stay its own: a file it writes may hold what looks like a key and is none. */
function concealCall(call: ToolCall, cover: Cover): ToolCall {
  return {
    ...call,
    name: cover.known(call.name),
    arguments: concealObject(call.arguments, cover.known),
    ...(call.invalid === undefined ? {} : { invalid: cover.text(call.invalid) }),
  };
}

/** The question shows what would run, so what stands in the call is not taken for more than it is there. */
function concealPreview(preview: CallPreview, { text, known }: Cover): CallPreview {
  const { diff, problem, why, again, judged, taint } = preview;
  return {
    ...preview,
    ...(diff === undefined ? {} : { diff: known(diff) }),
    ...(problem === undefined ? {} : { problem: text(problem) }),
    ...(why === undefined ? {} : { why: text(why) }),
    ...(again === undefined ? {} : { again: text(again) }),
    ...(taint === undefined ? {} : { taint: concealTaint(taint, { text, known }) }),
    ...(judged === undefined ? {} : { judged: { ...judged, reasons: judged.reasons.map(known) } }),
  };
}

/** The name of a file may be a secret, and so may a part of the line that nobody can tell anything of. */
function concealBlast({ effects, hosts, unknown, notes, ...rest }: BlastRadius, { known }: Cover): BlastRadius {
  return {
    ...rest,
    effects: effects.map((effect) => ({ ...effect, samples: effect.samples.map(known) })),
    hosts: hosts.map(known),
    unknown: unknown.map(known),
    notes: notes.map(known),
  };
}

/** An older log may hold what is known to be secret only now. */
function concealFrame(frame: RequestFrame, { text, known }: Cover): RequestFrame {
  const tools = frame.tools.map((tool) => ({
    ...tool,
    description: text(tool.description),
    parameters: concealObject(tool.parameters, known),
  }));
  return { ...frame, system: text(frame.system), tools };
}

function concealTaint(taint: CallTaint, { text, known }: Cover): CallTaint {
  const sources = taint.sources.map((source) => ({ ...source, name: known(source.name) }));
  return { ...taint, sources, reach: text(taint.reach) };
}

function concealFile(file: AttachedFile, cover: Cover): AttachedFile {
  return file.type === 'image' ? file : { ...file, text: cover.text(file.text) };
}

function concealError({ code, message, hint }: ErrorFact, { text }: Cover): ErrorFact {
  return { code, message: text(message), ...(hint === undefined ? {} : { hint: text(hint) }) };
}

function withError<T extends { readonly error?: ErrorFact }>(event: T, cover: Cover): T {
  return event.error === undefined ? event : { ...event, error: concealError(event.error, cover) };
}

/** An object with every text in it covered, names of keys too. */
export function concealObject(value: JsonObject, conceal: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [conceal(key), concealJson(one, conceal)]));
}

function concealJson(value: Json, conceal: (text: string) => string): Json {
  if (typeof value === 'string') return conceal(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((one) => concealJson(one, conceal));
  return concealObject(value, conceal);
}

function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}
