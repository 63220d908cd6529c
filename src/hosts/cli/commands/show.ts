import { homedir } from 'node:os';
import { formatConfig } from '../../../adapters/config/format-config.ts';
import { parseMetaCommand, toShown } from '../../../core/meta/meta-command.ts';
import type { ShowCommand } from '../../../core/meta/meta-entry.ts';
import { createTheme, PLAIN_THEME, type Theme } from '../../../core/terminal/theme.ts';
import { wrapText } from '../../../core/terminal/wrap.ts';
import { sanitizeColoured, sanitizeText } from '../../../core/text/sanitize.ts';
import { measureLine } from '../../../engine/policy/measure-line.ts';
import type { Engine, LiveSession } from '../../../engine/session/engine.ts';
import type { ShowContext as OwnerContext } from '../../../engine/session/session-server.ts';
import { toSecretSearch } from '../../../engine/shell/shared-shell.ts';
import { AishError } from '../../../protocol/error.ts';
import type { ShownTheme, ShowRequest } from '../../../protocol/query.ts';
import { formatChangeReport } from '../screen/change-report.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';
import type { OutputScreen, ShownOutput } from './outputs.ts';

/** The context of a meta-command that only reads. */
interface ShowContext extends OutputScreen {
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
      return (await import('./usage-command.ts')).showContext(context);
    case 'cost':
      return (await import('./usage-command.ts')).showCost({ ...context, recorded: live.session.recorded, now });
    case 'model':
    case 'models':
      return (await import('./models-command.ts')).showModels(setup, live.session.state.settings.model);
    case 'checkpoints':
      await live.session.finalized();
      return (await import('./checkpoints-command.ts')).runCheckpoints(command.words ?? [], {
        setup: { ...setup, cwd: live.sharedShell.cwd },
        now,
        columns: context.columns,
      });
    case 'impact':
      return showImpact(command.line, context);
    case 'sessions':
      return (await import('../sessions/sessions-command.ts')).listOrSearch(command.words, { ...context, now });
    case 'why':
      return (await import('../sessions/sessions-command.ts')).explain(command.which, context);
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
  const { showDiff } = await import('./outputs.ts');
  return showDiff(command, { ...context, cwd: context.live.sharedShell.cwd });
}

/** The configuration with where a value comes from in a row of its own, where the window is too narrow for both. */
function wrapOrigins(text: string, columns: number): string {
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => (line.length <= columns ? line : line.replace(/(?<! ) +# /, '\n    # '))).join('\n');
}

async function describeSandbox({ session, sandbox }: LiveSession): Promise<string> {
  if (session.state.settings.sandbox !== true) return messages.SANDBOX_OFF;
  const missing = await sandbox.whyMissing();
  return missing === null ? messages.SANDBOX_ON : messages.formatSandboxMissing(missing);
}

/** Shows the changes that a line would make if it ran here now. Nothing of it runs. */
async function showImpact(line: string, { live, theme, columns }: ShowContext): Promise<string> {
  const cwd = live.sharedShell.placeNow();
  const report = await measureLine(line, live.gate, new AbortController().signal, cwd);
  return formatChangeReport(report, { columns, theme, cwd, dryRun: ':dry-run' }).join('\n');
}

/** Answers the query `show`: what the owner's screen would show, known secrets taken out. Throws for a line that would change something. */
export async function answerShow(request: ShowRequest, live: LiveSession, place: OwnerContext): Promise<string> {
  const redact = (text: string): string => live.secrets.redact(text);
  const parsed = parseMetaCommand(request.line);
  if (!parsed.ok) throw new AishError('meta.unknown', parsed.message, { hint: parsed.hint });
  const command = toShown(parsed.command);
  if (command === null)
    throw new AishError('meta.elsewhere', messages.formatIsChange(parsed.command.name), { hint: messages.USE_OWNER });
  // A file may have been written since the last command.
  const home = place.setup.env.HOME ?? homedir();
  await live.secrets.refresh(await toSecretSearch(live.sharedShell, home));
  try {
    const { columns } = request;
    const setup = { ...place.setup, discovery: 'anywhere' } as const;
    const theme = themeOf(request.theme);
    const shown = await show(command, { ...place, setup, live, theme, columns, rows: null, redact });
    return shown.type === 'print' ? wrapText(withoutSecrets(shown.text, redact), columns) : '';
  } catch (thrown) {
    if (!(thrown instanceof AishError)) throw thrown;
    const { code, message, hint } = thrown;
    throw new AishError(code, redact(message), {
      ...(hint === undefined ? {} : { hint: redact(hint) }),
      cause: thrown,
    });
  }
}

/** Redacts a secret even if colours stand between its letters; such a text loses its colours. */
function withoutSecrets(text: string, redact: (text: string) => string): string {
  const shown = sanitizeColoured(redact(text));
  const plain = sanitizeText(shown);
  const redacted = redact(plain);
  return redacted === plain ? shown : redacted;
}

function themeOf(wanted: ShownTheme | undefined): Theme {
  if (wanted === undefined) return PLAIN_THEME;
  return createTheme({ TERM: 'xterm', COLORTERM: wanted.exact ? 'truecolor' : '' }, wanted);
}
