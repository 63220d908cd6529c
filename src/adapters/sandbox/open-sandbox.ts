import { existsSync } from 'node:fs';
import type { Layer, SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import { AishError } from '../../protocol/error.ts';
import { Bubblewrap } from './bubblewrap.ts';
import { HiddenFileFinder, type HiddenFiles } from './hidden-files.ts';
import { formatNoProgram, formatNoSandbox, UNTESTED } from './messages.ts';
import { followChild, startChild } from './run-child.ts';
import type { Sandbox, SandboxDeps, SandboxHides, SandboxRequest, SandboxResult } from './sandbox.ts';
import { findVisible } from './visible-folders.ts';

/** The sandbox of this system. Whether it works here, `available` finds out. */
export function openSandbox(parts: SandboxDeps, system: NodeJS.Platform = process.platform): Sandbox {
  switch (system) {
    case 'linux':
      return new Bubblewrap(parts);
    case 'darwin':
      return new SandboxExec();
    default:
      return createNoSandbox(system);
  }
}

/** The sandbox of a system that has none: it runs nothing. */
export function createNoSandbox(system: string): Sandbox {
  const why = formatNoSandbox(system);
  return {
    kind: 'none',
    available: async () => why,
    layers: () => [],
    hides: () => ({ files: [], folders: [], layers: [] }),
    prepare: async () => {},
    isPrepared: () => false,
    begin: () => {},
    run: async () => {
      throw new AishError('sandbox.missing', why);
    },
    close: () => {},
  };
}

const PROGRAM = '/usr/bin/sandbox-exec';
const FOLDERS_OF_SOCKETS = ['/private/var/run', '/private/tmp', '/private/var/tmp'];

/** The sandbox of macOS, by a profile in its own language. Untested: it is written from documentation alone, so it counts as not there. */
class SandboxExec implements Sandbox {
  readonly kind = 'sandbox-exec';
  readonly #finder = new HiddenFileFinder();

  async available(): Promise<string | null> {
    if (!existsSync(PROGRAM)) return formatNoProgram(PROGRAM);
    return UNTESTED;
  }

  layers(plan: SandboxPlan): readonly Layer[] {
    return findVisible(plan).layers;
  }

  hides(plan: SandboxPlan): SandboxHides {
    const visible = findVisible(plan);
    const { files, folders } = this.#finder.find(plan, visible);
    return { files, folders: [...folders, ...FOLDERS_OF_SOCKETS], layers: visible.layers };
  }

  async prepare(): Promise<void> {}

  isPrepared(): boolean {
    return false;
  }

  begin(): void {}

  async run(request: SandboxRequest): Promise<SandboxResult> {
    const visible = findVisible(request.plan);
    const profile = formatProfile(request.plan, this.#finder.find(request.plan, visible), visible.layers);
    const command = [PROGRAM, '-p', profile, '/bin/bash', '--noprofile', '--norc', '-c', request.text];
    const { env, plan } = request;
    return followChild(startChild({ command, cwd: plan.cwd, env }), request, { isCounted: false });
  }

  close(): void {}
}

/** A plan in the profile language of macOS: the last rule that fits decides. */
export function formatProfile(
  { project, writesProject }: SandboxPlan,
  hidden: HiddenFiles,
  layers: readonly Layer[] = [],
): string {
  const under = (paths: readonly string[]): string =>
    paths.map((path) => `(subpath ${JSON.stringify(path)})`).join(' ');
  const deny = (what: string, paths: readonly string[]): string[] =>
    paths.length === 0 ? [] : [`(deny ${what} ${under(paths)})`];
  return [
    '(version 1)',
    '(allow default)',
    '(deny network*)',
    '(deny mach-lookup)',
    '(deny signal (target others))',
    '(deny process-info* (target others))',
    '(deny file-write*)',
    '(allow file-write* (literal "/dev/null"))',
    ...layers.map(({ path, kind }) => `(${kind === 'shown' ? 'allow' : 'deny'} file-read* ${under([path])})`),
    ...(writesProject ? [`(allow file-write* ${under([project])})`] : []),
    ...deny('file-write*', hidden.governing),
    ...deny('file-read* file-write*', [...hidden.folders, ...hidden.files]),
    ...deny('file-read* file-write*', FOLDERS_OF_SOCKETS),
  ].join('\n');
}
