import { readdirSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { type CustomCommand, parseCustomCommand, parseSkill, type Skill } from '../../core/extend/extensions.ts';
import { attempt } from '../../core/text/attempt.ts';
import { findProjectFile } from '../config/load.ts';
import { projectAround } from '../config/paths.ts';
import { TrustStore } from '../config/trust.ts';
import { readBeginning, toRealPath } from '../system/file-status.ts';
import { killGroup } from '../system/processes.ts';

/** The places where the files of commands, skills and hooks may lie. */
export interface ExtensionContext {
  readonly cwd: string;
  readonly home: string;
  /** The user's configuration folder. */
  readonly config: string;
  /** More folders, from the user's configuration: `[extend] folders`. */
  readonly folders: readonly string[];
}

/** A file of a command, a skill or a hook. Those of a project are used only with content that the user trusts. */
export interface ExtensionFile {
  readonly path: string;
  readonly origin: 'user' | 'project';
  readonly text: string;
}

interface Place {
  readonly folder: string;
  readonly origin: ExtensionFile['origin'];
}

/** A larger file is no instruction, and trust keeps a copy of each. */
const LARGEST = 256 * 1024;

/** More files than these in one folder are left out. */
const MOST_FILES = 200;

/** Folders below one another. */
const DEEPEST = 4;

/** The folders with `commands` and `skills`, the user's own before those of the project. */
function listPlaces({ cwd, home, config, folders }: ExtensionContext): readonly Place[] {
  const project = projectAround(cwd, home);
  const isProject = project !== home && !home.startsWith(`${project}/`);
  const added = folders.map((named): Place => {
    const folder = named.replace(/^~(?=\/|$)/, home);
    if (!isAbsolute(folder)) return { folder: join(project, folder), origin: 'project' };
    const isInside = isProject && `${toRealPath(folder)}/`.startsWith(`${toRealPath(project)}/`);
    return { folder, origin: isInside ? 'project' : 'user' };
  });
  const nearest = findProjectFile(cwd, '');
  const all: readonly Place[] = [
    { folder: config, origin: 'user' },
    ...added,
    ...(nearest === null ? [] : [{ folder: nearest.replace(/\/$/, ''), origin: 'project' as const }]),
  ];
  return all.toSorted((one, other) => Number(one.origin === 'project') - Number(other.origin === 'project'));
}

/** The files of custom commands, by their names. Codex keeps them in `prompts`. */
export function listCommandFiles(context: ExtensionContext): readonly (ExtensionFile & { readonly name: string })[] {
  return listPlaces(context).flatMap(({ folder, origin }) =>
    ['commands', 'prompts'].flatMap((kind) =>
      listFiles(join(folder, kind), 1)
        .filter((path) => path.endsWith('.md'))
        .flatMap((path) => readExtension(path, origin))
        .map((file) => ({ ...file, name: basename(file.path, '.md') })),
    ),
  );
}

/** A skill as it is found, with the files of its folder. */
export interface FoundSkill extends Skill {
  readonly folder: string;
  readonly origin: ExtensionFile['origin'];
  readonly isTrusted: boolean;
}

/** The skills that hold in a directory. The user's own win over those of the project. */
export function findSkills(context: ExtensionContext & { readonly state: string }): readonly FoundSkill[] {
  const trust = new TrustStore(context.state);
  const found = new Map<string, FoundSkill>();
  for (const { folder, origin } of listSkillFolders(context)) {
    const [file] = readExtension(join(folder, SKILL_NAME), origin);
    const skill = file === undefined ? null : parseSkill(basename(folder), file.path, file.text);
    if (file === undefined || skill === null || found.has(skill.name)) continue;
    found.set(skill.name, { ...skill, folder, origin, isTrusted: isTrusted(file, trust) });
  }
  return [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether the user trusts a file of a skill: a text in its folder, also behind links. */
export function isFileOfSkill(path: string, { folder, origin }: FoundSkill, trust: Pick<TrustStore, 'look'>): boolean {
  if (!path.startsWith(`${toRealPath(folder)}/`)) return false;
  const named = join(folder, path.slice(toRealPath(folder).length + 1));
  return readExtension(named, origin).some((file) => isTrusted(file, trust));
}

/** The files of the skills of a project, each skill with its own. */
export function listSkillFiles(context: ExtensionContext): readonly (readonly ExtensionFile[])[] {
  return listSkillFolders(context).map(({ folder, origin }) =>
    listFiles(folder, DEEPEST).flatMap((path) => readExtension(path, origin)),
  );
}

const SKILL_NAME = 'SKILL.md';

function listSkillFolders(context: ExtensionContext): readonly Place[] {
  return listPlaces(context).flatMap(({ folder, origin }) => {
    const names = attempt(() => readdirSync(join(folder, 'skills')), []).toSorted();
    return names.map((name) => ({ folder: join(folder, 'skills', name), origin }));
  });
}

/** The files that a project's hooks may run: `.aish/hooks`. */
export function listHookFiles({ cwd }: Pick<ExtensionContext, 'cwd'>): readonly ExtensionFile[] {
  const folder = findProjectFile(cwd, 'hooks');
  return folder === null ? [] : listFiles(folder, DEEPEST).flatMap((path) => readExtension(path, 'project'));
}

/** Whether a file may be used: the user's own, or a file of a project whose exact content the user trusts. */
function isTrusted({ path, origin, text }: ExtensionFile, trust: Pick<TrustStore, 'look'>): boolean {
  return origin === 'user' || trust.look(path, text).state === 'trusted';
}

/** A command as it is found: ready for use, or held back because its file belongs to a project and the user does not trust its content. */
export interface FoundCommand extends CustomCommand {
  readonly isTrusted: boolean;
}

/** The custom commands that hold in a directory. The user's own win over those of the project. */
export function findCustomCommands(context: ExtensionContext & { readonly state: string }): readonly FoundCommand[] {
  const trust = new TrustStore(context.state);
  const found = new Map<string, FoundCommand>();
  for (const file of listCommandFiles(context)) {
    const command = parseCustomCommand(file.name, file.path, file.text);
    if (command !== null && !found.has(file.name))
      found.set(file.name, { ...command, isTrusted: isTrusted(file, trust) });
  }
  return [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether a path is a file of a project with content that the user trusts. */
export function readTrustedFile(path: string, trust: Pick<TrustStore, 'look'>): boolean {
  return readExtension(path, 'project').some((file) => isTrusted(file, trust));
}

/** None for anything but a text: a pipe would block, and nobody can review bytes. */
function readExtension(path: string, origin: ExtensionFile['origin']): readonly ExtensionFile[] {
  const found = attempt(() => readBeginning(path, LARGEST + 1), null);
  if (found === null || found.bytes.length > LARGEST || found.bytes.includes(0)) return [];
  return [{ path, origin, text: found.bytes.toString('utf8') }];
}

/** The files of a folder and of the folders in it, sorted by their paths. */
function listFiles(folder: string, depth: number): readonly string[] {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true }), []);
  const sorted = entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const found = sorted.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) return [];
    return entry.isDirectory() ? (depth === 0 ? [] : listFiles(path, depth - 1)) : [path];
  });
  return found.slice(0, MOST_FILES);
}

