import { type GitCall, runGit } from './git-process.ts';

/** How a person commits: all as arguments and environment for git. */
export interface CommitSettings {
  /** The person's own name where git knows it, else ours. */
  readonly identity: readonly string[];
  /** The name the person's environment gives. */
  readonly environment: Readonly<Record<string, string>>;
  /** Null where they do not sign. */
  readonly signing: readonly string[] | null;
  readonly reflog: readonly string[];
}

type Place = Omit<GitCall, 'args' | 'input'>;

/** Programs that sign, and what stands in for one that the repository brings. */
const PROGRAMS: readonly (readonly [string, string])[] = [
  ['gpg.program', 'gpg'],
  ['gpg.openpgp.program', ''],
  ['gpg.x509.program', 'gpgsm'],
  ['gpg.ssh.program', 'ssh-keygen'],
  ['gpg.ssh.defaultkeycommand', ''],
];

const NAMES = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];

/** Reads under which name a person commits and how they sign. A repository may ask for a signature, but not bring the program for it. */
export async function readCommitSettings(place: Place): Promise<CommitSettings> {
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
  place: Place,
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

async function readIdentity(place: Place): Promise<readonly string[]> {
  const args = ['-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT'];
  const known = await runGit({ ...place, args });
  return known.exit === 0 ? [] : ['-c', 'user.name=aish', '-c', 'user.email=aish@localhost'];
}
