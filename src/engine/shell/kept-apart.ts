import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, join, resolve } from 'node:path';
import type { SandboxHides } from '../../adapters/sandbox/sandbox.ts';
import { layerAt, type SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import type { KeptApart } from '../../core/sandbox/sandboxed-line.ts';
import { attempt } from '../../core/text/attempt.ts';

/** Looks up the hidden paths that a sandboxed command printed; `path` is its PATH. */
export function keptApart(hides: SandboxHides, plan: SandboxPlan, path = ''): KeptApart {
  const { files, folders, layers } = hides;
  const { cwd, home } = plan;
  const below = (one: string, of: readonly string[]): string | undefined =>
    of.find((folder) => one === folder || one.startsWith(`${folder}/`));
  const toPath = (text: string): string => resolve(cwd, text.startsWith('~/') ? join(home, text.slice(2)) : text);
  const isEmptied = (one: string): string | null => {
    const layer = layerAt(realPathOf(one) ?? one, layers);
    return layer !== null && layer.kind !== 'shown' && layer.path !== one && existsSync(one) ? layer.path : null;
  };
  return {
    names: files.map((one) => basename(one)),
    isHidden: (text) => {
      const real = realPathOf(toPath(text));
      return real !== null && (files.includes(real) || below(real, folders) !== undefined);
    },
    emptyFolderOf: (text) => {
      if (text.includes('/')) return isEmptied(toPath(text));
      const linked = isEmptied(toPath(text));
      if (linked !== null) return linked;
      return (
        path
          .split(delimiter)
          .map((folder) => isEmptied(join(folder, text)))
          .find((folder) => folder !== null) ?? null
      );
    },
  };
}

/** Null if the path does not exist. */
function realPathOf(path: string): string | null {
  return attempt(() => realpathSync(path), null);
}
