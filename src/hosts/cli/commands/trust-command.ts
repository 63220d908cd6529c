import { type FileText, readConfigFile } from '../../../adapters/config/config-file.ts';
import { findProjectNotes, type NotesFile } from '../../../adapters/config/find-notes.ts';
import { findProjectFile } from '../../../adapters/config/load.ts';
import { TrustStore } from '../../../adapters/config/trust.ts';
import {
  type ExtensionContext,
  type ExtensionFile,
  listCommandFiles,
  listHookFiles,
  listSkillFiles,
} from '../../../adapters/extend/extension-files.ts';
import { MEMORY_NAME } from '../../../adapters/store/memory-store.ts';
import { describeShare } from '../../../core/context/format-notes.ts';
import { formatTable } from '../../../core/terminal/table.ts';
import { quoteText, wrapText } from '../../../core/terminal/wrap.ts';
import { formatUnifiedDiff } from '../../../core/text/diff.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import { AishError } from '../../../protocol/error.ts';
import { askAtTerminal, outputColumns } from '../setup/output-terminal.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import * as messages from './messages.ts';
import { TRUST_TEXTS } from './messages-extend.ts';

/** The place of `aish config trust`. */
interface TrustPlace extends ExtensionContext {
  /** The state folder of aish. */
  readonly state: string;
}

/** A project file that has its full effect only if the user trusts it. */
interface ProjectFile extends Pick<FileText, 'path' | 'text'> {
  readonly kind: keyof typeof TRUST_TEXTS;
  /** The reason why the rest is not shown. */
  readonly cut?: string;
}

/** Files with one question: a skill or a set of hooks may have many. */
type Group = readonly [ProjectFile, ...(readonly ProjectFile[])];

/** Room for the word that answers. */
const ANSWER_LENGTH = 5;

/** `aish config trust`: shows each file of the project, or its changes since the user trusted it, and asks. Returns the text to print. */
export function trustProject(place: TrustPlace): string {
  const store = new TrustStore(place.state);
  return projectFiles(place)
    .map((group) => trustFiles(group, store))
    .join('\n');
}

function trustFiles(group: Group, store: TrustStore): string {
  const [{ kind }] = group;
  const looked = group.map((file) => ({
    file,
    shown: escapeForDisplay(file.path),
    trust: store.look(file.path, file.text),
  }));
  const open = looked.filter(({ trust }) => trust.state !== 'trusted');
  const known = looked.filter((one) => !open.includes(one)).map(({ shown }) => messages.formatTrustedAlready(shown));
  if (open.length === 0) return known.join('\n');
  const columns = outputColumns() ?? 80;
  for (const { file, trust } of open)
    PROCESS_OUTPUT.out(describe(file, trust.state === 'changed' ? trust.before : null, columns));
  const answer = askAtTerminal(`${wrapText(TRUST_TEXTS[kind].question.trim(), columns - ANSWER_LENGTH)} `);
  if (answer === null)
    throw new AishError('trust.nobody', messages.formatOnlyAtTerminal(open[0]?.file.path ?? ''), {
      hint: messages.formatRunAtTerminal('aish config trust'),
    });
  if (answer.trim().toLowerCase() !== 'yes') return [...known, TRUST_TEXTS[kind].refused].join('\n');
  for (const { file } of open) store.trust(file.path, file.text);
  return [...known, ...open.map(({ shown }) => messages.formatTrusted(shown, TRUST_TEXTS[kind].trusted))].join('\n');
}

/** `aish config untrust`: from the next start, the file can only make things stricter, and aish does not send the notes. */
export function untrustProject(place: TrustPlace): string {
  const store = new TrustStore(place.state);
  const lines = projectFiles(place)
    .flat()
    .map(({ path }) => messages.formatUntrusted(escapeForDisplay(path), store.untrust(path)));
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

/** The configuration of the project, its facts, its notes from the root down, and its commands. */
function projectFiles(place: TrustPlace): readonly Group[] {
  const { cwd } = place;
  const read = (path: string | null): FileText | null => (path === null ? null : readConfigFile(path));
  const config = read(findProjectFile(cwd));
  const memory = read(findProjectFile(cwd, MEMORY_NAME));
  const groups: readonly (readonly ProjectFile[])[] = [
    config === null ? [] : [{ ...config, kind: 'config' }],
    memory === null ? [] : [{ ...memory, kind: 'memory' }],
    ...findProjectNotes(cwd).map((notes) => [{ ...notes, ...describeCut(notes), kind: 'notes' as const }]),
    ofProject(listCommandFiles(place), 'commands'),
    ofProject(listHookFiles(place), 'hooks'),
    ...listSkillFiles(place).map((files) => ofProject(files, 'skill')),
  ];
  const found = groups.filter(isGroup);
  if (found.length > 0) return found;
  throw new AishError('trust.no-file', messages.formatNoProjectFile(cwd), { hint: messages.NO_PROJECT_FILE_HINT });
}

function ofProject(files: readonly ExtensionFile[], kind: ProjectFile['kind']): readonly ProjectFile[] {
  return files.filter(({ origin }) => origin === 'project').map(({ path, text }) => ({ path, text, kind }));
}

function isGroup(files: readonly ProjectFile[]): files is Group {
  return files.length > 0;
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
