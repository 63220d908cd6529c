import { isSecretName } from '../gate/scope.ts';

/** The variables that a sandboxed command gets as they are; what is not named here stays outside. */
const KEPT: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TERM', 'COLORTERM', 'NO_COLOR'],
  ...[
    'COLUMNS',
    'LINES',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'XDG_CACHE_HOME',
    'XDG_STATE_HOME',
    'NVM_DIR',
    'VIRTUAL_ENV',
  ],
]);

/** Nothing in there has a person to ask or a screen to page on, and git takes no locks for what it only looks at. */
const SET: Readonly<Record<string, string>> = {
  TMPDIR: '/tmp',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
};

/** The environment of a sandboxed command: a short list of harmless names, and what keeps programs from asking. */
export function scrubEnvironment(exported: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(exported).filter((entry): entry is [string, string] => isKept(...entry));
  return { ...Object.fromEntries(kept), ...SET };
}

/** True for a variable that means the same inside as outside. */
export function isKeptVariable(name: string): boolean {
  return (KEPT.has(name) || name.startsWith('LC_')) && !isSecretName(name);
}

function isKept(name: string, value: string | undefined): boolean {
  return value !== undefined && isKeptVariable(name) && !value.startsWith('() {');
}
