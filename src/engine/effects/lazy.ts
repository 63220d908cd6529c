import { onceEach } from '../../core/text/memoize.ts';

/** Modules that effects load when they first run: an answer without calls waits for none of them. */
export const lazy = onceEach({
  /** Other models after a failure: for a model that has a fallback. */
  withFallback: (): Promise<typeof import('../requests/request-with-fallback.ts')> =>
    import('../requests/request-with-fallback.ts'),
  /** The reader of an answer's calls: while a request is prepared. */
  answerCalls: (): Promise<typeof import('../requests/answer-calls.ts')> => import('../requests/answer-calls.ts'),
  /** The choice of tools: for a custom command that narrows them. */
  toolChoice: (): Promise<typeof import('../tools/tool-choice.ts')> => import('../tools/tool-choice.ts'),
  /** The steps of a work tree: for an undo that names paths. */
  timeline: (): Promise<typeof import('../../adapters/git/snapshot/timeline.ts')> =>
    import('../../adapters/git/snapshot/timeline.ts'),
  /** The changes that an undo would restore. */
  planRestore: (): Promise<typeof import('../../adapters/git/restore/plan.ts')> =>
    import('../../adapters/git/restore/plan.ts'),
  /** Putting it back. */
  applyRestore: (): Promise<typeof import('../../adapters/git/restore/apply.ts')> =>
    import('../../adapters/git/restore/apply.ts'),
  /** Checkpoints: before the first change of a step, and after it. */
  checkpoint: (): Promise<typeof import('../../adapters/git/snapshot/checkpoint.ts')> =>
    import('../../adapters/git/snapshot/checkpoint.ts'),
  /** Secrets in a line: for a line with placeholders. */
  putInLine: (): Promise<typeof import('../../core/secrets/put-in-line.ts')> =>
    import('../../core/secrets/put-in-line.ts'),
  /** Secrets in a file: for a file with placeholders. */
  filePlaceholders: (): Promise<typeof import('../../core/secrets/file-placeholders.ts')> =>
    import('../../core/secrets/file-placeholders.ts'),
  /** The rules that grant secrets: with the first call. */
  secretRules: (): Promise<typeof import('../../core/secrets/secret-rules.ts')> =>
    import('../../core/secrets/secret-rules.ts'),
  /** Long results of servers' tools, kept whole. */
  serverResults: (): Promise<typeof import('../tools/tool-outputs.ts')> => import('../tools/tool-outputs.ts'),
  /** The files of a project: for the checks of a contract. */
  projectFiles: (): Promise<typeof import('../../adapters/git/snapshot/contract-files.ts')> =>
    import('../../adapters/git/snapshot/contract-files.ts'),
  fileTools: (): Promise<typeof import('../../adapters/files/file-tools.ts')> =>
    import('../../adapters/files/file-tools.ts'),
});
