import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { omitUndefined } from '../../../protocol/json.ts';
import { inRoom } from '../object-store/private-directory.ts';
import type { Repository } from '../object-store/repository.ts';
import { isWithheld } from '../object-store/withheld.ts';
import { disarmFilters, type GitCall, readFilters, readGit, runGit } from '../process/git-process.ts';
import { formatRawPath, joinRawPaths, splitRawPaths } from '../process/raw-path.ts';
import { cannotCommit, cannotStage, MAYBE_SECRET, OTHER_STAGED } from './messages.ts';
import { refusePath } from './work-file.ts';

/** The commit the branch stands at now (null before the first), and what was not committed where that was not safe. */
interface BranchCommit {
  readonly commit: string | null;
  /** The paths that were left out, and why. */
  readonly skipped?: string;
}

const UNFINISHED: readonly (readonly [string, string])[] = [
  ['MERGE_HEAD', 'a merge is in progress'],
  ['rebase-merge', 'a rebase is in progress'],
  ['rebase-apply', 'a rebase is in progress'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick is in progress'],
  ['REVERT_HEAD', 'a revert is in progress'],
];

interface Unstaged {
  readonly gone: readonly string[];
  readonly changed: readonly string[];
}

/** The paths to commit, and those that are not taken in because a version of them is staged that lies nowhere else. */
interface Found extends Unstaged {
  readonly heldBack: readonly string[];
  /** New to git, and by its name it may hold a secret. */
  readonly secret: readonly string[];
}

/**
 * Commits these raw paths on the user's branch, as they would by naming them to `git commit`: under their name, signed where they sign,
 * whatever else they have staged left as it is. No hook runs. If none of them changed, there is no commit. A path of which another version
 * is staged than lies in the work tree is left out: with the commit that version would be nowhere.
 */
export async function commitOnBranch(
  repository: Repository,
  toolName: string,
  paths: readonly string[],
): Promise<BranchCommit> {
  const head = await readHead(repository);
  // A commit now would end the merge with its conflict marks in it.
  const unfinished = UNFINISHED.find(([name]) => existsSync(join(repository.gitDirectory, name)));
  if (unfinished !== undefined) return { commit: head, skipped: unfinished[1] };
  const wanted = new Set(paths.filter((path) => refusePath(repository.root, path) === null));
  if (wanted.size === 0) return { commit: head };
  // Filters of the user's own settings (git-lfs) work as always; staging what needs one of the repository fails.
  const filters = disarmFilters(await readFilters(repository.place, { ownOnly: true }), { required: true });
  const unstaged = await findUnstaged(repository, filters, { wanted, head });
  const skipped = describeLeftOut(unstaged);
  if (unstaged.gone.length + unstaged.changed.length === 0) return { commit: head, ...skipped };
  const tree = await writeTree(repository, filters, unstaged, head);
  const isNews = head === null || tree !== (await readTree(repository, head));
  if (!isNews) return { commit: head, ...skipped };
  return {
    ...skipped,
    commit: await commitTree(repository, { tree, head, toolName, stage: () => stage(repository, filters, unstaged) }),
  };
}

/** Finds those of these paths that there are to commit, staged or not; ignored files and other repositories are not among them. */
async function findUnstaged(
  { place }: Repository,
  filters: readonly string[],
  { wanted, head }: { readonly wanted: ReadonlySet<string>; readonly head: string | null },
): Promise<Found> {
  const run = (args: readonly string[]) => runStaging({ ...place, args: [...filters, ...args] });
  const toIndex = ['diff-index', '--cached', '-z', '--name-only', '--no-renames', '--ignore-submodules=all'];
  const [tracked, others, staged] = await Promise.all([
    run(['diff-files', '-z', '--name-status', '--no-renames', '--ignore-submodules=all']),
    run(['ls-files', '-z', '--others', '--exclude-standard']),
    run(head === null ? ['ls-files', '-z', '--cached'] : [...toIndex, head]),
  ]);
  const { gone, rest, unmerged } = readStatus(tracked);
  const changed = new Set([...splitRawPaths(others), ...splitRawPaths(staged), ...rest]);
  const indexed = splitRawPaths(staged).filter((path) => wanted.has(path));
  const unlike = indexed.some((path) => gone.has(path) || rest.has(path) || unmerged.has(path));
  // Only now, since it takes longer: a file whose times alone changed is not another version.
  const differing = unlike ? readStatus(await run(DIFFERING)) : { gone, rest: new Set<string>(), unmerged };
  const added = new Set(splitRawPaths(others));
  // A file that may hold a secret and that git does not track is not committed in passing.
  const secret = [...added].filter((path) => wanted.has(path) && isWithheld(path, false));
  const heldBack = new Set(
    indexed.filter((path) => [differing.gone, differing.rest, unmerged, added].some((some) => some.has(path))),
  );
  const left = new Set([...heldBack, ...secret]);
  const of = (some: ReadonlySet<string>) => [...some].filter((path) => wanted.has(path) && !left.has(path));
  return { gone: of(gone), changed: of(changed).filter((path) => !gone.has(path)), heldBack: [...heldBack], secret };
}

/** Beside plumbing it looks into files whose times changed, and writes nothing. */
const DIFFERING = `-c diff.autoRefreshIndex=true diff -z --name-status --no-renames --no-ext-diff --no-textconv
  --ignore-submodules=all`.split(/\s+/);

function readStatus(listing: Buffer) {
  const fields = splitRawPaths(listing);
  const [gone, rest, unmerged] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const set = fields[at] === 'D' ? gone : fields[at] === 'U' ? unmerged : rest;
    set.add(fields[at + 1] ?? '');
  }
  return { gone, rest, unmerged };
}

