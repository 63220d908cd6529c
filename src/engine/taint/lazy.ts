import { onceEach } from '../../core/text/memoize.ts';

/** Modules that taint tracking loads at the first request or call. */
export const lazy = onceEach({
  /** Looks at files: only where a line or a call names some. */
  fileFacts: (): Promise<typeof import('./file-facts.ts')> => import('./file-facts.ts'),
  /** The sources of a line's output, and whether a fetch reached anybody. */
  sources: (): Promise<typeof import('../../core/taint/sources-of-line.ts')> =>
    import('../../core/taint/sources-of-line.ts'),
  /** Whether a call reaches out: only after untrusted content was read. */
  reach: (): Promise<typeof import('../../core/taint/reach.ts')> => import('../../core/taint/reach.ts'),
});
