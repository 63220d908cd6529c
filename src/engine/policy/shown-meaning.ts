import type { Shell } from '../../adapters/shell/shell.ts';
import type { Classification } from '../../core/commands/verdict.ts';
import type { CommandDecision, NamedProgram, NamedScript } from '../../protocol/tool.ts';
import { lazy } from './lazy.ts';
import { formatFileChanged, formatMeaningChanged, formatMeaningUnknown } from './messages.ts';

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
  return {
    ...(scripts.length === 0 ? {} : { scripts }),
    ...(programs.length === 0 ? {} : { programs }),
  };
}

/** The change since the user saw a line, as a clause; null for no change. */
export async function whatChanged(
  { scripts = [], programs = [], cwd }: CommandDecision,
  shell: NamingShell | null,
): Promise<string | null> {
  if (scripts.length > 0) {
    const { findChangedScript } = await lazy.namedScripts();
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
  const { seeScripts } = await lazy.namedScripts();
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
