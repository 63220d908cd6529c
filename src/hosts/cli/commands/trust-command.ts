import { findProjectNotes, type NotesFile } from '../../../adapters/config/find-notes.ts';
import { findProjectFile } from '../../../adapters/config/load.ts';
import { type FileText, readConfigFile } from '../../../adapters/config/read-file.ts';
import { TrustStore } from '../../../adapters/config/trust.ts';
import { MEMORY_NAME } from '../../../adapters/store/memory-store.ts';
import { describeShare } from '../../../core/context/format-notes.ts';
import { formatUnifiedDiff } from '../../../core/text/diff.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import { AishError } from '../../../protocol/error.ts';
import { formatTable } from '../screen/table.ts';
import { quoteText, wrapText } from '../screen/wrap.ts';
import { askAtTerminal, outputColumns } from '../setup/output-terminal.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import * as messages from './messages.ts';
import { MEMORY_NOT_TRUSTED, MEMORY_TRUSTED, TRUST_MEMORY_QUESTION } from './messages-memory.ts';

/** The place of `aish config trust`. */
interface TrustPlace {
  readonly cwd: string;
  /** The state folder of aish. */
  readonly state: string;
}

/** A project file that has its full effect only if the user trusts it. */
interface ProjectFile extends Pick<FileText, 'path' | 'text'> {
  readonly kind: 'config' | 'notes' | 'memory';
  /** The reason why the rest is not shown. */
  readonly cut?: string;
}

/** Room for the word that answers. */
const ANSWER_LENGTH = 5;

const TEXTS = {
  config: {
    question: messages.TRUST_CONFIG_QUESTION,
    refused: messages.CONFIG_NOT_TRUSTED,
    trusted: messages.CONFIG_TRUSTED,
  },
  notes: {
    question: messages.TRUST_NOTES_QUESTION,
    refused: messages.NOTES_NOT_TRUSTED,
    trusted: messages.NOTES_TRUSTED,
  },
  memory: {
    question: TRUST_MEMORY_QUESTION,
    refused: MEMORY_NOT_TRUSTED,
    trusted: MEMORY_TRUSTED,
  },
} as const;

/** `aish config trust`: shows each file of the project, or its changes since the user trusted it, and asks. Returns the text to print. */
export function trustProject({ cwd, state }: TrustPlace): string {
  const texts = projectFiles(cwd).map((file) => trustFile(file, new TrustStore(state)));
  return texts.join('\n');
}

function trustFile(file: ProjectFile, store: TrustStore): string {
  const trust = store.look(file.path, file.text);
  const shown = escapeForDisplay(file.path);
  if (trust.state === 'trusted') return messages.formatTrustedAlready(shown);
  const columns = outputColumns() ?? 80;
  PROCESS_OUTPUT.out(describe(file, trust.state === 'changed' ? trust.before : null, columns));
  const answer = askAtTerminal(`${wrapText(TEXTS[file.kind].question.trim(), columns - ANSWER_LENGTH)} `);
  if (answer === null) {
    throw new AishError('trust.nobody', messages.formatOnlyAtTerminal(file.path), {
      hint: messages.formatRunAtTerminal('aish config trust'),
    });
  }
  if (answer.trim().toLowerCase() !== 'yes') return TEXTS[file.kind].refused;
  store.trust(file.path, file.text);
  return messages.formatTrusted(shown, TEXTS[file.kind].trusted);
}

/** `aish config untrust`: from the next start, the file can only make things stricter, and aish does not send the notes. */
export function untrustProject({ cwd, state }: TrustPlace): string {
  const store = new TrustStore(state);
  const lines = projectFiles(cwd).map(({ path }) =>
    messages.formatUntrusted(escapeForDisplay(path), store.untrust(path)),
  );
  return lines.join('\n');
}

function describe({ path, text, cut }: ProjectFile, before: string | null, columns: number): string {
  const say = (words: string): string => wrapText(words, columns);
  const name = escapeForDisplay(path);
  const rest = cut === undefined ? '' : `\n${say(cut)}\n`;
  if (before === null) return `${say(name)}\n\n${quote(text, columns)}\n${rest}`;
  const diff = formatUnifiedDiff({ path: path.slice(1), before, after: text });
  return `${say(messages.formatChangedSince(name))}\n\n${quote(diff, columns)}\n${rest}`;
}

function describeCut({ read, bytes }: NotesFile): Pick<ProjectFile, 'cut'> {
  if (read >= bytes) return {};
  return { cut: messages.formatCut(describeShare(read, bytes)) };
}

function quote(text: string, columns: number): string {
  const block = text.replace(/\n$/, '').replaceAll('\t', '    ');
  return quoteText(escapeForDisplay(block, { multiline: true }), columns).join('\n');
}

/** The configuration of the project, its facts, and its notes from the root down. */
function projectFiles(cwd: string): readonly ProjectFile[] {
  const read = (path: string | null): FileText | null => (path === null ? null : readConfigFile(path));
  const config = read(findProjectFile(cwd));
  const memory = read(findProjectFile(cwd, MEMORY_NAME));
  const files: readonly ProjectFile[] = [
    ...(config === null ? [] : [{ ...config, kind: 'config' as const }]),
    ...(memory === null ? [] : [{ ...memory, kind: 'memory' as const }]),
    ...findProjectNotes(cwd).map((notes) => ({ ...notes, ...describeCut(notes), kind: 'notes' as const })),
  ];
  if (files.length > 0) return files;
  throw new AishError('trust.no-file', messages.formatNoProjectFile(cwd), { hint: messages.NO_PROJECT_FILE_HINT });
}

/** `:trust list`: the untrusted content that the model has read in this session. */
export function listUntrusted({ session }: LiveSession): string {
  const { sources, paths } = session.state.taint;
  if (sources.length === 0 && paths.length === 0) return messages.NO_TAINT;
  const rows = [
    ...sources.map(({ kind, name }) => [escapeForDisplay(name), messages.TAINT_KINDS[kind]]),
    ...paths.map((path) => [escapeForDisplay(path), messages.TAINTED_PATH]),
  ];
  return `${messages.TAINT_HEAD}\n${formatTable(rows)}\n${messages.TAINT_EFFECT}`;
}

/** `:trust`: the user has looked at what the model read so far. Null if the session rejected it, which its event shows. */
export function trustContent({ session }: LiveSession): string | null {
  if (session.take({ type: 'trust' }) !== null) return null;
  return messages.TRUSTED_CONTENT;
}
