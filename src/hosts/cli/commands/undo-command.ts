import { isatty } from 'node:tty';
import { formatFewer, formatGivenUp } from '../../../core/meta/messages.ts';
import { parseUndoRequest, splitAtEnd, type UndoRequest } from '../../../core/meta/meta-arguments.ts';
import type {
  RestoreChoice,
  RestoreChoices,
  RestoreDirection,
  RestorePlan,
  RestorePrompt,
} from '../../../protocol/checkpoint.ts';
import { AishError } from '../../../protocol/error.ts';
import { choiceOf } from '../approvals/undo-question.ts';
import { formatUndoHead, formatUndoPath, type UndoKey } from '../screen/undo.ts';
import { formatRestore } from '../screen/undo-report.ts';
import type { Options } from '../setup/args.ts';
import { screenOf } from '../setup/output-terminal.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import type { Setup } from '../setup/setup.ts';
import { retentionOf } from './checkpoint-repositories.ts';
import { askAtTerminal } from './trust-command.ts';

/** Options that say what is to become of every file that changed since. */
const OPTIONS: Readonly<Record<string, RestoreChoice>> = { '--keep': 'mine', '--take': 'theirs', '--merge': 'merged' };

/** Option for the steps of the time when a folder was no repository. */
const APART = '--apart';

/** `aish undo` and `aish redo`. What was left as it is makes the status 1, and so does that there was nothing to do. */
export async function runUndo(direction: RestoreDirection, args: readonly string[], place: Place): Promise<number> {
  const { request, choice, apart } = readArgs(direction, args);
  const { steps = 1 } = request;
  let status = 1;
  for (let done = 0; done < steps; done += 1) {
    try {
      const came = await runStep(direction, request, { place, choice, apart, done });
      if (came === 'open') return 1;
      if (came === 'done') status = 0;
    } catch (thrown) {
      if (done === 0 || !(thrown instanceof AishError) || thrown.code !== 'checkpoint.none') throw thrown;
      PROCESS_OUTPUT.error(`aish: ${formatFewer(done, direction)}\n`);
      return status;
    }
  }
  return status;
}

function readArgs(
  direction: RestoreDirection,
  args: readonly string[],
): { readonly request: UndoRequest; readonly choice: RestoreChoice | null; readonly apart: boolean } {
  const [all, behind] = splitAtEnd(args);
  const before = all.filter((word) => word !== APART);
  const apart = before.length < all.length;
  const chosen = before.flatMap((word) => OPTIONS[word] ?? []);
  const words = before.filter((word) => OPTIONS[word] === undefined);
  const wrong = words.find((word) => word.startsWith('-'));
  const request = parseUndoRequest([...words, '--', ...behind]);
  if (request !== null && chosen.length <= 1) return { request, choice: chosen[0] ?? null, apart };
  throw new AishError('usage', `aish ${direction} takes [N | ID] [PATH…], and one of --keep, --take, --merge`, {
    hint:
      wrong === undefined
        ? `see aish ${direction} --help`
        : `a path that begins with a dash stands behind --: aish ${direction} -- ${wrong}`,
  });
}

/** Where a subcommand runs, with its options. */
interface Place {
  readonly setup: Setup;
  readonly options: Pick<Options, 'color'>;
}

interface StepOptions {
  readonly place: Place;
  readonly choice: RestoreChoice | null;
  readonly apart: boolean;
  /** Steps of the same line that were taken already. */
  readonly done: number;
}

/** What a step came to: `open` where something of it was left as it is. */
type Came = 'done' | 'nothing' | 'open';

async function runStep(direction: RestoreDirection, request: UndoRequest, options: StepOptions): Promise<Came> {
  const { place, choice, apart, done } = options;
  const { cwd } = place.setup;
  const { id = null, paths } = request;
  const { planUndo } = await import('../../../engine/effects/plan-undo.ts');
  const { applyRestore } = await import('../../../adapters/git/restore/apply.ts');
  const plan = await planUndo({ cwd, id, direction, apart, ...(paths.length === 0 ? {} : { paths }) });
  const choices = choice === null ? await askAll(plan, place) : chooseAll(plan, choice);
  if (choices === null) {
    const part = { direction, done, left: (request.steps ?? 1) - done, checkpoint: plan.id };
    PROCESS_OUTPUT.out(`${formatGivenUp(part)}\n`);
    return 'open';
  }
  const { checkpoint, undo, ...report } = await applyRestore(plan, choices, {
    sessionId: '',
    limits: retentionOf(place.setup),
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

/** What decides about the files that changed since and that nothing was said of; empty where there are none. */
function hintAt({ direction, id, paths }: RestorePlan, chosen: RestoreChoices, choice: RestoreChoice | null): string {
  const open = paths.filter(({ key, state }) => state === 'conflict' && !Object.hasOwn(chosen, key));
  if (open.length === 0) return '';
  const able = Object.keys(OPTIONS).filter((name) => open.some(({ choices }) => isAmong(choices, OPTIONS[name])));
  const options = able.join(', ').replace(/, (?=[^,]*$)/, ' or ');
  const why =
    choice === 'merged'
      ? 'what changed since and does not merge is left alone'
      : `${direction} leaves what changed since or is older alone where nobody can be asked`;
  return `aish: ${why}; aish ${direction} ${id} ${options} decides about it\n`;
}

function isAmong(choices: readonly RestoreChoice[], choice: RestoreChoice | undefined): boolean {
  return choice !== undefined && choices.includes(choice);
}

/** The same choice for every path that it can be made for. */
function chooseAll({ paths }: RestorePlan, choice: RestoreChoice): RestoreChoices {
  const able = paths.filter(({ choices }) => choices.includes(choice));
  return Object.fromEntries(able.map(({ key }) => [key, choice]));
}

/** Asks at the terminal, path by path and a line each; no choice where nobody is there, null where the user gives up. */
async function askAll(plan: RestorePlan, place: Place): Promise<RestoreChoices | null> {
  if (!isatty(0) || !isatty(1) || !plan.paths.some(({ state }) => state === 'conflict')) return {};
  const { askAbout } = await import('../../../engine/effects/plan-undo.ts');
  const question = await askAbout(plan);
  const { size, theme, print } = screenOf(place);
  print(formatUndoHead(question, size, theme));
  const choices: Record<string, RestoreChoice> = {};
  for (let at = 0; at < question.conflicts.length; ) {
    const key = askPath(question, at, place);
    const choice = key === null ? null : choiceOf(key);
    if (key === null || choice === null) return null;
    const last = key === 'K' || key === 'T' ? question.conflicts.length : at + 1;
    for (const conflict of question.conflicts.slice(at, last)) choices[conflict.key] = choice;
    at = last;
  }
  return choices;
}

/** The key that answers for a path; null for giving up. */
function askPath(question: RestorePrompt, at: number, place: Place): UndoKey | null {
  const { size, theme, print } = screenOf(place);
  for (let all = false; ; ) {
    const { lines, keys } = formatUndoPath(question, at, { size, theme, all });
    print(lines);
    const line = askAtTerminal('a letter and Enter > ', PROCESS_OUTPUT.out);
    const key = keys.find((offered) => offered === line?.trim());
    if (line === null || line === '' || key === 'g') return null;
    all = key === 'v';
    if (key !== undefined && key !== 'v') return key;
    if (key === undefined) print(['that is none of the letters in brackets; nothing was touched yet']);
  }
}