interface HookRequest {
  /** A line for `/bin/sh`. */
  readonly line: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** One JSON object for its standard input. */
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The end of a hook. */
interface HookEnd {
  /** Its output; complete only if nothing cut it short. */
  readonly output: string;
  readonly errors: string;
  readonly exit: number;
  /** The limit that ended it, or that it could not start; null for neither. */
  readonly cut: 'time' | 'size' | 'start' | null;
}

/** Most bytes of its output, and of its errors. */
const MOST_OUTPUT = 64 * 1024;

/** Runs a hook in a process group of its own, which ends with it, at its limits, and with the signal. */
export async function runHook({ line, cwd, env, input, timeoutMs, signal }: HookRequest): Promise<HookEnd> {
  const child = attempt(
    () =>
      Bun.spawn(['/bin/sh', '-c', line], {
        cwd,
        env,
        detached: true,
        stdin: new TextEncoder().encode(input),
        stdout: 'pipe',
        stderr: 'pipe',
      }),
    null,
  );
  if (child === null) return { output: '', errors: '', exit: -1, cut: 'start' };
  let cut: HookEnd['cut'] = null;
  const end = (why: HookEnd['cut']): void => {
    cut ??= why;
    killGroup(child.pid);
  };
  const stop = (): void => end(null);
  const timer = setTimeout(() => end('time'), timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const read = (stream: ReadableStream<Uint8Array>): Promise<string> => readBounded(stream, () => end('size'));
  try {
    // A process that it left behind may hold its output open: what counts is the hook itself.
    const all = Promise.all([read(child.stdout), read(child.stderr)]);
    const exit = await child.exited;
    killGroup(child.pid);
    const [output, errors] = await all;
    return { output, errors, exit, cut };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

async function readBounded(stream: ReadableStream<Uint8Array>, onTooMuch: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of stream) {
    if (text.length > MOST_OUTPUT) continue;
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MOST_OUTPUT) onTooMuch();
  }
  return text;
}
