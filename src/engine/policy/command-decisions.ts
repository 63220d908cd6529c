import type { Shell } from '../../adapters/shell/shell.ts';
import { toRealPath } from '../../adapters/system/file-status.ts';
import type { Classification, HardDeny } from '../../core/commands/verdict.ts';
import type { Ruling } from '../../core/policy/rules.ts';
import type { CommandDecision, NamedProgram, NamedScript } from '../../protocol/tool.ts';
import { lazy } from './lazy.ts';
import { BUILT_IN_RULES, formatFileChanged, formatMeaningChanged, formatMeaningUnknown } from './messages.ts';

/** The decision of a ruling about a line in a directory. */
export async function toDecision(
  { decision, rule, hardDenials, classification }: Ruling,
  cwd: string,
): Promise<CommandDecision> {
  const { effectsOf } = await lazy.effectPolicy();
  return {
    class: classification.class,
    decision,
    effects: effectsOf(classification.parts),
    reasons: [],
    hardDenials,
    cwd,
    ...(rule === null ? {} : { rule }),
  };
}

/** The decision about a call that is never allowed. */
export function toRefused(
  why: Partial<Pick<CommandDecision, 'effects' | 'reasons'>>,
  hardDeny: HardDeny,
  cwd: string,
): CommandDecision {
  return {
    class: 'destructive',
    decision: 'deny',
    reasons: [],
    ...why,
    hardDenials: [hardDeny],
    cwd,
    rule: BUILT_IN_RULES.denies,
  };
}

/** The directories in which the commands of a line run and the paths they name, without links; null if a word or a directory is unknown. */
export function placesOf({ class: kind, parts, named }: Classification): string | null {
  if (parts.some(({ cwd, words }) => cwd === null || words.includes(null))) return null;
  const folders = parts.map(({ cwd }) => cwd ?? '');
  const paths = [...folders, ...named.map(({ path }) => path)];
  return JSON.stringify([kind, ...paths.map((path) => (path.startsWith('/') ? toRealPath(path) : path))]);
}

/** The answer if aish can offer no rule. */
export async function proposeNothing(): Promise<Pick<CommandDecision, 'proposal'>> {
  return {};
}

/** The meaning of a line beside its text. An approval is for that meaning only. */
type Meaning = Pick<CommandDecision, 'scripts' | 'programs'>;

type NamingShell = Pick<Shell, 'lookups'>;

/** Reads the content of the code files that a line names and would run, and the meaning of its first words in the shell. */
export async function seeMeaning(
  classification: Classification | null,
  shell: NamingShell | null,
  cwd: string,
): Promise<Meaning> {
  const [scripts, programs] = await Promise.all([scriptsOf(classification), programsOf(classification, shell, cwd)]);
  return { ...(scripts.length === 0 ? {} : { scripts }), ...(programs.length === 0 ? {} : { programs }) };
}

/** The change since the user saw a line, as a clause; null for no change. */
export async function whatChanged(
  { scripts = [], programs = [], cwd }: CommandDecision,
  shell: NamingShell | null,
): Promise<string | null> {
  if (scripts.length > 0) {
    const { findChangedScript } = await lazy.namedFile();
    const changed = findChangedScript(scripts);
    if (changed !== null) return formatFileChanged(changed);
  }
  if (programs.length === 0 || shell === null) return null;
  const { findChangedProgram } = await lazy.wordMeanings();
  await shell.lookups.known();
  const changed = await findChangedProgram(programs, shell.lookups, cwd);
  if (changed === null) return null;
  const { name, isUnknown } = changed;
  return isUnknown ? formatMeaningUnknown(name) : formatMeaningChanged(name);
}

async function scriptsOf(classification: Classification | null): Promise<readonly NamedScript[]> {
  const { codeFilesOf } = await lazy.fetchedCode();
  const paths = codeFilesOf(classification?.parts ?? []);
  if (paths.length === 0) return [];
  const { seeScripts } = await lazy.namedFile();
  return seeScripts(paths);
}

async function programsOf(
  classification: Classification | null,
  shell: NamingShell | null,
  cwd: string,
): Promise<readonly NamedProgram[]> {
  const words = classification?.parts.flatMap(({ words: [first] }) => first ?? []) ?? [];
  if (words.length === 0) return [];
  const { seePrograms } = await lazy.wordMeanings();
  await shell?.lookups.known();
  return seePrograms(words, shell?.lookups ?? null, cwd);
}
