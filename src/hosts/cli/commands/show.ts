import { formatConfig } from '../../../adapters/config/format-config.ts';
import type { ShowCommand } from '../../../core/meta/meta-entry.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import { measureLine } from '../../../engine/policy/measure-line.ts';
import type { Engine, LiveSession } from '../../../engine/session/engine.ts';
import { formatChangeReport } from '../screen/change-report.ts';
import type { Theme } from '../screen/theme.ts';
import type { Setup } from '../setup/setup.ts';
import { formatSandboxMissing, SANDBOX_OFF, SANDBOX_ON } from './messages.ts';
import type { OutputScreen, ShownOutput } from './outputs.ts';

/** The context of a meta-command that only reads. */
export interface ShowContext extends OutputScreen {
  readonly setup: Setup;
  readonly engine: Engine;
  /** Aborted where somebody calls it off. */
  readonly signal?: AbortSignal;
}

type Named<N extends ShowCommand['name']> = Extract<ShowCommand, { name: N }>;

/** The output of a meta-command that only reads; it changes nothing. */
export async function show(command: ShowCommand, context: ShowContext): Promise<ShownOutput> {
  switch (command.name) {
    case 'diff':
      return showDiff(command, context);
    case 'output':
      return (await import('./outputs.ts')).showOutput(command.handle, context);
    default:
      return { type: 'print', text: await report(command, context) };
  }
}

async function report(command: Exclude<ShowCommand, Named<'diff' | 'output'>>, context: ShowContext): Promise<string> {
  const { setup, live } = context;
  const now = Date.now();
  switch (command.name) {
    case 'context':
      return (await import('./context-command.ts')).showContext(context);
    case 'cost':
      return (await import('./cost-command.ts')).showCost({ setup, recorded: live.session.recorded, now });
    case 'model':
    case 'models':
      return (await import('./models-command.ts')).showModels(setup, live.session.state.settings.model);
    case 'checkpoints':
      await live.session.finalized();
      if (command.words !== undefined) return showSteps(command.words, { ...setup, cwd: live.sharedShell.cwd }, now);
      return showTimeline(live.sharedShell.cwd, now, context.columns);
    case 'impact':
      return showImpact(command.line, context);
    case 'sessions':
      return (await import('../sessions/sessions-at-prompt.ts')).listOrSearch(command.words, { ...context, now });
    case 'why':
      return (await import('../sessions/sessions-at-prompt.ts')).explain(command.which, context);
    case 'config':
      return wrapOrigins(sanitizeText(formatConfig(setup.loaded)), context.columns);
    case 'mcp':
      return (await import('./mcp-command.ts')).lookAtServers(command, context);
    case 'approve':
      return (await import('./approve-command.ts')).runApprove(command.request, context);
    case 'trust':
      return (await import('./trust-command.ts')).listUntrusted(live);
    case 'cloud':
      return (await import('./models-command.ts')).showCloud(live.session.state);
    case 'sandbox':
      return describeSandbox(live);
  }
}

async function showDiff(command: Named<'diff'>, context: ShowContext): Promise<ShownOutput> {
  if ('outputs' in command)
    return { type: 'print', text: await (await import('./outputs.ts')).diffOutputs(command.outputs, context) };
  await context.live.session.finalized();
  const { showDiff } = await import('./diff-command.ts');
  return showDiff(command, { ...context, cwd: context.live.sharedShell.cwd });
}

/** The configuration with where a value comes from in a row of its own, where the window is too narrow for both. */
function wrapOrigins(text: string, columns: number): string {
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => (line.length <= columns ? line : line.replace(/(?<! ) +# /, '\n    # '))).join('\n');
}

async function describeSandbox({ session, sandbox }: LiveSession): Promise<string> {
  if (session.state.settings.sandbox !== true) return SANDBOX_OFF;
  const missing = await sandbox.whyMissing();
  return missing === null ? SANDBOX_ON : formatSandboxMissing(missing);
}

/** Most sessions never ask for it. */
async function showTimeline(cwd: string, now: number, columns: number): Promise<string> {
  const { timeline } = await import('../../../adapters/git/snapshot/timeline.ts');
  const { formatTimeline } = await import('../screen/timeline.ts');
  return formatTimeline(await timeline(cwd), now, columns);
}

async function showSteps(words: readonly string[], setup: Setup, now: number): Promise<string> {
  const { runCheckpoints } = await import('./checkpoints-command.ts');
  return runCheckpoints(words, { setup, now });
}

/** The context of `:impact`. */
interface ImpactContext {
  readonly live: LiveSession;
  readonly theme: Theme;
  readonly columns: number;
}

/** Shows the changes that a line would make if it ran here now. Nothing of it runs. */
async function showImpact(line: string, { live, theme, columns }: ImpactContext): Promise<string> {
  const cwd = live.sharedShell.placeNow();
  const report = await measureLine(line, live.gate, new AbortController().signal, cwd);
  return formatChangeReport(report, { columns, theme, cwd, dryRun: ':dry-run' }).join('\n');
}
