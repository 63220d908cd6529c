import type { PlannedStep, Step } from '../../core/blast/plan.ts';
import type { GitReader } from './git-facts.ts';
import { type Taking, targetsOf } from './ground-work.ts';
import { readHooks, readRegistry, readRemote } from './settings-files.ts';
import { takeDelete } from './take-delete.ts';
import { takeGit } from './take-git.ts';
import { takeCopy, takeLink, takeMove, takePack } from './take-transfer.ts';
import { takeUnpack } from './take-unpack.ts';
import { takeAttributes, takeMakeFolder, takeTouch, takeWrite } from './take-write.ts';

/** Takes one step of a plan, on paper. */
export async function takeStep({ step }: PlannedStep, taking: Taking, git: GitReader | null): Promise<void> {
  switch (step.do) {
    case 'delete':
      return takeDelete(step, taking);
    case 'write':
      return takeWrite(step, taking);
    case 'touch':
      return takeTouch(step, taking);
    case 'make-folder':
      return takeMakeFolder(step, taking);
    case 'attributes':
      return takeAttributes(step, taking);
    case 'copy':
      return takeCopy(step, taking);
    case 'move':
      return takeMove(step, taking);
    case 'link':
      return takeLink(step, taking);
    case 'pack':
      return takePack(step, taking);
    case 'unpack':
      return takeUnpack(step, taking);
    case 'git':
      return takeGit(step.deed, { ...taking, git });
    case 'enter':
      return takeEnter(step, taking);
    default:
      tell(step, taking);
  }
}

/** True for a step that does nothing to the tree, and is only said. */
export function isTold(step: Step): step is Told {
  return ['note', 'unknown', 'host', 'registry', 'remote', 'hooks'].includes(step.do);
}

/** Where a `cd` fails, what follows runs in another place than it looks. */
async function takeEnter({ to }: Extract<Step, { readonly do: 'enter' }>, taking: Taking): Promise<void> {
  const { work } = taking;
  if (work.ground.shell?.habits.has('cd-path') === true && /^[^/.~]/.test(to.path ?? to.text))
    work.unknown.add(`where cd ${to.text} leads: CDPATH is set`);
  const [target] = await targetsOf(to, taking);
  if (target === undefined || work.isVague || work.tree.follow(target.path)?.kind === 'folder') return;
  work.unknown.add(`cd ${to.text} would fail, and what follows may run where the line stands`);
}

type Told = Extract<Step, { readonly do: 'note' | 'unknown' | 'host' | 'registry' | 'remote' | 'hooks' }>;

/** Says what a step does besides. */
export function tell(step: Told, { work }: Taking): void {
  const { project, home } = work.ground;
  switch (step.do) {
    case 'note':
      work.notes.add(step.text);
      if (step.text.startsWith('git:')) work.isGitChanged = true;
      return;
    case 'host':
      work.hosts.add(step.name);
      return;
    case 'registry':
      work.hosts.add(readRegistry(step.program, project, home));
      return;
    case 'remote':
      tellRemote(step.name, step.isPush, work);
      return;
    case 'hooks': {
      const hooks = readHooks(step.of, project, home);
      if (hooks === null) work.unknown.add(`what the hooks of git do, which lie elsewhere`);
      else if (hooks.length > 0) work.unknown.add(`what the hook ${hooks.join(', ')} of the repository does`);
      return;
    }
    case 'unknown':
      work.unknown.add(step.reason);
      work.isVague = true;
  }
}

function tellRemote(name: string | null, isPush: boolean, work: Taking['work']): void {
  const { host, path } = readRemote(name, work.ground.project, { isPush });
  if (host !== null) work.hosts.add(host);
  else if (path === null) work.unknown.add(`where the remote ${name ?? 'of this branch'} leads`);
  else if (isPush) work.unknown.add(`what is pushed to the repository ${path}`);
}
