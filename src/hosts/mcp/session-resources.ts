import { type McpServer, type Resource, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { readLog } from '../../adapters/store/event-log.ts';
import { type ListedSession, listIndexed } from '../../adapters/store/session-index.ts';
import { redactEvent } from '../../core/secrets/redact-event.ts';
import { toBlocks } from '../../core/session-export/blocks.ts';
import { formatMarkdown } from '../../core/session-export/format-session.ts';
import { cutHead } from '../../core/text/truncate.ts';
import type { SecretStore } from '../../engine/secrets/secret-store.ts';
import * as messages from './messages.ts';

/** The stored sessions, and how to redact them. */
export interface SessionsContext {
  readonly cwd: string;
  readonly paths: { readonly state: string; readonly cache: string };
  readonly secrets: () => Promise<SecretStore>;
}

/** How many sessions one answer lists. */
const LISTED = 50;
/** Most characters of one page of a session. */
const PAGE = 32_000;
const LONGEST_TITLE = 80;
const ADDRESS = /^aish:\/\/session\/([\w-]+)(?:\?page=(\d{1,6}))?$/;

/**
 * Offers the sessions of this directory as resources: a client that may run commands here sees what was done here before, and nothing of
 * other projects. A session is Markdown, in pages, with placeholders instead of secrets.
 */
export function offerSessions(server: McpServer, context: SessionsContext): void {
  const low = server.server;
  low.registerCapabilities({ resources: {} });
  low.setRequestHandler('resources/list', async ({ params }) => listPage(Number(params?.cursor ?? 0), context));
  low.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: 'aish://session/{id}{?page}',
        name: 'session',
        description: messages.SESSION_TEMPLATE,
        mimeType: 'text/markdown',
      },
    ],
  }));
  low.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const text = await readPage(uri, context);
    return { contents: [{ uri, mimeType: 'text/markdown', text }] };
  });
}

async function listPage(from: number, context: SessionsContext) {
  const secrets = await context.secrets();
  const sessions = listHere(context);
  const at = Number.isSafeInteger(from) && from > 0 ? from : 0;
  const resources = sessions.slice(at, at + LISTED).map((session) => toResource(session, secrets));
  return { resources, ...(at + LISTED < sessions.length ? { nextCursor: String(at + LISTED) } : {}) };
}

function listHere({ cwd, paths }: SessionsContext): readonly ListedSession[] {
  return listIndexed({ stateDir: paths.state, cacheDir: paths.cache }, { cwd });
}

function toResource(session: ListedSession, secrets: SecretStore): Resource {
  const { id, changedAt, turns } = session;
  const lastModified = new Date(changedAt).toISOString();
  return {
    uri: `aish://session/${id}`,
    name: id,
    title: titleOf(session, secrets),
    description: messages.formatTurns(turns),
    mimeType: 'text/markdown',
    annotations: { lastModified },
  };
}

function titleOf({ id, name, firstText, firstCommand }: ListedSession, secrets: SecretStore): string {
  const [title = id] = (name ?? firstText ?? firstCommand ?? id).trim().split('\n');
  return cutHead(secrets.redact(title), LONGEST_TITLE);
}

/** One page of a session; each but the last one ends with the address of the next. */
async function readPage(uri: string, context: SessionsContext): Promise<string> {
  const [, wanted, number = '1'] = ADDRESS.exec(uri) ?? [];
  const session = listHere(context).find(({ id }) => id === wanted);
  if (session === undefined) throw new ResourceNotFoundError(uri);
  const secrets = await context.secrets();
  const recorded = readLog(session.path, () => {}).map((one) => ({
    ...one,
    event: redactEvent(one.event, secrets.cover),
  }));
  const formatTime = (at: number): string => new Date(at).toISOString();
  const pages = toPages(formatMarkdown(titleOf(session, secrets), toBlocks(recorded), formatTime));
  const page = pages[Number(number) - 1];
  if (page === undefined) throw new ResourceNotFoundError(uri);
  const next = Number(number) + 1;
  const rest =
    next > pages.length ? '' : messages.formatNextPage(pages.length, `aish://session/${wanted}?page=${next}`);
  return `${page}${rest}`;
}

function toPages(text: string): readonly string[] {
  const pages: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const page = cutHead(rest, PAGE);
    pages.push(page);
    rest = rest.slice(page.length);
  }
  return pages;
}