function describeLeftOut({ heldBack, secret }: Found): Pick<BranchCommit, 'skipped'> {
  const reasons = [...nameSome(heldBack, OTHER_STAGED), ...nameSome(secret, MAYBE_SECRET)];
  return reasons.length === 0 ? {} : { skipped: reasons.join('; ') };
}

function nameSome(paths: readonly string[], why: string): readonly string[] {
  const [first] = paths;
  if (first === undefined) return [];
  const more = paths.length === 1 ? '' : ` and ${paths.length - 1} more`;
  return [`${formatRawPath(first)}${more}, ${why}`];
}

/** The last commit's tree with these paths as they are in the work tree, put together beside the user's index. */
async function writeTree(
  repository: Repository,
  filters: readonly string[],
  unstaged: Unstaged,
  head: string | null,
): Promise<string> {
  return inRoom(repository, 'build', async (index) => {
    const env = { ...repository.place.env, GIT_INDEX_FILE: index };
    const call = { ...repository.place, env };
    await readGit(
      { ...call, args: head === null ? ['read-tree', '--empty'] : ['read-tree', head] },
      'read the last commit',
    );
    await stage(repository, filters, unstaged, env);
    return (await readGit({ ...call, args: ['write-tree'] }, 'write the commit')).toString('latin1').trim();
  });
}

/** Not by `git add`: that asks every submodule for its state, and git run in there has filters of its own. */
async function stage(
  { place }: Repository,
  filters: readonly string[],
  { gone, changed }: Unstaged,
  env: GitCall['env'] = place.env,
): Promise<void> {
  const update = async (flags: readonly string[], paths: readonly string[]) => {
    if (paths.length === 0) return;
    const args = [...filters, 'update-index', ...flags, '-z', '--stdin'];
    await runStaging({ ...place, args, input: joinRawPaths(paths), ...omitUndefined({ env }) });
  };
  await update(['--force-remove'], gone);
  await update(['--add', '--remove', '--replace'], changed);
}

/** Cut short between its parts, it leaves paths staged or nothing at all, never a branch that its index contradicts. */
async function commitTree(
  { place }: Repository,
  {
    tree,
    head,
    toolName,
    stage: stageAll,
  }: {
    readonly tree: string;
    readonly head: string | null;
    readonly toolName: string;
    readonly stage: () => Promise<void>;
  },
): Promise<string> {
  const { identity, environment, signing, reflog } = await readCommitSettings(place);
  const subject = `aish auto-commit before ${toolName}`;
  const sign = signing === null ? [] : ['-S'];
  const args = [...identity, ...(signing ?? []), 'commit-tree', tree, ...(head === null ? [] : ['-p', head]), ...sign];
  const env = { ...place.env, ...environment };
  const written = await runGit({ ...place, env, args, input: `${subject}\n` });
  if (written.exit !== 0) throw cannotCommit(written.stderr.split('\n').at(-1) ?? '', signing !== null);
  const commit = written.stdout.toString('latin1').trim();
  await stageAll();
  const move = [
    ...identity,
    ...reflog,
    'update-ref',
    '-m',
    `commit: ${subject}`,
    'HEAD',
    commit,
    head ?? '0'.repeat(commit.length),
  ];
  await readGit({ ...place, env, args: move }, 'commit before the change');
  return commit;
}

