import { Bubblewrap } from './bubblewrap.ts';
import { createNoSandbox } from './no-sandbox.ts';
import type { Sandbox, SandboxParts } from './sandbox.ts';
import { SandboxExec } from './sandbox-exec.ts';

/** The sandbox of this system. Whether it works here, `available` finds out. */
export function openSandbox(parts: SandboxParts, system: NodeJS.Platform = process.platform): Sandbox {
  switch (system) {
    case 'linux':
      return new Bubblewrap(parts);
    case 'darwin':
      return new SandboxExec();
    default:
      return createNoSandbox(system);
  }
}
