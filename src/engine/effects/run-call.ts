import type { CallOptions, ElicitationAnswer, Progress } from '../../adapters/mcp/server-event.ts';
import { nextTurn } from '../../adapters/system/patience.ts';
import { formatExcerpt } from '../../core/context/output-excerpt.ts';
import { PLAN_TOOL_NAME } from '../../core/contract/contract-run.ts';
import { EXPLORE_TOOL } from '../../core/explore/explorer.ts';
import { findFormProblem, readForm } from '../../core/form/form.ts';
import { isCommand } from '../../core/policy/policy.ts';
import { namesNotAllowed, namingText, tellWithheld } from '../../core/secrets/file-placeholders.ts';
import { askedForm } from '../../core/session/state.ts';
import { truncateMiddle } from '../../core/text/truncate.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { Form, FormAnswer } from '../../protocol/form.ts';
import { type JsonObject, omitUndefined } from '../../protocol/json.ts';
import type { ToolCall, ToolResult } from '../../protocol/tool.ts';
import { commandOf } from '../policy/command-gate.ts';
import { taintFactsOfCall, taintOfReading } from '../taint/note-taint.ts';
import { toTaintFacts } from '../taint/request-taint.ts';
import { formatExecResult } from '../tools/toolbox.ts';
import { noteWrite } from './checkpoints.ts';
import { decideByRules } from './decide-call.ts';
import { applyForCall } from './dry-run.ts';
import {
  appliedFor,
  type EffectContext,
  type EffectDeps,
  type EffectOf,
  previewOf,
  withEdit,
} from './effect-context.ts';
import { lazy } from './lazy.ts';
import { formatNewSecrets, formatSandboxBlocked } from './messages.ts';
import type { Sampler } from './sampler.ts';
import { roomForResult } from './watch-context.ts';

/** The least time between two reports of progress. */
const PROGRESS_MS = 200;

/** While a command is so quick, hardly anything else changes. */
const QUICK_MS = 50;

/** Runs a call that was allowed, where it was allowed to. */
export async function runTool({ call }: EffectOf<'run-tool'>, context: EffectContext, deps: EffectDeps): Promise<void> {
  const dryRun = appliedFor(call, context.state());
  if (dryRun !== null) {
    noteWrite(call, undefined, context, deps);
    return applyForCall(call, dryRun, context, deps);
  }
  if (isCommand(call)) await deps.sharedShell.start();
  const { revealed, moved } = await lookAgain(call, context, deps);
  if (moved !== null) await decideByRules(call, context, deps, { again: moved });
  const looking = deps.lookAhead(namingText(revealed.call));
  if (looking !== null) await looking;
  // The user cancelled it meanwhile; or it needs another approval or a checkpoint, or a rule denies it.
  if (context.signal.aborted) return;
  const preview = previewOf(call.id, context.state());
  noteWrite(call, preview?.path, context, deps);
  if (preview?.decided?.autoRun === true || preview?.sandboxed === true) return runInSandbox(call, context, deps);
  if (context.state().contractRun && (isCommand(call) || call.name === PLAN_TOOL_NAME))
    return (await import('./contract.ts')).runByContract(call, context, deps);
  context.record({ type: 'tool-call.started', callId: call.id });
  if (call.name === EXPLORE_TOOL.name) return (await import('./explore.ts')).explore(call, context, deps);
  const withheld = isCommand(call) ? await deps.injector.withheldFrom(revealed.secrets) : [];
  let sampler: Sampler | null = null;
  const result = await deps.toolbox.run(revealed.call, preview, context.signal, {
    shown: call,
    withheld,
    onProgress: reportProgress(call, context),
    onElicitation: askForms(call, context),
    onSampling: async (request, signal) => {
      const { Sampler } = await import('./sampler.ts');
      sampler ??= new Sampler(call.id, context, deps);
      return sampler.answer(request, signal);
    },
  });
  const budget = await roomForResult(result.record?.bytes ?? result.text.length, context, deps);
  const { isError } = result;
  const tainted = await taintFactsOfCall(call, preview, context.state(), { ...deps, record: result.record, isError });
  // The call may have made a secret, or have gone to a place with others. Secrets must be redacted before the text is cut, or half of one
  // is left.
  await deps.lookForSecrets(namingText(revealed.call));
  const record = result.record === undefined ? undefined : deps.secrets.redactRecord(result.record);
  const output = record === undefined ? await keepLong(call, result, budget, deps) : undefined;
  const text =
    record === undefined
      ? formatText(deps.secrets.redact(result.text), output, budget)
      : formatExecResult(record, budget) + tellWithheld(record, withheld, revealed.secrets, preview?.decided?.class);
  context.record(...tainted, {
    type: 'tool-call.completed',
    callId: call.id,
    text: withEdit(call, context, text),
    isError,
    ...omitUndefined({ record, output, images: result.images }),
  });
}

/** Announces how far a call is, a few times a second: some servers report every byte. */
function reportProgress({ id, name }: ToolCall, { record, state }: EffectContext) {
  let due = 0;
  return ({ progress, total, message }: Progress): void => {
    // Nothing is drawn over an open form.
    if (performance.now() < due || askedForm(state()) !== null) return;
    due = performance.now() + PROGRESS_MS;
    record({ type: 'tool-call.progress', callId: id, name, done: progress, ...omitUndefined({ total, message }) });
  };
}

