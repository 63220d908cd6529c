import { onceEach } from '../../core/text/memoize.ts';

/** Modules that the gate loads when it first classifies, decides or measures: it needs none of them before a line is typed. */
export const lazy = onceEach({
  /** The rules of the user, and rules to offer: with the first command of the model. */
  rules: (): Promise<typeof import('../../core/policy/rules.ts')> => import('../../core/policy/rules.ts'),
  /** The exports of the shell: after it has printed them. */
  exports: (): Promise<typeof import('../../core/impact/shell-state.ts')> => import('../../core/impact/shell-state.ts'),
  /** Files of code that a line runs: to bind an approval to what they hold. */
  fetchedCode: (): Promise<typeof import('../../core/policy/fetched-code.ts')> =>
    import('../../core/policy/fetched-code.ts'),
  /** The class of a tool that writes a file. */
  effectPolicy: (): Promise<typeof import('../../core/policy/effect-policy.ts')> =>
    import('../../core/policy/effect-policy.ts'),
  /** The target of a path, for a tool that names one; scripts as they are now, for a line that runs one. */
  namedFile: (): Promise<typeof import('../../adapters/files/named-file.ts')> =>
    import('../../adapters/files/named-file.ts'),
  /** Classification in this thread: of a short, plain line, and of a line for which the worker was too slow. */
  classifyLine: (): Promise<typeof import('../../core/policy/classify-line.ts')> =>
    import('../../core/policy/classify-line.ts'),
  /** The parts of a line that a rule does not cover: if a rule allows the line. */
  beyondRule: (): Promise<typeof import('../../core/policy/prefix.ts')> => import('../../core/policy/prefix.ts'),
  /** The meaning of the first words in the shell: for an approved line. */
  wordMeanings: (): Promise<typeof import('../../adapters/shell/word-meanings.ts')> =>
    import('../../adapters/shell/word-meanings.ts'),
  /** The worker thread: when the first estimate or classification is due. */
  estimate: (): Promise<typeof import('../../adapters/impact/estimate-thread.ts')> =>
    import('../../adapters/impact/estimate-thread.ts'),
  /** As below, for a line in fish. */
  fishLine: (): Promise<typeof import('../../core/commands/fish-line.ts')> =>
    import('../../core/commands/fish-line.ts'),
  /** Differences between shells: for a line in zsh. */
  wholeLine: (): Promise<typeof import('../../core/policy/whole-line.ts')> => import('../../core/policy/whole-line.ts'),
  /** Files that are kept from others, and the history of a repository: for a line or a tool that names files. */
  privateReads: (): Promise<typeof import('./private-reads.ts')> => import('./private-reads.ts'),
});