async function runStaging(call: GitCall): Promise<Buffer> {
  const outcome = await runGit(call);
  if (outcome.exit === 0) return outcome.stdout;
  throw cannotStage(outcome.stderr.split('\n').at(-1) ?? '');
}

async function readTree({ place }: Repository, commit: string): Promise<string> {
  const args = ['rev-parse', '--verify', `${commit}^{tree}`];
  return (await readGit({ ...place, args }, 'read the last commit')).toString('latin1').trim();
}

async function readHead({ place }: Repository): Promise<string | null> {
  const outcome = await runGit({ ...place, args: ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'] });
  return outcome.exit === 0 ? outcome.stdout.toString('latin1').trim() : null;
}

/** How a user commits: all as arguments and environment for git. */
interface CommitSettings {
  /** The user's own name where git knows it, else ours. */
  readonly identity: readonly string[];
  /** The name the user's environment gives. */
  readonly environment: Readonly<Record<string, string>>;
  /** Null where they do not sign. */
  readonly signing: readonly string[] | null;
  readonly reflog: readonly string[];
}

type GitContext = Omit<GitCall, 'args' | 'input'>;

/** Programs that sign, and what stands in for one that the repository brings. */
const PROGRAMS: readonly (readonly [string, string])[] = [
  ['gpg.program', 'gpg'],
  ['gpg.openpgp.program', ''],
  ['gpg.x509.program', 'gpgsm'],
  ['gpg.ssh.program', 'ssh-keygen'],
  ['gpg.ssh.defaultkeycommand', ''],
];

const NAMES = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];

/** Reads under which name a user commits and how they sign. A repository may ask for a signature, but not bring the program for it. */
async function readCommitSettings(place: GitContext): Promise<CommitSettings> {
  const environment = readEnvironment();
  const [all, own] = await Promise.all([
    readSettings(place, { ownOnly: false }),
    readSettings(place, { ownOnly: true }),
  ]);
  return {
    identity: await readIdentity({ ...place, env: { ...place.env, ...environment } }),
    environment,
    signing: isTrue(all.get('commit.gpgsign')) ? toPrograms(all, own) : null,
    reflog: ['-c', `core.logAllRefUpdates=${all.get('core.logallrefupdates') ?? 'true'}`],
  };
}

/** Only what the repository sets is put aside, so that git's own order of settings stays. */
function toPrograms(all: ReadonlyMap<string, string>, own: ReadonlyMap<string, string>): readonly string[] {
  return PROGRAMS.flatMap(([name, standard]) => {
    if (all.get(name) === own.get(name)) return [];
    const fallback = name === 'gpg.openpgp.program' ? (own.get('gpg.program') ?? 'gpg') : standard;
    return ['-c', `${name}=${own.get(name) ?? fallback}`];
  });
}

/** The last value of each setting that matters; with `ownOnly` none that the repository brings. */
async function readSettings(
  place: GitContext,
  { ownOnly }: { readonly ownOnly: boolean },
): Promise<ReadonlyMap<string, string>> {
  const names = '^(commit\\.gpgsign|gpg\\..*|core\\.logallrefupdates)$';
  const args = ['config', '--show-scope', '-z', '--get-regexp', names];
  const fields = (await runGit({ ...place, args })).stdout.toString('utf8').split('\0');
  const settings = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = '', ...value] = (fields[at + 1] ?? '').split('\n');
    const isOwn = fields[at] === 'global' || fields[at] === 'system';
    // Those on our own command line keep git from signing by itself.
    if (fields[at] !== 'command' && (isOwn || !ownOnly))
      settings.set(name, value.length === 0 ? 'true' : value.join('\n'));
  }
  return settings;
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(true|yes|on|[1-9]\d*)$/i.test(value);
}

function readEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = process.env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

async function readIdentity(place: GitContext): Promise<readonly string[]> {
  const args = ['-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT'];
  const known = await runGit({ ...place, args });
  return known.exit === 0 ? [] : ['-c', 'user.name=aish', '-c', 'user.email=aish@localhost'];
}
