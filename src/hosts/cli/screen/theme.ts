/** What a piece of text is; the theme says how that looks. */
export type Look =
  | 'dim'
  | 'bold'
  | 'italic'
  | 'underline'
  | 'strike'
  | 'code'
  | 'heading'
  | 'link'
  | 'error'
  | 'warning'
  | 'ok'
  | 'added'
  | 'removed'
  | 'hunk'
  | 'shell'
  | 'ai'
  | 'meta'
  | 'selected'
  | 'command'
  | 'unknown'
  | 'keyword'
  | 'string'
  | 'variable'
  | 'glob'
  | 'operator'
  | 'option'
  | 'path'
  | 'string-path'
  | 'comment'
  | 'number'
  | 'type'
  | 'mention';

/** Looks as SGR sequences. With colours off every sequence is empty, and nothing may rest on a look alone. */
export interface Theme {
  readonly enabled: boolean;
  readonly sgr: Readonly<Record<Look, string>>;
  readonly reset: string;
}

/** Only the sixteen colours a terminal's own palette defines, so light and dark backgrounds both stay readable. */
const SGR: Readonly<Record<Look, string>> = {
  dim: '\x1b[2m',
  bold: '\x1b[1m',
  italic: '\x1b[3m',
  underline: '\x1b[4m',
  strike: '\x1b[9m',
  code: '\x1b[36m',
  heading: '\x1b[1;4m',
  link: '\x1b[4;34m',
  error: '\x1b[31m',
  warning: '\x1b[33m',
  ok: '\x1b[32m',
  added: '\x1b[32m',
  removed: '\x1b[31m',
  hunk: '\x1b[36m',
  shell: '\x1b[32m',
  ai: '\x1b[35m',
  meta: '\x1b[33m',
  selected: '\x1b[7m',
  command: '\x1b[32m',
  unknown: '\x1b[31m',
  keyword: '\x1b[1;34m',
  string: '\x1b[33m',
  variable: '\x1b[35m',
  glob: '\x1b[1;35m',
  operator: '\x1b[1m',
  option: '\x1b[36m',
  path: '\x1b[4m',
  'string-path': '\x1b[4;33m',
  comment: '\x1b[2m',
  number: '\x1b[35m',
  type: '\x1b[36m',
  mention: '\x1b[4;36m',
};

const NO_SGR: Readonly<Record<Look, string>> = {
  dim: '',
  bold: '',
  italic: '',
  underline: '',
  strike: '',
  code: '',
  heading: '',
  link: '',
  error: '',
  warning: '',
  ok: '',
  added: '',
  removed: '',
  hunk: '',
  shell: '',
  ai: '',
  meta: '',
  selected: '',
  command: '',
  unknown: '',
  keyword: '',
  string: '',
  variable: '',
  glob: '',
  operator: '',
  option: '',
  path: '',
  'string-path': '',
  comment: '',
  number: '',
  type: '',
  mention: '',
};

/** The theme without any sequence. */
export const PLAIN_THEME: Theme = { enabled: false, sgr: NO_SGR, reset: '' };

/** Colours for a terminal, unless NO_COLOR is set to anything or TERM says that it understands none. */
export function createTheme(
  environment: Readonly<Record<string, string | undefined>>,
  options: { readonly colour?: boolean } = {},
): Theme {
  const refused = (environment.NO_COLOR ?? '') !== '' || environment.TERM === 'dumb' || options.colour === false;
  return refused ? PLAIN_THEME : { enabled: true, sgr: SGR, reset: '\x1b[0m' };
}

/** Text in one look, closed again. */
export function styled(theme: Theme, look: Look, text: string): string {
  return theme.enabled && text !== '' ? `${theme.sgr[look]}${text}${theme.reset}` : text;
}
