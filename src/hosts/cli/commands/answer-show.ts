import { homedir } from 'node:os';
import { parseMetaCommand, toShown } from '../../../core/meta/meta-command.ts';
import { sanitizeColoured, sanitizeText } from '../../../core/text/sanitize.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import type { ShowContext } from '../../../engine/session/session-server.ts';
import { toSecretSearch } from '../../../engine/shell/shared-shell.ts';
import { AishError } from '../../../protocol/error.ts';
import type { ShownTheme, ShowRequest } from '../../../protocol/query.ts';
import { createTheme, PLAIN_THEME, type Theme } from '../screen/theme.ts';
import { wrapText } from '../screen/wrap.ts';
import { formatIsChange, USE_OWNER } from './messages.ts';
import { show } from './show.ts';

/** Answers the query `show`: what the owner's screen would show, known secrets taken out. Throws for a line that would change something. */
export async function answerShow(request: ShowRequest, live: LiveSession, place: ShowContext): Promise<string> {
  const redact = (text: string): string => live.secrets.redact(text);
  const parsed = parseMetaCommand(request.line);
  if (!parsed.ok) throw new AishError('meta.unknown', parsed.message, { hint: parsed.hint });
  const command = toShown(parsed.command);
  if (command === null)
    throw new AishError('meta.elsewhere', formatIsChange(parsed.command.name), {
      hint: USE_OWNER,
    });
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