/** The result of a server's tool under a handle, if it is longer than the model gets. */
async function keepLong(call: ToolCall, result: ToolResult, budget: number, deps: EffectDeps) {
  if (result.text.length <= budget || call.name.startsWith('aish.')) return undefined;
  const { keepText } = await lazy.serverResults();
  const { outputs, secrets, sharedShell } = deps;
  return secrets.redactRecord(await keepText(call, result, { outputs, cwd: sharedShell.cwd }));
}

function formatText(text: string, output: CommandRecord | undefined, budget: number): string {
  if (text === '') return '(no output)';
  return output === undefined ? truncateMiddle(text, budget) : formatExcerpt(output, budget);
}

/** The call with its secrets, and what changed since its approval: its directory, its meaning or its secrets. */
async function lookAgain(call: ToolCall, context: EffectContext, deps: EffectDeps) {
  const preview = previewOf(call.id, context.state());
  // The shell's startup files may set secrets.
  if (isCommand(call) && preview?.decided?.autoRun !== true) await deps.sharedShell.shell?.atRest();
  const revealed = await deps.injector.look(call);
  const moved = await deps.toolbox.whatMoved(call, preview, deps.gate);
  if (moved !== null) return { revealed, moved };
  const names = namesNotAllowed(revealed.secrets, preview?.secrets);
  if (revealed.problem !== null) return { revealed, moved: revealed.problem };
  return { revealed, moved: names.length === 0 ? null : formatNewSecrets(names) };
}

/** Runs a command in the sandbox, which limits it to its class. If the sandbox blocks it, aish asks once to run it in the shell. */
async function runInSandbox(call: ToolCall, context: EffectContext, deps: EffectDeps): Promise<void> {
  const callId = call.id;
  context.record({ type: 'tool-call.started', callId, sandboxed: true });
  const preview = previewOf(callId, context.state());
  const kind = preview?.decided?.class ?? 'unparseable';
  const line = commandOf(call);
  const handed = await deps.injector.forSandbox(line, preview?.secrets ?? []);
  const command = { line, kind, ...(await deps.gate.classify(line)), handed };
  if (context.signal.aborted) return;
  const begunAt = performance.now();
  const running = deps.sandbox.run(command, context.signal);
  // While the command runs, as it can change nothing. Others can, so a command that takes longer is looked at behind its end.
  const reading =
    preview?.decided?.autoRun === true
      ? nextTurn().then(() => taintOfReading(call, preview, context.state(), deps))
      : null;
  reading?.catch(() => {});
  const { record: ran, blocked } = await running;
  if (context.signal.aborted) return;
  if (ran === null || blocked !== null)
    return decideByRules(call, context, deps, { again: formatSandboxBlocked(blocked), isBlocked: true });
  // Only now: what another program has made a secret of meanwhile may be in the output.
  await deps.lookForSecrets(namingText(call));
  const record = deps.secrets.redactRecord(ran);
  const text = formatExecResult(record, await roomForResult(record.bytes, context, deps));
  const tainted =
    reading === null || performance.now() - begunAt > QUICK_MS
      ? await taintFactsOfCall(call, preview, context.state(), deps)
      : toTaintFacts(context.state(), await reading);
  context.record(...tainted, {
    type: 'tool-call.completed',
    callId,
    text: withEdit(call, context, text),
    isError: false,
    record,
  });
}

/** Puts the requests of a call's server before the user, one after the other. aish declines what its forms do not have. */
function askForms(call: ToolCall, context: EffectContext): NonNullable<CallOptions['onElicitation']> {
  let asked = 0;
  let last: Promise<unknown> = Promise.resolve();
  return (request, signal) => {
    const form = readForm(request);
    if (form === null) return Promise.resolve({ action: 'decline' });
    asked += 1;
    const id = `${call.id}.${asked}`;
    const answer = last.then(async () => {
      const ended = AbortSignal.any([signal, context.signal]);
      if (ended.aborted) return { action: 'cancel' } as const;
      const answering = awaitAnswer({ id, form }, call, ended, context);
      context.record({ type: 'form.requested', form: id, callId: call.id, request: form });
      return toElicitationAnswer(await answering);
    });
    last = answer;
    return answer;
  };
}

function awaitAnswer(
  { id, form }: { readonly id: string; readonly form: Form },
  { id: callId }: ToolCall,
  signal: AbortSignal,
  context: EffectContext,
): Promise<FormAnswer> {
  return new Promise((resolve) => {
    const check = (answer: FormAnswer): string | null =>
      answer.action === 'accept' ? findFormProblem(form, answer.values) : null;
    const end = (answer: FormAnswer): void => {
      forget();
      signal.removeEventListener('abort', withdraw);
      resolve(answer);
    };
    const withdraw = (): void => {
      context.record({ type: 'form.answered', form: id, callId, action: 'cancel', by: 'server' });
      end({ action: 'cancel' });
    };
    const forget = context.onFormAnswer(id, { check, take: end });
    signal.addEventListener('abort', withdraw, { once: true });
  });
}

function toElicitationAnswer(answer: FormAnswer): ElicitationAnswer {
  if (answer.action !== 'accept') return { action: answer.action };
  const content: Record<string, JsonObject[string]> = {};
  for (const [name, value] of Object.entries(answer.values))
    content[name] = typeof value === 'object' ? [...value] : value;
  return { action: 'accept', content };
}
