/** Modules that requests load when an answer needs them: most answers need none. */
export const lazy = {
  /** The recognizer of printed calls: for an answer that may hold one. */
  textCalls: async () => ({
    ...(await import('../../core/model/text-calls/find-text-calls.ts')),
    ...(await import('../../core/model/text-calls/text-call-hold.ts')),
  }),
};
