import { isSecretName } from '../commands/scope.ts';
import type { LineContext } from '../policy/classify-line.ts';
import { readPattern } from '../text/glob.ts';

/**
 * Unusual ways in which a shell reads patterns and paths. `dots`: a star matches hidden names. `folds`: case is ignored. `none`: there are
 * no patterns. `empty`: a pattern without matches expands to nothing. `fails`: a pattern without matches is an error. `deep`: `**` matches
 * all folders. `parents`: `.*` matches `..` too. `cd-path`: `cd` searches other places first.
 */
export type ShellHabit = 'dots' | 'folds' | 'none' | 'empty' | 'fails' | 'deep' | 'parents' | 'cd-path';

/** The state of the shell that a line would run in, as of its last prompt. */
interface ShellState {
  readonly habits: ReadonlySet<ShellHabit>;
  /** Exported variables with paths and no secrets. */
  readonly variables: ReadonlyMap<string, string>;
}

/** The surroundings of a line, with the state of its shell. */
export interface ImpactContext extends LineContext {
  readonly shell?: ShellState;
}

interface ShellReport {
  readonly shell: string;
  /** Names of the enabled options; none if the shell has not reported them. */
  readonly options: readonly string[];
  readonly names: readonly string[];
  readonly exports: Readonly<Record<string, string>>;
}

const BASH: Readonly<Record<string, ShellHabit>> = {
  dotglob: 'dots',
  nocaseglob: 'folds',
  noglob: 'none',
  nullglob: 'empty',
  failglob: 'fails',
  globstar: 'deep',
};
const ZSH: Readonly<Record<string, ShellHabit>> = { globdots: 'dots', nullglob: 'empty', cshnullglob: 'empty', nomatch: 'fails' };

/** Reads the shell's report. */
export function readShellState({ shell, options, names, exports }: ShellReport): ShellState {
  const on = new Set(options);
  const habits = new Set<ShellHabit>();
  const table = shell === 'zsh' ? ZSH : BASH;
  if (shell === 'fish') habits.add('fails');
  for (const option of on) {
    const habit = Object.hasOwn(table, option) ? table[option] : undefined;
    if (habit !== undefined) habits.add(habit);
  }
  if (on.size > 0 && shell === 'zsh' && !on.has('glob')) habits.add('none');
  if (on.size > 0 && shell === 'zsh' && !on.has('caseglob')) habits.add('folds');
  if (on.size > 0 && shell === 'bash' && !on.has('globskipdots')) habits.add('parents');
  if (shell === 'bash' ? names.includes('CDPATH') : (exports.CDPATH ?? '') !== '') habits.add('cd-path');
  return { habits, variables: new Map(Object.entries(exports).filter(isOfUse)) };
}

/** Values that are paths, or words too short for a secret. */
const OF_USE = /^(?:(?:~|\.{0,2})\/[\w./@+,: -]{0,1000}|[\w.-]{1,16})$/;
/** Variables that the shell, or the place of the line, sets. */
const OWN = /^(?:_|IFS|PWD|OLDPWD|HOME|SHLVL|BASH.*|ZSH.*|RANDOM|SECONDS|LINENO)$/;

function isOfUse([name, value]: readonly [string, string]): boolean {
  return !OWN.test(name) && !isSecretName(name) && OF_USE.test(value);
}

/** The text before a name, with all attributes that bash and zsh print for exported variables. */
const HEAD = String.raw`^(?:(?:declare|typeset) -(?=[a-zA-Z]*x)[a-zA-Z]+|export(?: -[a-zA-Z]+)*) (\w+)=`;
const DOUBLE = String.raw`"(?:[^"\\]|\\[\s\S])*"`;
const ANSI = String.raw`\$'(?:[^'\\]|\\[\s\S])*'`;
const SINGLE = `'[^']*'`;
const BARE = String.raw`[^'"\s$\\]|\\[\s\S]`;

const LINE = new RegExp(`${HEAD}((?:${DOUBLE}|${ANSI}|${SINGLE}|${BARE})*)$`, 'gm');
const PIECE = new RegExp(`${DOUBLE}|${ANSI}|${SINGLE}|${BARE}`, 'g');

/** The variables in a list of exports, as bash and zsh print it. Other forms are skipped. */
export function parseExports(printed: string): Record<string, string> {
  const [text = ''] = printed.split('\0');
  const found: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(LINE)) found[name] = value.replace(PIECE, unquote);
  return found;
}

function unquote(piece: string): string {
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\(["\\$`])/g, '$1');
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('$')) return piece.slice(2, -1).replace(ESCAPE, readEscape);
  return piece.startsWith('\\') ? piece.slice(1) : piece;
}

const ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|[uU]([0-9a-fA-F]{1,8})|C-([\s\S])|([\s\S]))/g;

const SIGNS: Readonly<Record<string, string>> = { a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

function readEscape(all: string, octal?: string, hex?: string, code?: string, control?: string, sign = ''): string {
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (code !== undefined) {
    const point = Number.parseInt(code, 16);
    return point > 0x10ffff ? all : String.fromCodePoint(point);
  }
  if (control !== undefined) return control === '?' ? '\x7f' : String.fromCharCode(control.charCodeAt(0) & 0x1f);
  return SIGNS[sign] ?? sign;
}

/** A part of a pattern between two slashes. */
export interface GlobPart {
  /** The literal name; null for a pattern. */
  readonly name: string | null;
  /** The pattern begins with a dot. */
  readonly isDotted: boolean;
  readonly matches: (name: string) => boolean;
}

/** Unusual matching options of a shell. */
interface GlobHabits {
  /** A star matches hidden names. */
  readonly dots?: boolean;
  readonly folds?: boolean;
}

/** The parts of a pattern, with a backslash before quoted characters. */
export function readGlob(pattern: string, { dots = false, folds = false }: GlobHabits = {}): readonly GlobPart[] {
  return splitParts(pattern).map((part) => {
    if (!hasPattern(part)) return { name: part.replace(/\\(.)/gs, '$1'), isDotted: false, matches: () => false };
    const matches = readPattern(part, { folds });
    const isDotted = part.startsWith('.') || part.startsWith('\\.');
    return { name: null, isDotted, matches: (name) => (isDotted || dots || !name.startsWith('.')) && matches(name) };
  });
}

function splitParts(pattern: string): readonly string[] {
  const parts: string[] = [''];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? '';
    if (character === '\\') {
      parts[parts.length - 1] += character + (pattern[at + 1] ?? '');
      at += 1;
    } else if (character === '/') parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function hasPattern(part: string): boolean {
  const bare = part.replace(/\\./gs, '');
  return /[*?]/.test(bare) || /^[^[]*\[.+\]/s.test(bare);
}
