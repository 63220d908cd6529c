import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, join, resolve } from 'node:path';
import type { SandboxHides } from '../../adapters/sandbox/sandbox.ts';
import type { KeptApart } from '../../core/sandbox/blocked.ts';
import type { SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';

/** Looks up, by what a sandboxed command printed, what of it is kept from it; `path` is where it looks for programs. */
export function keptApart(hides: SandboxHides, plan: SandboxPlan, path = ''): KeptApart {
  const { files, folders, emptied } = hides;
  const { cwd, project, home } = plan;
  const below = (one: string, of: readonly string[]): string | undefined =>
    of.find((folder) => one === folder || one.startsWith(`${folder}/`));
  const toPath = (text: string): string => resolve(cwd, text.startsWith('~/') ? join(home, text.slice(2)) : text);
  const isEmptied = (one: string): string | null => {
    const folder = below(one, emptied);
    if (folder === undefined || one === folder || below(one, [cwd, project, home]) !== undefined) return null;
    return existsSync(one) ? folder : null;
  };
  return {
    names: files.map((one) => basename(one)),
    isHidden: (text) => {
      const real = realPathOf(toPath(text));
      return real !== null && (files.includes(real) || below(real, folders) !== undefined);
    },
    emptyFolderOf: (text) => {
      if (text.includes('/')) return isEmptied(toPath(text));
      const places = path.split(delimiter).filter((folder) => below(folder, emptied) !== undefined);
      return places.map((folder) => isEmptied(join(folder, text))).find((folder) => folder !== null) ?? null;
    },
  };
}

/** Null for what is not there, or is no path at all. */
function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
