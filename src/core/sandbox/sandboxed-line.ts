import type { Facts } from '../commands/facts.ts';
import { normalize } from '../commands/place.ts';
import { findProgram, findSpec } from '../commands/programs/find-program.ts';
import { isSecretName } from '../commands/scope.ts';
import type { Classification, Part } from '../commands/verdict.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';
import * as messages from './messages.ts';
import { type Layer, layerAt, type SandboxContext } from './sandbox-plan.ts';

/** Folders that are others in there. */
const OTHER_FOLDERS = /(?:^|[^\w./-])\/(?:tmp|var\/tmp|run|var\/run|dev|proc|sys)(?![\w.-])/;
const PASSING = /^\/(?:tmp|var\/tmp|run|var\/run)(?:\/|$)/;
const HARMLESS_DEVICE = /\/dev\/(?:null|zero|stdin|stdout|stderr)\b/g;

/** Variables that any shell has, with a value of its own or of the line. */
const OF_ANY_SHELL = /^(?:[?#@*1-9]|IFS|LINENO|PWD|RANDOM|SECONDS|UID|EUID|REPLY|PIPESTATUS|BASH_REMATCH|HOSTNAME|OSTYPE)$/;

/**
 * The reason that a read-only command would have another result in the sandbox than in the user's shell; null for no reason. It is for
 * commands that the gate lets run without asking: a missed reason makes an answer wrong, and harms nothing.
 */
export function whyNotApart(classification: Classification, place: SandboxContext): string | null {
  const { line: text } = classification;
  const names = classification.parts.flatMap(({ words }) => words.slice(0, 1));
  if (names.length === 0) return messages.CHANGES_SHELL;
  if (factsOf(names.at(-1)).asks === 'place' || names.some((name) => factsOf(name).asks === 'shell')) return messages.USES_SHELL;
  if (names.some((name) => factsOf(name).asks === 'machine')) return messages.USES_MACHINE;
  const endless = classification.parts.find(goesOn);
  if (endless !== undefined) return messages.formatEndless(endless.words[0] ?? '');
  const rest = [place.project, place.home].reduce((left, folder) => left.replaceAll(folder, 'x'), text);
  if (OTHER_FOLDERS.test(rest.replace(HARMLESS_DEVICE, ''))) return messages.READS_OTHER_FOLDERS;
  if ([place.cwd, place.project].some((path) => PASSING.test(path)) && /\.\.(?:\/|\s|$)/.test(text)) return messages.READS_BEYOND;
  const variable = classification.variables.find((name) => !isKnown(name, text));
  return variable === undefined ? null : messages.formatShellVariable(variable);
}

/** A command that ends by nothing of its own, and that no other command ends. */
function goesOn({ words: [name, ...words] }: Part, at: number, parts: readonly Part[]): boolean {
  const { endless } = factsOf(name);
  if (endless === undefined || parts.some((part) => factsOf(part.words[0]).ends === 'command')) return false;
  if (endless === 'unread') return parts.slice(at + 1).every((part) => factsOf(part.words[0]).ends !== 'input');
  return endless === 'always' || words.some((word) => new RegExp(endless).test(word ?? ''));
}

function factsOf(name: string | null | undefined): Facts {
  return findProgram((name ?? '').replace(/^.*\//s, '')) ?? {};
}

function isKnown(name: string, text: string): boolean {
  if (OF_ANY_SHELL.test(name) || isKeptVariable(name)) return true;
  return new RegExp(
    `(?:^|[^\\w$])(?:${name}\\+?=|for\\s+${name}\\b|` +
      `(?:read|mapfile|readarray)\\b(?:(?![^\\w$](?:read|mapfile|readarray)\\b)[^;|&\\n])*\\b${name}\\b)`,
  ).test(text);
}

/** The paths that a sandbox shows, and those outside of it. */
interface Shown {
  readonly layers: readonly Layer[];
  exists(path: string): boolean;
}

const OF_HOME = /\$\{?HOME\}?((?:\/[^\s'"`;|&<>(){}]*)?)/g;
const REDIRECTED = /<\s*(['"]?)([^\s'"`;|&<>()]+)\1/g;

/**
 * The reason that a command would not find a named path in the sandbox: the path is in a folder that is empty there. Null if this is true
 * of no named path. A missed reason makes the command fail in the sandbox, and harms nothing.
 */
export function whyNotShown({ line, parts }: Classification, place: SandboxContext, shown: Shown): string | null {
  const bases = [place.cwd];
  for (const { words } of parts) {
    const [name, folder] = words;
    if (findProgram(name ?? '')?.asks === 'place' && typeof folder === 'string')
      bases.push(absolute(folder, bases.at(-1) ?? place.cwd, place));
  }
  const walksAll = parts.some(({ words }) => words.includes('/') && words.some(walks));
  if (walksAll && shown.layers.length > 0) return messages.SEARCHES_ALL;
  for (const word of namedIn(line, parts)) {
    const there = bases.map((base) => absolute(word, base, place)).filter((path) => path !== '/' && shown.exists(path));
    const [first] = there;
    const layers = there.map((path) => layerAt(path, shown.layers));
    if (first !== undefined && layers.every((layer) => layer !== null && layer.kind !== 'shown')) return messages.formatNotShown(first);
  }
  return null;
}

/** A program that goes through all there is below a folder, or lists it. */
function walks(name: string | null): boolean {
  const { descends, prints } = findSpec(name ?? '') ?? {};
  return descends !== undefined || prints === 'names';
}

/** Words that may be paths, each as it is read by a shell. */
function namedIn(text: string, parts: Classification['parts']): readonly string[] {
  const words = parts.flatMap(({ words: all }) => all.slice(1)).filter((word): word is string => word !== null);
  const values = words.flatMap((word) => (word.startsWith('-') ? [word.replace(/^[^/~=]*=?/, '')] : [word]));
  const ofHome = [...text.matchAll(OF_HOME)].map(([, rest]) => `~${rest ?? ''}`);
  const redirected = [...text.matchAll(REDIRECTED)].map(([, , target]) => target ?? '');
  return [...values, ...ofHome, ...redirected].filter((word) => /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(word));
}

/** A path up to its first pattern. */
function absolute(written: string, base: string, { home }: SandboxContext): string {
  const fixed = written.replace(/(?:^|\/)[^/*?[{]*[*?[{].*$/s, '');
  if (fixed === '~' || fixed.startsWith('~/')) return normalize(`${home}${fixed.slice(1)}`);
  return normalize(fixed.startsWith('/') ? fixed : `${base}/${fixed}`);
}

/** The variables that a sandboxed command gets unchanged; all others stay outside. */
const KEPT: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TERM', 'COLORTERM', 'NO_COLOR'],
  ...'COLUMNS LINES XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME NVM_DIR VIRTUAL_ENV'.split(' '),
]);

/** A sandbox has no user to ask and no screen to page on, and git takes no locks for mere reads. */
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
function isKeptVariable(name: string): boolean {
  return (KEPT.has(name) || name.startsWith('LC_')) && !isSecretName(name);
}

function isKept(name: string, value: string | undefined): boolean {
  return value !== undefined && isKeptVariable(name) && !value.startsWith('() {');
}

/** The messages of programs about a sandbox's refusals, and their meaning. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/read-only file system|\bEROFS\b/i, messages.WROTE],
  [
    /network is unreachable|could not resolve host|name resolution|name or service not known|\bENETUNREACH\b|\bEAI_AGAIN\b/i,
    messages.NO_NETWORK,
  ],
  [/resource temporarily unavailable|cannot allocate memory|no space left on device|file size limit exceeded/i, messages.LIMIT_REACHED],
  [
    joinedRegExp(
      'i',
      String.raw`operation not permitted|\bEPERM\b|connect(?:(?!connect).)*permission denied`,
      '|permission denied(?:(?!permission denied).)*(?:socket|connect)',
    ),
    messages.FORBIDDEN,
  ],
];

/** The differences of a sandbox. */
export interface KeptApart {
  /** Names of the files that the sandbox hides. The sandbox does not deny any other file. */
  readonly names: readonly string[];
  /** Whether a path, as it was written, leads to a hidden file. */
  isHidden(path: string): boolean;
  /** The folder that is empty in there and that a path, or a program of this name, lies in outside; null for none. */
  emptyFolderOf(path: string): string | null;
}

const DENIED = /permission denied|\bEACCES\b/i;
const MISSING = /no such file|not found|does not exist|not a git repository|\bENOENT\b/i;
/** The most lines of the output to look through. */
const MOST_LINES = 200;

/** Why a sandboxed command failed, if its output shows that the sandbox blocked it; null otherwise. */
export function whyBlocked(output: string, kept: KeptApart): string | null {
  const sign = SIGNS.find(([pattern]) => pattern.test(output));
  if (sign !== undefined) return sign[1];
  const lines = output.split('\n').slice(0, MOST_LINES);
  for (const line of lines) {
    if (DENIED.test(line)) {
      const name = kept.names.find((one) => line.includes(one)) ?? pathsIn(line).find((path) => kept.isHidden(path));
      if (name !== undefined) return messages.formatHidden(name);
    }
    if (!MISSING.test(line)) continue;
    for (const path of pathsIn(line)) {
      const folder = kept.emptyFolderOf(path);
      if (folder !== null) return messages.formatEmptied(path, folder);
    }
  }
  return null;
}

/** Parts of a message that may be a path: text in quotes, text between colons and its last word, and text that begins as a path does. */
function pathsIn(line: string): readonly string[] {
  const quoted = [...line.matchAll(/['"‘`]([^'"’`]+)(['"’`]|$)/g)].flatMap(([, text = '', end]) => (end === '' ? [] : text));
  const parts = line.split(/:(?:\s|$)/).map((part) => part.trim());
  const last = parts.flatMap((part) => (part.includes(' ') ? part.slice(part.lastIndexOf(' ') + 1) : []));
  const plain = [...line.matchAll(/(?:^|\s)(~?\/[^\s:;,'"]+)/g)].flatMap(([, text]) => text ?? []);
  return [...quoted, ...parts, ...last, ...plain].filter((text) => text !== '');
}
