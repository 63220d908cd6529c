import { visited } from '../../../core/prompt/directories.ts';
import type { Route } from '../../../core/routing/router.ts';
import type { SessionClient } from '../../../core/session/session-client.ts';
import { formatError, toErrorFact } from '../../../protocol/error.ts';
import type { AttachedFile } from '../../../protocol/model.ts';
import { type MetaContext, runMeta } from '../commands/meta.ts';
import { wrapText } from '../screen/wrap.ts';
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
