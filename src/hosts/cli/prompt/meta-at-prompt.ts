import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatPath, visited } from '../../../core/prompt/directories.ts';
import type { Route } from '../../../core/routing/router.ts';
import type { SessionClient } from '../../../core/session/session-client.ts';
import { wrapText } from '../../../core/terminal/wrap.ts';
import { sanitizeColoured, sanitizeLine } from '../../../core/text/sanitize.ts';
import { formatError, toErrorFact } from '../../../protocol/error.ts';
import type { AttachedFile } from '../../../protocol/model.ts';
import type { JoinChoice } from '../approvals/question.ts';
import type { OpenReview } from '../commands/mcp-command.ts';
import { DIRECTORY_QUESTION } from '../commands/messages.ts';
import { type MetaContext, runMeta } from '../commands/meta.ts';
import { runtimeFolder } from '../setup/setup.ts';
import type { LineFacts } from './line-facts.ts';
import type { PromptHost, PromptSession } from './prompt-session.ts';

/** The parts of a prompt that meta-commands use. */
export interface MetaAtPromptDeps extends PromptHost {
  readonly abbreviations: Map<string, string>;
  readonly lines: LineFacts;
  readonly session: PromptSession;
}

/** The dependencies of a meta-command that is entered at the prompt. */
export async function createMetaContext(client: SessionClient, deps: MetaAtPromptDeps): Promise<MetaContext> {
  const { setup, theme, appearance, history, abbreviations, tty, session, lines, line } = deps;
  return {
    setup,
    client,
    owner: (await session.own?.context()) ?? null,
    cwd: session.cwd,
    history,
    abbreviations,
    shellAbbreviations: session.shell?.lookups.abbreviations ?? new Map<string, string>(),
    leftKeys: () => line.leftKeys(),
    visited: visited(line.driver.state.directories),
    routeOf: (typed) => lines.routeOf(typed),
    theme,
    appearance,
    signal: line.driver.signal,
    ...tty.size(),
  };
}

interface RunNowDeps extends MetaAtPromptDeps {
  /** The attachments of a message; null if one of them is missing. */
  readonly attach: (text: string) => Promise<{ readonly files?: readonly AttachedFile[] } | null>;
}

/** Carries out a line while the model works: a message that steers an autonomous run, or a meta-command about the run. */
export async function runNow(
  { typed, route }: { readonly typed: string; readonly route: Route },
  client: SessionClient,
  { attach, ...deps }: RunNowDeps,
): Promise<void> {
  const { session, tty, print, say } = deps;
  if (route.type !== 'message' && route.type !== 'meta') return;
  const begun = { line: typed, cwd: session.cwd, route: route.type };
  session.note({ begun, asked: route.text })({ exit: null, durationMs: 0 });
  try {
    if (route.type === 'message') {
      const attached = await attach(route.text);
      if (attached !== null) await client.submit({ type: 'send', text: route.text, ...attached });
      return;
    }
    const outcome = await runMeta(route.text, await createMetaContext(client, deps));
    if (outcome.type !== 'print' && outcome.type !== 'page') return;
    print(`${wrapText(outcome.text, tty.size().columns)}\n`);
  } catch (thrown) {
    say('error', formatError(toErrorFact(thrown)));
  }
}

/** Shows a text on the screen where it fits, else in the user's pager. */
export async function page(text: string, deps: MetaAtPromptDeps): Promise<void> {
  const { tty, appearance, print } = deps;
  const clean = `${sanitizeColoured(text).trimEnd()}\n`;
  if (clean.trim() === '') return;
  if (appearance.isPlain || clean.split('\n').length <= tty.size().rows) print(clean);
  else await openPager(clean, deps);
}

async function openPager(text: string, deps: MetaAtPromptDeps): Promise<void> {
  const { setup, screen, line } = deps;
  const { pagerLine } = await import('../commands/outputs.ts');
  const { runOnTerminal } = await import('./external-editor.ts');
  const path = join(runtimeFolder(setup), `page-${process.pid}-${Date.now()}`);
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  line.editor.hide();
  await runOnTerminal(['/bin/sh', '-c', pagerLine(path, { isRemoved: true })], {
    ...screen,
    env: setup.env,
    cwd: () => setup.cwd,
    lendKeys: (taker) => deps.line.driver.lend(taker),
  });
}

/** Asks how to go on with a session that is open elsewhere. */
export async function askToJoin(id: string, deps: MetaAtPromptDeps): Promise<JoinChoice> {
  const { screen, line } = deps;
  line.editor.hide();
  const { JoinQuestion } = await import('../approvals/question.ts');
  const question = new JoinQuestion(id, screen);
  deps.line.driver.showApproval(question);
  return await question.chosen().finally(() => deps.line.driver.closeApproval());
}

/** Has the user choose a session to go on with. If nothing can be drawn over, it takes the session that was used last here. */
export async function chooseSession(deps: MetaAtPromptDeps): Promise<string | null> {
  const { screen, setup, line, session } = deps;
  const { listToResume } = await import('../sessions/sessions-command.ts');
  const owner = await session.own?.context();
  if (!owner) return null;
  const { live } = owner;
  const sessions = listToResume({ setup, live });
  if (screen.isPlain) return sessions[0]?.id ?? null;
  line.editor.hide();
  const { SessionPicker } = await import('../sessions/session-picker.ts');
  const redact = (text: string): string => live.secrets.redact(text);
  const picker = new SessionPicker({ ...screen, sessions, cwd: setup.cwd, now: Date.now(), redact });
  deps.line.driver.showApproval(picker);
  return await picker.chosen().finally(() => deps.line.driver.closeApproval());
}

/** Lists directories, and reads the number of one. The answer is the command that goes there; null to stay. */
export async function chooseDirectory(paths: readonly string[], deps: MetaAtPromptDeps): Promise<string | null> {
  const { setup, print } = deps;
  const { HOME } = setup.env;
  const { findVisitedLine } = await import('../commands/history-command.ts');
  const rows = paths.map((path, at) => `${String(at + 1).padStart(3)}  ${sanitizeLine(formatPath(path, HOME))}`);
  print(`${rows.join('\n')}\n`);
  const answer = (await readAnswer(DIRECTORY_QUESTION, deps))?.trim() ?? '';
  return answer === '' ? null : findVisitedLine(Number(answer), paths, HOME);
}

/** Puts a review before the user and reads their word below it. */
export async function askInWords(review: OpenReview, deps: MetaAtPromptDeps): Promise<string> {
  const { tty, line, print } = deps;
  line.editor.hide();
  print(`${review.show(tty.size().columns)}\n\n`);
  return review.answer((await readAnswer(review.question, deps)) ?? '');
}

/** Reads a line below a question. As for any question: Ctrl-C is no for an answer. */
async function readAnswer(question: string, deps: MetaAtPromptDeps): Promise<string | null> {
  const { screen, line, print } = deps;
  line.editor.hide();
  const rows = wrapText(question.trimEnd(), screen.size().columns).split('\n');
  if (rows.length > 1) print(`${rows.slice(0, -1).join('\n')}\n`);
  const { openAnswerLine } = await import('../approvals/key-prompt.ts');
  const { editor, read } = openAnswerLine(`${rows.at(-1) ?? ''} `, screen);
  deps.line.driver.showApproval({ wantsText: true, feed: (bytes) => editor.feed(bytes) });
  return await read.finally(() => deps.line.driver.closeApproval());
}
