import { existsSync } from 'node:fs';
import type { SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import { HiddenFileFinder, type HiddenFiles } from './hidden-files.ts';
import { followChild, startChild } from './run-child.ts';
import type { Sandbox, SandboxHides, SandboxRequest, SandboxResult } from './sandbox.ts';

const PROGRAM = '/usr/bin/sandbox-exec';
const FOLDERS_OF_SOCKETS = ['/private/var/run', '/private/tmp', '/private/var/tmp'];

/** The sandbox of macOS, by a profile in its own language. Untested: it is written from documentation alone, so it counts as not there. */
export class SandboxExec implements Sandbox {
  readonly kind = 'sandbox-exec';
  readonly #finder = new HiddenFileFinder();

  async available(): Promise<string | null> {
    if (!existsSync(PROGRAM)) return `there is no ${PROGRAM}`;
    return 'running commands apart is untested on this system';
  }

  hides(plan: SandboxPlan): SandboxHides {
    const { files, folders } = this.#finder.find(plan);
    return { files, folders: [...folders, ...FOLDERS_OF_SOCKETS], emptied: [] };
  }

  async prepare(): Promise<void> {}

  async run(request: SandboxRequest): Promise<SandboxResult> {
    const profile = formatProfile(request.plan, this.#finder.find(request.plan));
    const command = [PROGRAM, '-p', profile, '/bin/bash', '--noprofile', '--norc', '-c', request.text];
    const { env, plan } = request;
    return followChild(startChild({ command, cwd: plan.cwd, env }), request, { isCounted: false });
  }

  close(): void {}
}

/** What a plan means in the profile language of macOS: the last rule that fits decides. */
export function formatProfile({ project, writesProject }: SandboxPlan, hidden: HiddenFiles): string {
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
    ...(writesProject ? [`(allow file-write* ${under([project])})`] : []),
    ...deny('file-write*', hidden.governing),
    ...deny('file-read* file-write*', [...hidden.folders, ...hidden.files]),
    ...deny('file-read* file-write*', FOLDERS_OF_SOCKETS),
  ].join('\n');
}
