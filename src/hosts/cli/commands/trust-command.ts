import { readSync } from 'node:fs';
import { isatty } from 'node:tty';
import { findProjectNotes, type NotesFile } from '../../../adapters/config/find-notes.ts';
import { findProjectFile } from '../../../adapters/config/project-file.ts';
import { type FileText, readConfigFile } from '../../../adapters/config/read-file.ts';
import { TrustStore } from '../../../adapters/config/trust.ts';
import { describeShare } from '../../../core/context/format-notes.ts';
import { formatUnifiedDiff } from '../../../core/text/diff.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import { AishError } from '../../../protocol/error.ts';
import { quoteText, wrapText } from '../screen/wrap.ts';

/** Where trust is looked for and asked. */
export interface TrustContext {
  readonly cwd: string;
  /** aish's folder for what it remembers. */
  readonly state: string;
  readonly print: (text: string) => void;
  /** Width of the window that it is read in. */
  readonly columns: number;
  /** What the user answers; null where nobody is there. */
  readonly ask: (question: string) => string | null;
}

/** A file of a project that says something only to those who trust it. */
interface ProjectFile extends Pick<FileText, 'path' | 'text'> {
  readonly kind: 'config' | 'notes';
  /** Why the rest of it is not shown, where there is one. */
  readonly cut?: string;
}

/** Room for the word that answers. */
const ANSWER_LENGTH = 5;

const QUESTIONS: Readonly<Record<ProjectFile['kind'], string>> = {
  config: 'Let it say all of this, as your own file could? Type yes: ',
  notes: 'Send this to the model with every request of sessions here? Type yes: ',
};

const REFUSED: Readonly<Record<ProjectFile['kind'], string>> = {
  config: 'nothing changed: the file may only tighten',
  notes: 'nothing changed: the notes are not sent',
};

const TRUSTED: Readonly<Record<ProjectFile['kind'], string>> = {
  config: 'what runs already reads it at its next start',
  notes: 'sessions here send it from their next message on',
};

/**
 * `aish config trust`: shows each file of the project, or what changed in it since it was trusted, and asks. The answer is what is said
 * then.
 */
export function trustProject(context: TrustContext): string {
  return projectFiles(context)
    .map((file) => trustFile(file, context))
    .join('\n');
}

function trustFile(file: ProjectFile, { state, print, ask, columns }: TrustContext): string {
  const store = new TrustStore(state);
  const trust = store.look(file.path, file.text);
  const shown = escapeForDisplay(file.path);
  if (trust.state === 'trusted') return `${shown} is trusted already, as it is now`;
  print(describe(file, trust.state === 'changed' ? trust.before : null, columns));
  const answer = ask(`${wrapText(QUESTIONS[file.kind].trim(), columns - ANSWER_LENGTH)} `);
  if (answer === null) {
    throw new AishError('trust.nobody', `only a user at a terminal can trust ${file.path}`, {
      hint: 'run aish config trust in a terminal',
    });
  }
  if (answer.trim().toLowerCase() !== 'yes') return REFUSED[file.kind];
  store.trust(file.path, file.text);
  return `trusted ${shown}, with exactly this content; ${TRUSTED[file.kind]}`;
}

/** `aish config untrust`: from its next start on the project's file may only tighten, and its notes are not sent. */
export function untrustProject(context: Pick<TrustContext, 'cwd' | 'state'>): string {
  const store = new TrustStore(context.state);
  const lines = projectFiles(context).map(
    ({ path }) => `${escapeForDisplay(path)} ${store.untrust(path) ? 'is trusted no more' : 'was not trusted'}`,
  );
  return lines.join('\n');
}

/** Asks at the terminal of this process, a line at a time. */
export function askAtTerminal(question: string, print: (text: string) => void): string | null {
  if (!isatty(0) || !isatty(1)) return null;
  print(question);
  const bytes = Buffer.alloc(256);
  return bytes.toString('utf8', 0, readSync(0, bytes));
}

function describe({ path, text, cut }: ProjectFile, before: string | null, columns: number): string {
  const say = (words: string): string => wrapText(words, columns);
  const name = escapeForDisplay(path);
  const rest = cut === undefined ? '' : `\n${say(cut)}\n`;
  if (before === null) return `${say(name)}\n\n${quote(text, columns)}\n${rest}`;
  const diff = formatUnifiedDiff({ path: path.slice(1), before, after: text });
  return `${say(`${name}: changed since you trusted it`)}\n\n${quote(diff, columns)}\n${rest}`;
}

function describeCut({ read, bytes }: NotesFile): Pick<ProjectFile, 'cut'> {
  if (read >= bytes) return {};
  return { cut: `this is ${describeShare(read, bytes)}: no more of it is ever sent, so no more is shown` };
}

function quote(text: string, columns: number): string {
  const block = text.replace(/\n$/, '').replaceAll('\t', '    ');
  return quoteText(escapeForDisplay(block, { multiline: true }), columns).join('\n');
}

/** The configuration of the project, and its notes from the root down. */
function projectFiles({ cwd }: Pick<TrustContext, 'cwd'>): readonly ProjectFile[] {
  const path = findProjectFile(cwd);
  const config = path === null ? null : readConfigFile(path);
  const files: readonly ProjectFile[] = [
    ...(config === null ? [] : [{ ...config, kind: 'config' as const }]),
    ...findProjectNotes(cwd).map((notes) => ({ ...notes, ...describeCut(notes), kind: 'notes' as const })),
  ];
  if (files.length > 0) return files;
  throw new AishError('trust.no-file', `there is neither .aish/config.toml nor AGENTS.md of a project around ${cwd}`, {
    hint: 'go into the project, or make the file',
  });
}
