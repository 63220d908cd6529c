import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** Who a remote of git is; null where that cannot be told. */
export interface Remote {
  readonly host: string | null;
  /** A place on this machine. */
  readonly path: string | null;
}

const LARGEST = 256 * 1024;

/** A pipe in the place of a file would keep its reader for ever. */
function readSmall(path: string): string | null {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= LARGEST ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

/** Git's folder of a project, one that a file points to included. */
function gitFolder(project: string): string {
  const own = join(project, '.git');
  const pointed = readSmall(own)?.match(/^gitdir: (.+)$/m)?.[1];
  if (pointed === undefined) return own;
  const folder = isAbsolute(pointed) ? pointed : join(project, pointed);
  const common = readSmall(join(folder, 'commondir'))?.trim();
  return common === undefined ? folder : isAbsolute(common) ? common : join(folder, common);
}

/** Where a remote leads: an address, a name that the repository knows, or its only one. */
export function readRemote(name: string | null, project: string, { isPush }: { readonly isPush: boolean }): Remote {
  if (name !== null && /[:/]/.test(name)) return toRemote(name);
  const config = readSmall(join(gitFolder(project), 'config')) ?? '';
  const sections = [...config.matchAll(/^\s*\[remote "((?:[^"\\]|\\.)*)"\]([^[]*)/gm)];
  const section =
    sections.find((one) => one[1] === (name ?? 'origin')) ??
    (name === null && sections.length === 1 ? sections[0] : undefined);
  const pushes = isPush ? /^\s*pushurl\s*=\s*(.+)$/m.exec(section?.[2] ?? '')?.[1] : undefined;
  const url = pushes ?? /^\s*url\s*=\s*(.+)$/m.exec(section?.[2] ?? '')?.[1];
  return url === undefined ? { host: null, path: null } : toRemote(url.trim().replace(/^"|"$/g, ''));
}

function toRemote(url: string): Remote {
  const address = /^(?!file:)[a-z][\w+.-]*:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^/:]+)(:\d+)?/i.exec(url);
  if (address?.[1] !== undefined) return { host: address[1] + (address[2] ?? ''), path: null };
  const short = /^(?:[^@/:]+@)?([^/:]+):/.exec(url)?.[1];
  if (short !== undefined && !url.startsWith('file:')) return { host: short, path: null };
  return { host: null, path: url.replace(/^file:\/\//, '') };
}

/** Hooks of a repository that a deed of git would run, by name; null where they lie elsewhere. */
export function readHooks(of: string, project: string, home: string): readonly string[] | null {
  const folder = gitFolder(project);
  const settings = [
    join(folder, 'config'),
    join(folder, 'config.worktree'),
    join(home, '.gitconfig'),
    join(home, '.config/git/config'),
  ];
  if (settings.some((file) => /^\s*hookspath\s*=/im.test(readSmall(file) ?? ''))) return null;
  const names: Readonly<Record<string, RegExp>> = {
    commit: /^(pre-commit|prepare-commit-msg|commit-msg|post-commit|post-rewrite|reference-transaction|pre-auto-gc)$/,
    checkout: /^(post-checkout|reference-transaction|post-index-change)$/,
    push: /^(pre-push|reference-transaction)$/,
    merge:
      /^(pre-merge-commit|pre-commit|prepare-commit-msg|commit-msg|post-commit|post-merge|reference-transaction|post-index-change|pre-auto-gc)$/,
    rebase:
      /^(pre-rebase|pre-commit|prepare-commit-msg|commit-msg|post-commit|post-checkout|post-rewrite|reference-transaction|post-index-change|pre-auto-gc)$/,
  };
  try {
    return readdirSync(join(folder, 'hooks')).filter((name) => names[of]?.test(name) === true);
  } catch {
    return [];
  }
}

const REGISTRIES: readonly (readonly [RegExp, string])[] = [
  [/^(npm|pnpm|yarn|bun|npx|bunx|pnpx)$/, 'registry.npmjs.org'],
  [/^(pip3?|pipx|uvx?|poetry)$/, 'pypi.org'],
  [/^cargo$/, 'crates.io'],
  [/^(gem|bundle)$/, 'rubygems.org'],
  [/^go$/, 'proxy.golang.org'],
  [/^composer$/, 'repo.packagist.org'],
];

/** Where a package manager fetches from: its settings say, or it is the usual one. */
export function readRegistry(program: string, project: string, home: string): string {
  const usual = REGISTRIES.find(([pattern]) => pattern.test(program))?.[1];
  const named = /^(npm|pnpm|yarn|bun|npx|bunx|pnpx)$/.test(program)
    ? firstSetting([join(project, '.npmrc'), join(home, '.npmrc')], /^\s*registry\s*=\s*(\S+)/m)
    : /^pip/.test(program)
      ? firstSetting(
          [join(home, '.config/pip/pip.conf'), join(home, '.pip/pip.conf'), '/etc/pip.conf'],
          /^\s*index-url\s*=\s*(\S+)/m,
        )
      : null;
  const host = named === null ? null : /^\w+:\/\/(?:[^@/]*@)?([^/]+)/.exec(named)?.[1];
  return host ?? usual ?? `the package servers of ${program}`;
}

function firstSetting(files: readonly string[], pattern: RegExp): string | null {
  for (const file of files) {
    const found = existsSync(file) ? pattern.exec(readSmall(file) ?? '')?.[1] : undefined;
    if (found !== undefined) return found;
  }
  return null;
}
