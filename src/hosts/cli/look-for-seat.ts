import { homedir } from 'node:os';
import { toLook } from '../../core/meta-at-seat.ts';
import { parseMetaCommand } from '../../core/meta-command.ts';
import { sanitizeColoured, sanitizeText } from '../../core/sanitize.ts';
import type { LiveSession } from '../../engine/engine.ts';
import type { LookPlace } from '../../engine/look.ts';
import { toSecretPlace } from '../../engine/secrets/secret-place.ts';
import { AishError } from '../../protocol/error.ts';
import type { LookRequest, LookTheme } from '../../protocol/look.ts';
import { look } from './look.ts';
import { wrapText } from './screen/fold.ts';
import { createTheme, PLAIN_THEME, type Theme } from './screen/theme.ts';

/** Answers a seat that looks at a session: what the owner's screen would show, secrets taken out. Throws for a line that would change something. */
export async function lookForSeat(request: LookRequest, live: LiveSession, place: LookPlace): Promise<string> {
  const conceal = (text: string): string => live.secrets.conceal(text);
  const parsed = parseMetaCommand(request.line);
  if (!parsed.ok) throw new AishError('meta.unknown', parsed.message, { hint: parsed.hint });
  const command = toLook(parsed.command);
  if (command === null)
    throw new AishError('meta.elsewhere', `:${parsed.command.name} does more than look`, {
      hint: 'type it where the session is open',
    });
  // A file may have been written since the last command.
  const home = place.setup.env.HOME ?? homedir();
  await live.secrets.refresh(await toSecretPlace(live.sharedShell, home));
  try {
    const { columns } = request;
    const setup = { ...place.setup, discovery: 'anywhere' } as const;
    const theme = themeOf(request.theme);
    const shown = await look(command, { ...place, setup, live, theme, columns, rows: null, conceal });
    return shown.type === 'print' ? wrapText(withoutSecrets(shown.text, conceal), columns) : '';
  } catch (thrown) {
    if (!(thrown instanceof AishError)) throw thrown;
    const { code, message, hint } = thrown;
    throw new AishError(code, conceal(message), {
      ...(hint === undefined ? {} : { hint: conceal(hint) }),
      cause: thrown,
    });
  }
}

/** What is a secret only without the colours between its letters loses them all. */
function withoutSecrets(text: string, conceal: (text: string) => string): string {
  const shown = sanitizeColoured(conceal(text));
  const plain = sanitizeText(shown);
  const covered = conceal(plain);
  return covered === plain ? shown : covered;
}

function themeOf(wanted: LookTheme | undefined): Theme {
  if (wanted === undefined) return PLAIN_THEME;
  return createTheme({ TERM: 'xterm', COLORTERM: wanted.exact ? 'truecolor' : '' }, wanted);
}
