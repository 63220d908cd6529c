import { readSync } from 'node:fs';
import { isatty } from 'node:tty';
import { findProjectFile } from '../../adapters/config/project-file.ts';
import { type FileText, readConfigFile } from '../../adapters/config/read-file.ts';
import { TrustStore } from '../../adapters/config/trust.ts';
import { formatUnifiedDiff } from '../../core/diff.ts';
import { escapeBlock, escapeForDisplay } from '../../core/sanitize.ts';
import { AishError } from '../../protocol/error.ts';

/** Where trust is looked for and asked. */
export interface TrustContext {
  readonly cwd: string;
  /** aish's folder for what it remembers. */
  readonly state: string;
  readonly print: (text: string) => void;
  /** What the person answers; null where nobody is there. */
  readonly ask: (question: string) => string | null;
}

/** `aish config trust`: shows the project's file, or what changed in it since it was trusted, and asks. The answer is what is said then. */
export function trustProject({ cwd, state, print, ask }: TrustContext): string {
  const file = projectFile(cwd);
  const store = new TrustStore(state);
  const trust = store.look(file.path, file.text);
  const shown = escapeForDisplay(file.path);
  if (trust.state === 'trusted') return `${shown} is trusted already, as it is now`;
  print(describe(file, trust.state === 'changed' ? trust.before : null));
  const answer = ask('Let it say all of this, as your own file could? Type yes: ');
  if (answer === null) {
    throw new AishError('trust.nobody', `only a person at a terminal can trust ${file.path}`, {
      hint: 'run aish config trust in a terminal',
    });
  }
  if (answer.trim().toLowerCase() !== 'yes') return 'nothing changed: the file may only tighten';
  store.trust(file.path, file.text);
  return `trusted ${shown}, with exactly this content; what runs already reads it at its next start`;
}

/** `aish config untrust`: from its next start on the project's file may only tighten. */
export function untrustProject({ cwd, state }: Pick<TrustContext, 'cwd' | 'state'>): string {
  const { path } = projectFile(cwd);
  const was = new TrustStore(state).untrust(path);
  return `${escapeForDisplay(path)} ${was ? 'is trusted no more' : 'was not trusted'}`;
}

/** Asks at the terminal of this process, a line at a time. */
export function askAtTerminal(question: string, print: (text: string) => void): string | null {
  if (!isatty(0) || !isatty(1)) return null;
  print(question);
  const bytes = Buffer.alloc(256);
  return bytes.toString('utf8', 0, readSync(0, bytes));
}

function describe({ path, text }: FileText, before: string | null): string {
  const name = escapeForDisplay(path);
  if (before === null) return `${name}\n\n${quote(text)}\n`;
  const diff = formatUnifiedDiff({ path: path.slice(1), before, after: text });
  return `${name}: changed since you trusted it\n\n${quote(diff)}\n`;
}

function quote(text: string): string {
  return escapeBlock(text.replace(/\n$/, '')).replaceAll(/^/gm, '  | ');
}

function projectFile(cwd: string): FileText {
  const path = findProjectFile(cwd);
  const file = path === null ? null : readConfigFile(path);
  if (file !== null) return file;
  throw new AishError('trust.no-file', `there is no .aish/config.toml of a project around ${cwd}`, {
    hint: 'go into the project, or make the file',
  });
}
