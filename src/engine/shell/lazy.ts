import { onceEach } from '../../core/text/memoize.ts';

/** Modules that load with the first command of the model or the first look at exports. */
export const lazy = onceEach({
  /** The exports of the shell. */
  exports: (): Promise<typeof import('../../core/impact/shell-state.ts')> => import('../../core/impact/shell-state.ts'),
  /** The files that git tracks. */
  projectGit: (): Promise<typeof import('../../adapters/sandbox/project-git.ts')> =>
    import('../../adapters/sandbox/project-git.ts'),
  /** The record of an output. */
  record: (): Promise<typeof import('../../adapters/shell/record.ts')> => import('../../adapters/shell/record.ts'),
  /** The files that a git command reads. */
  gitLooks: (): Promise<typeof import('../../core/sandbox/git-reads.ts')> => import('../../core/sandbox/git-reads.ts'),
  /** The rights of a sandboxed command. */
  sandboxPlan: (): Promise<typeof import('../../core/sandbox/sandbox-plan.ts')> =>
    import('../../core/sandbox/sandbox-plan.ts'),
  /** Whether a line may run in the sandbox, and why it failed there. */
  apart: (): Promise<typeof import('../../core/sandbox/sandboxed-line.ts')> =>
    import('../../core/sandbox/sandboxed-line.ts'),
  /** The paths that a sandbox kept from a command that failed. */
  keptApart: (): Promise<typeof import('./kept-apart.ts')> => import('./kept-apart.ts'),
  /** Removes the overlays of dry runs. */
  overlay: (): Promise<typeof import('../../adapters/dry-run/overlay.ts')> =>
    import('../../adapters/dry-run/overlay.ts'),
});
