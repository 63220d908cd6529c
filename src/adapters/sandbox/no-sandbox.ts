import { AishError } from '../../protocol/error.ts';
import type { Sandbox } from './sandbox.ts';

/** The sandbox of a system that has none: it runs nothing. */
export function createNoSandbox(system: string): Sandbox {
  const why = `aish knows no sandbox for ${system}`;
  return {
    kind: 'none',
    available: async () => why,
    hides: () => ({ files: [], folders: [], emptied: [] }),
    prepare: async () => {},
    run: async () => {
      throw new AishError('sandbox.missing', why);
    },
    close: () => {},
  };
}
