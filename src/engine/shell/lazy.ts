/** What running in the sandbox and dry runs load when the first command of the model runs, and when what a shell exports is read. */
export const lazy = {
  /** What the shell exports. */
  exports: (): Promise<typeof import('../../core/impact/shell-state.ts')> => import('../../core/impact/shell-state.ts'),
  /** The files git knows: for a git command whose files are hidden. */
  projectGit: (): Promise<typeof import('../../adapters/sandbox/project-git.ts')> =>
    import('../../adapters/sandbox/project-git.ts'),
  /** The record of an output. */
  record: (): Promise<typeof import('../../adapters/shell/record.ts')> => import('../../adapters/shell/record.ts'),
  /** What a git command looks at. */
  gitLooks: (): Promise<typeof import('../../core/sandbox/git-reads.ts')> => import('../../core/sandbox/git-reads.ts'),
  /** Why the sandbox was in the way: after a command failed in there. */
  blocked: (): Promise<typeof import('../../core/sandbox/sandboxed-line.ts')> =>
    import('../../core/sandbox/sandboxed-line.ts'),
  /** What a command sees and may do in there. */
  sandboxPlan: (): Promise<typeof import('../../core/sandbox/sandbox-plan.ts')> =>
    import('../../core/sandbox/sandbox-plan.ts'),
  /** Whether a line may run in there. */
  apart: (): Promise<typeof import('../../core/sandbox/sandboxed-line.ts')> =>
    import('../../core/sandbox/sandboxed-line.ts'),
  /** What sweeps the views of dry runs. */
  overlay: (): Promise<typeof import('../../adapters/dry-run/overlay.ts')> =>
    import('../../adapters/dry-run/overlay.ts'),
};
