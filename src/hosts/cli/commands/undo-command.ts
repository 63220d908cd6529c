import { isTerminal } from '../../../adapters/system/system-calls.ts';
import { misuse, readArgs } from '../../../core/command-line/subcommand-args.ts';
import { formatFewer, formatGivenUp } from '../../../core/meta/messages.ts';
import { parseUndoRequest, type UndoRequest } from '../../../core/meta/meta-arguments.ts';
import type {
  RestoreChoice,
  RestoreChoices,
  RestoreDirection,
  RestorePlan,
  RestorePrompt,
} from '../../../protocol/checkpoint.ts';
import { AishError } from '../../../protocol/error.ts';
import { choiceOf, formatRestore, formatUndoHead, formatUndoPath, type UndoKey } from '../screen/undo.ts';
import { askAtTerminal, type StartContext, screenOf } from '../setup/output-terminal.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import { retentionOf } from './checkpoints-command.ts';
import * as messages from './messages.ts';

/** Options that choose for every edited file. */
const OPTIONS: Readonly<Record<string, RestoreChoice>> = { '--keep': 'mine', '--take': 'theirs', '--merge': 'merged' };

/** `aish undo` and `aish redo`. The exit status is 1 if there was nothing to do, or if a file was left alone. */
export async function runUndo(
  direction: RestoreDirection,
  args: readonly string[],
  context: StartContext,
): Promise<number> {
  const { request, choice, apart } = readRequest(direction, args);
  const { steps = 1 } = request;
  let status = 1;
  for (let done = 0; done < steps; done += 1) {
    try {
      const result = await runStep(direction, request, { context, choice, apart, done });
      if (result === 'open') return 1;
      if (result === 'done') status = 0;
    } catch (thrown) {
      if (done === 0 || !(thrown instanceof AishError) || thrown.code !== 'checkpoint.none') throw thrown;
      PROCESS_OUTPUT.error(`aish: ${formatFewer(done, direction)}\n`);
      return status;
    }
  }
  return status;
}

function readRequest(
  direction: RestoreDirection,
  args: readonly string[],
): { readonly request: UndoRequest; readonly choice: RestoreChoice | null; readonly apart: boolean } {
  const { words, behind, options } = readArgs(direction, args);
  const before = words.slice(0, words.length - behind.length);
  const chosen = Object.entries(OPTIONS).flatMap(([name, choice]) => (options.has(name) ? [choice] : []));
  const request = parseUndoRequest([...before, '--', ...behind]);
  if (request !== null && chosen.length <= 1)
    return { request, choice: chosen[0] ?? null, apart: options.has('--apart') };
  const wrong = before.find((word) => word.startsWith('-'));
  if (wrong === undefined) throw misuse(direction, messages.formatUndoUsage(direction));
  throw new AishError('usage', messages.formatUndoUsage(direction), {
    hint: messages.formatDashPath(direction, wrong),
  });
}

interface StepOptions {
  readonly context: StartContext;
  readonly choice: RestoreChoice | null;
  readonly apart: boolean;
  /** Changes that the same line has undone already. */
  readonly done: number;
}

/** The result of one change: `open` if a file was left alone. */
type Result = 'done' | 'nothing' | 'open';

async function runStep(direction: RestoreDirection, request: UndoRequest, options: StepOptions): Promise<Result> {
  const { context, choice, apart, done } = options;
  const { cwd } = context.setup;
  const { id = null, paths } = request;
  const { planUndo } = await import('../../../engine/effects/plan-undo.ts');
  const { applyRestore } = await import('../../../adapters/git/restore/apply.ts');
  const plan = await planUndo({ cwd, id, direction, apart, ...(paths.length === 0 ? {} : { paths }) });
  const choices = choice === null ? await askAll(plan, context) : chooseAll(plan, choice);
  if (choices === null) {
    const part = { direction, done, left: (request.steps ?? 1) - done, checkpoint: plan.id };
    PROCESS_OUTPUT.out(`${formatGivenUp(part)}\n`);
    return 'open';
  }
  const { checkpoint, undo, ...report } = await applyRestore(plan, choices, {
    sessionId: '',
    limits: retentionOf(context.setup),
    keep: cwd,
  });
  const facts = {
    checkpoint,
    label: plan.label,
    stepAt: plan.at,
    report,
    ...(plan.direction === 'redo' ? { direction: 'redo' as const } : {}),
    ...(undo === null ? {} : { undo: undo.id }),
  };
  PROCESS_OUTPUT.out(`${formatRestore(facts, { now: Date.now() })}\n`);
  PROCESS_OUTPUT.error(hintAt(plan, choices, choice));
  if (report.refused.length > 0) return 'open';
  return report.restored.length + (report.kept ?? []).length > 0 ? 'done' : 'nothing';
}

/** The options for edited files without a choice; empty if no such file exists. */
function hintAt({ direction, id, paths }: RestorePlan, chosen: RestoreChoices, choice: RestoreChoice | null): string {
  const open = paths.filter(({ key, state }) => state === 'conflict' && !Object.hasOwn(chosen, key));
  if (open.length === 0) return '';
  const able = Object.entries(OPTIONS).filter(([, offered]) => open.some(({ choices }) => choices.includes(offered)));
  const names = able.map(([name]) => name);
  const options = names.join(', ').replace(/, (?=[^,]*$)/, ' or ');
  const why = choice === 'merged' ? messages.NOT_MERGED : messages.formatLeftAlone(direction);
  return `aish: ${messages.formatChoose(why, `aish ${direction} ${id} ${options}`)}\n`;
}

/** Makes the same choice for every path that allows it. */
function chooseAll({ paths }: RestorePlan, choice: RestoreChoice): RestoreChoices {
  const able = paths.filter(({ choices }) => choices.includes(choice));
  return Object.fromEntries(able.map(({ key }) => [key, choice]));
}

/** Asks at the terminal, path by path. Makes no choice without a terminal; null if the user cancels. */
async function askAll(plan: RestorePlan, context: StartContext): Promise<RestoreChoices | null> {
  if (!isTerminal(0) || !isTerminal(1) || !plan.paths.some(({ state }) => state === 'conflict')) return {};
  const { askAbout } = await import('../../../engine/effects/plan-undo.ts');
  const question = await askAbout(plan);
  const { size, theme, print } = screenOf(context);
  print(formatUndoHead(question, { ...size, theme }));
  const choices: Record<string, RestoreChoice> = {};
  for (let at = 0; at < question.conflicts.length; ) {
    const key = askPath(question, at, context);
    const choice = key === null ? null : choiceOf(key);
    if (key === null || choice === null) return null;
    const last = key === 'K' || key === 'T' ? question.conflicts.length : at + 1;
    for (const conflict of question.conflicts.slice(at, last)) choices[conflict.key] = choice;
    at = last;
  }
  return choices;
}

/** The key for a path; null if the user cancels. */
function askPath(question: RestorePrompt, at: number, context: StartContext): UndoKey | null {
  const { size, theme, print } = screenOf(context);
  for (let all = false; ; ) {
    const { lines, keys } = formatUndoPath(question, at, { ...size, theme, all });
    print(lines);
    const line = askAtTerminal(messages.LETTER_PROMPT);
    const key = keys.find((offered) => offered === line?.trim());
    if (line === null || line === '' || key === 'g') return null;
    all = key === 'v';
    if (key !== undefined && key !== 'v') return key;
    if (key === undefined) print([messages.WRONG_LETTER]);
  }
}
