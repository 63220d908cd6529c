/* The calls of git: what they name and change, and the programs that its options and settings start. */
import { joinedRegExp } from '../../text/joined-regexp.ts';
import { type Argument, literal } from '../argument.ts';
import type { FileChange } from '../file-change.ts';
import { hasOption, type Invocation, isGiven, means, readOptions } from '../parse.ts';
import { usePath } from '../path-use.ts';
import { normalize } from '../place.ts';
import { type Call, type CommandSpec, type GitShows, readCall, type SpecTable, subSpec } from '../spec.ts';
import { type Effect, effect, type TracedCall } from '../verdict.ts';

/** A git command or subcommand, with its own words. */
export interface GitCall {
  readonly spec: CommandSpec;
  readonly given: Invocation;
  /** The output of the subcommand, or else of the command it belongs to. */
  readonly shows: GitShows | undefined;
}

/** Splits the words of git into its own options and those of each subcommand. */
export function readGit(git: CommandSpec, words: readonly Argument[]): readonly GitCall[] {
  const found: GitCall[] = [];
  let spec: CommandSpec | undefined = git;
  for (let rest = words; spec !== undefined; ) {
    const given: Invocation = readCall(spec, rest);
    const shows: GitShows | undefined = spec.gitShows ?? (found.length > 1 ? found.at(-1)?.shows : undefined);
    const [verb, ...more] = given.operands;
    const sub: CommandSpec | undefined = subSpec(spec, verb?.value ?? '');
    found.push({ spec, shows, given: sub === undefined && found.length > 0 ? readOptions(rest, spec) : given });
    spec = sub;
    rest = more;
  }
  return found;
}

/** Whether a word certainly names commits, possibly as a range. The digits of a hash may also be a file name. */
export function isCommit(word: string): boolean {
  return word.split(/\.{2,3}/).every((one) => one === '' || isCommitName(one)) && word !== '' && !/^\.+$/.test(word);
}

/** Whether a name certainly stands for one commit, by its form or by the suffix after it. */
export function isCommitName(name: string): boolean {
  const found = /^\^?(@|[a-zA-Z][\w./-]*)((?:@\{\w*\})?(?:[~^]\d*)*)$/.exec(name) ?? /^\^?(\w+)((?:[~^]\d*)+)$/.exec(name);
  if (found === null) return false;
  const [, base = '', suffix = ''] = found;
  // Only a commit has ancestors.
  return /[~^]/.test(suffix) || !/(?:^|-g)[0-9a-fA-F]{4,}$/.test(base);
}

/** Formats of commits and refs that print only hashes, ref names and dates, and no text that a user wrote. */
const PLAIN_FORMAT =
  /^(?:t?format:)?(?:%[HhTtPpn%]|%[ac][dDrtiIs]|%x0[0a]|%\((?:HEAD|refname|object\w+|upstream|push|path|\w+date)[^)]*\)|[\s\w,:|-])*$/;

/** The places of the names that git prints; null if it prints content of files, or text that a user wrote. */
export function placesOfGit(words: readonly string[], git: CommandSpec): readonly string[] | null {
  const calls = readGit(
    git,
    words.map((word) => literal(word)),
  );
  const places = calls[0]?.given.options.flatMap(({ name, value }) => (name === 'C' ? (value?.value ?? '/') : [])) ?? [];
  const place = places.reduce((at, one) => (/^[/~]/.test(one) ? one : `${at}/${one}`), '.');
  const last = calls.at(-1);
  return last === undefined || calls.length === 1 || printsNames(last) ? [place] : null;
}

function printsNames({ given, shows }: GitCall): boolean {
  if (shows === undefined) return true;
  const { lists = '', texts = '', content = '' } = shows;
  if (hasOption(given, texts) || hasOption(given, content)) return false;
  if (lists !== true && !hasOption(given, lists)) return false;
  if (shows.objects === 'always' && !given.operands.every(({ start }) => isCommit(start))) return false;
  const formats = given.options.flatMap(({ name, value }) => (/^(?:format|pretty)$/.test(name) ? [value?.value] : []));
  if (shows.commits === true && formats.length === 0) return false;
  return formats.every((format) => PLAIN_FORMAT.test(format ?? '!'));
}

/** Effect of a git command on the work tree, from its options and operands. */
type GitChanges = (given: Invocation, call: TracedCall) => readonly FileChange[];

function strayOption({ options }: Invocation, known: string): string | null {
  const names = known.split(' ');
  return options.find(({ name }) => !names.some((one) => means(name, one)))?.name ?? null;
}

/** With an option that is not listed, the effect is unknown. */
function only(known: string, change: GitChanges): GitChanges {
  return (given, call) => {
    const stray = strayOption(given, known);
    if (stray === null) return change(given, call);
    return [{ do: 'unknown', what: `git ${call.name} with the option ${stray.length === 1 ? '-' : '--'}${stray}` }];
  };
}

/** `git clean`. */
export const changesOfClean: GitChanges = only('n dry-run d f force q quiet x X e exclude i interactive', (given) => {
  if (isGiven(given, 'n', 'dry-run')) return [];
  const named = given.options.filter(({ name }) => name === 'e' || name === 'exclude');
  const except = named.flatMap(({ value }) => value?.value ?? []);
  if (except.length < named.length) return [{ do: 'unknown', what: 'git clean, which leaves out files' }];
  const forces = given.options.filter(({ name }) => name === 'f' || name === 'force').length;
  const isInteractive = isGiven(given, 'i', 'interactive');
  const letters = ['d', 'x', 'X'].filter((letter) => isGiven(given, letter)).map((letter) => `-${letter}`);
  const options = [...letters, ...(forces > 1 ? ['-ff'] : []), ...except.flatMap((one) => ['-e', one])];
  const isForced = forces > 0 || isInteractive;
  return [{ do: 'git', verb: 'clean', options, paths: given.operands, isForced, isMaybe: isInteractive }];
});

/** `git reset`. */
export const changesOfReset: GitChanges = only('hard soft mixed q quiet N', (given) => {
  if (!isGiven(given, 'hard')) return [{ do: 'note', text: 'git changes what is staged, or moves the branch', inGit: true }];
  const [to, ...more] = given.operands;
  if (more.length > 0 || to?.value === null) return [{ do: 'unknown', what: 'git reset --hard' }];
  return [{ do: 'git', verb: 'reset', to: to?.value ?? 'HEAD' }];
});

const SWITCHES = 'f force discard-changes q quiet t track no-track detach d guess b B c C create force-create progress';

/** `git checkout` and `git switch`. */
export const changesOfSwitch: GitChanges = only(SWITCHES, (given, { name }) => {
  const { dashed: count = 0 } = given;
  const before = given.operands.slice(0, given.operands.length - count);
  const [first, ...more] = before;
  const isNew = isGiven(given, 'b', 'B', 'c', 'C', 'create', 'force-create');
  if (name === 'checkout' && !isNew && (count > 0 || more.length > 0)) return changesOfPaths(given.operands, before);
  const isForced = isGiven(given, 'f', 'force', 'discard-changes');
  const note: readonly FileChange[] = isNew ? [{ do: 'note', text: 'git makes a branch', inGit: true }] : [];
  if (isForced) {
    if (first?.value === null) return [{ do: 'unknown', what: `git ${name}` }];
    return [...note, { do: 'git', verb: 'reset', to: first?.value ?? 'HEAD' }];
  }
  if (first === undefined) return note;
  const orPath = name === 'checkout' && !isNew && !isGiven(given, 'detach', 'd') && given.dashed === undefined;
  return [...note, { do: 'git', verb: 'switch', to: first, orPath }];
});

/** `checkout REVISION -- PATHS`, `checkout PATHS`; without dashes the first word may be either. */
function changesOfPaths(all: readonly Argument[], before: readonly Argument[]): readonly FileChange[] {
  const [first] = before;
  const paths = all.slice(before.length);
  if (paths.length === 0) return [{ do: 'git', verb: 'restore', from: null, paths: all, deletes: false, mayBeRevision: true }];
  if (before.length > 1 || first?.value === null) return [{ do: 'unknown', what: 'git checkout' }];
  return [{ do: 'git', verb: 'restore', from: first?.value ?? null, paths, deletes: false, mayBeRevision: false }];
}

/** `git restore`. */
export const changesOfRestore: GitChanges = only('s source S staged W worktree q quiet progress', (given) => {
  const isStaged = isGiven(given, 'S', 'staged');
  const note: readonly FileChange[] = isStaged ? [{ do: 'note', text: 'git changes what is staged', inGit: true }] : [];
  if (isStaged && !isGiven(given, 'W', 'worktree')) return note;
  const source = given.options.find(({ name }) => name === 's' || name === 'source');
  const from = source === undefined ? (isStaged ? 'HEAD' : null) : source.value?.value;
  if (from === undefined || source?.value?.value === null) return [{ do: 'unknown', what: 'git restore' }];
  const deletes = from !== null;
  return [...note, { do: 'git', verb: 'restore', from, paths: given.operands, deletes, mayBeRevision: false }];
});

/** `git push`: the remote it contacts, and the changes to branches there. */
export const changesOfPush: GitChanges = (given) => {
  const remote = given.operands[0];
  const talks: FileChange = { do: 'remote', name: remote === undefined ? null : (remote.value ?? remote.text), isPush: true };
  if (isGiven(given, 'n', 'dry-run')) return [talks];
  return [talks, { do: 'unknown', what: 'git push, which changes the remote and runs hooks' }];
};

/** `git fetch` and `git ls-remote`, which leave the work tree unchanged. */
export const changesOfFetch: GitChanges = (given, { name }) => {
  const [remote] = given.operands;
  const note: readonly FileChange[] = name === 'fetch' ? [{ do: 'note', text: 'git fetches commits', inGit: true }] : [];
  return [{ do: 'remote', name: remote === undefined ? null : (remote.value ?? remote.text), isPush: false }, ...note];
};

/** Changes only the index. */
export const stages: GitChanges = (given) =>
  isGiven(given, 'n', 'dry-run') ? [] : [{ do: 'note', text: 'git stages files', inGit: true }];

/** Effect of a git command on files; null for a command without a rule, and with options that name another repository. */
export function changesOfGit(subcommands: SpecTable, given: Invocation, call: TracedCall): readonly FileChange[] | null {
  const [first, ...rest] = given.operands;
  const spec = subSpec({ sub: subcommands }, first?.value ?? '');
  const plain = ['C', 'no-pager', 'P', 'no-optional-locks'];
  const isOdd = given.options.some(({ name }, at) => !plain.includes(name) || (name === 'C' && at > 0));
  if (typeof spec?.changes !== 'function' || isOdd) return null;
  const { cwd } = placeOf(given, call);
  const inner = { ...call, name: first?.value ?? '', words: rest, cwd };
  const changes = spec.changes(readCall(spec, rest), inner);
  return changes === null || cwd === call.cwd ? changes : changes.map((change) => ({ ...change, cwd }));
}

/** The working directory of a git command: each `-C` is relative to the one before it. */
export function placeOf({ options }: Invocation, { cwd }: Pick<TracedCall, 'cwd'>): Pick<TracedCall, 'cwd'> {
  const places = options.flatMap(({ name, value }) => (name === 'C' && value !== null ? [value.value] : []));
  const from = (folder: string | null, place: string | null): string | null =>
    place === null || place.startsWith('/') ? place : folder === null ? null : normalize(`${folder}/${place}`);
  return { cwd: places.reduce(from, cwd) };
}

/** `git branch`. */
export function classifyBranch(given: Invocation): readonly Effect[] {
  if (isGiven(given, 'd', 'D', 'delete')) return [effect('destroys', 'deletes a branch')];
  if (isGiven(given, 'm', 'M', 'move', 'f', 'force', 'c', 'C', 'copy')) return [effect('changes', 'moves a branch')];
  if (isGiven(given, 'u', 'set-upstream-to', 'unset-upstream', 'edit-description')) return [effect('changes', 'settings of a branch')];
  if (isGiven(given, ...'l list a all r remotes show-current contains no-contains merged no-merged points-at'.split(' '))) return [];
  return given.operands.length === 0 ? [] : [effect('adds')];
}

/** `git tag`. */
export function classifyTag(given: Invocation): readonly Effect[] {
  if (isGiven(given, 'd', 'delete')) return [effect('destroys', 'deletes a tag')];
  if (isGiven(given, 'f', 'force')) return [effect('destroys', 'moves a tag')];
  if (isGiven(given, 'v', 'verify')) return [effect('runs', 'a program that checks signatures')];
  if (isGiven(given, 'l', 'list', 'n', 'contains', 'no-contains', 'points-at', 'merged', 'no-merged')) return [];
  if (isGiven(given, 'e', 'edit')) return [effect('runs', 'an editor')];
  if (isGiven(given, 's', 'sign', 'u', 'local-user')) return [effect('runs', 'a program that signs')];
  if (isGiven(given, 'a', 'annotate') && !isGiven(given, 'm', 'message', 'F', 'file')) return [effect('runs', 'an editor')];
  return given.operands.length === 0 ? [] : [effect('adds')];
}

/** Words that are rarely file names: `git checkout` accepts branches and files. */
const BRANCH = joinedRegExp(
  '',
  '^(?=.*$)(-|@|main|master|develop|dev|trunk|staging|production|next|HEAD([~^@].*)?|(feature|feat|fix|bugfix',
  String.raw`|hotfix|release|chore|user|origin|upstream|dependabot)\/.+|v?\d+(\.\d+)+([-.].*)?|[0-9a-f]{7,40})$`,
);

/** Switching branches keeps uncommitted changes; restoring paths loses them. */
export function classifyCheckout(given: Invocation, { name }: Call): readonly Effect[] {
  if (isGiven(given, 'f', 'force', 'discard-changes', 'ours', 'theirs', 'm', 'merge')) return [effect('destroys', 'uncommitted work')];
  if (isGiven(given, 'B', 'C', 'force-create')) return [effect('changes', 'moves a branch')];
  if (isGiven(given, 'p', 'patch', 'pathspec-from-file')) return [effect('destroys', 'uncommitted work')];
  if (isGiven(given, 'b', 'c', 'create', 'orphan')) return [effect('adds')];
  const [first, ...more] = given.operands;
  if (name === 'switch') return [effect('adds')];
  if (
    given.dashed !== undefined ||
    more.length > 0 ||
    first === undefined ||
    /^(?:\.$|\.\/|:)|\/$|\*/.test(first.start) ||
    /\.\w{1,5}$/.test(first.start)
  )
    return [effect('destroys', 'uncommitted work')];
  return [BRANCH.test(first.start) ? effect('adds') : effect('changes', `${first.text} may be a file`)];
}

/** `git reset`. */
export function classifyReset(given: Invocation): readonly Effect[] {
  if (isGiven(given, 'hard', 'merge', 'keep')) return [effect('destroys', 'uncommitted work')];
  const [first] = given.operands;
  const namesPaths = given.dashed !== undefined || first === undefined || given.operands.length > 1;
  const isPath =
    first !== undefined &&
    /^\.\/|^(src|lib|test|tests|docs|app|packages)\/|\.[A-Za-z]\w*$/.test(first.start) &&
    !/^(origin|upstream|HEAD|v?\d)/.test(first.start);
  if (isGiven(given, 'soft', 'mixed') || !(namesPaths || first.value === 'HEAD' || isPath)) return [effect('changes', 'moves the branch')];
  return [effect('adds')];
}

/** Settings that start nothing, or start nothing with the listed values. `*` matches any text. */
const HARMLESS = toSettings(`color.* advice.* status.* column.* i18n.* grep.* blame.* core.quotepath core.abbrev core.autocrlf
  core.ignorecase core.precomposeunicode core.whitespace core.eol core.safecrlf core.longpaths core.filemode log.date log.decorate
  diff.renames diff.renamelimit diff.algorithm diff.noprefix diff.mnemonicprefix diff.context diff.colormoved* user.name user.email
  init.defaultbranch merge.conflictstyle merge.ff merge.renames merge.renamelimit pull.rebase pull.ff push.default rebase.autosquash
  rebase.autostash pager.*=false commit.gpgsign=false tag.gpgsign=false credential.helper= core.pager=|cat|true|:
  core.editor=|cat|true|: sequence.pager=|cat|true|: sequence.editor=|cat|true|: core.fsmonitor=false core.hookspath=/dev/null`);

/** Settings that start a program, or redirect to another place. */
const STARTING = toSettings(`core.hookspath core.fsmonitor core.sshcommand core.editor core.pager core.askpass core.gitproxy
  core.attributesfile core.excludesfile core.worktree core.alternaterefscommand alias.* credential.* diff.external diff.*.command
  diff.*.textconv merge.*.driver filter.* include.* includeif.* init.templatedir gpg.* pager.* sequence.editor url.*insteadof
  remote.*.uploadpack remote.*.receivepack remote.*.proxy remote.*.url remote.*.pushurl remote.*.vcs protocol.* submodule.*.update
  uploadpack.* http.* browser.* man.* difftool.* mergetool.* interactive.difffilter sendemail.* tar.*.command trailer.*.command
  trailer.*.cmd user.signingkey commit.gpgsign safe.directory receive.* hook.*`);

interface Setting {
  readonly name: RegExp;
  /** Any value by default. */
  readonly values: readonly string[] | null;
}

function toSettings(rows: string): readonly Setting[] {
  return rows.split(/\s+/).map((row) => {
    const [name = '', values] = row.split('=');
    const pattern = name.replaceAll('.', '\\.').replaceAll('*', '.*');
    return { name: new RegExp(`^${pattern}$`, 'is'), values: values?.split('|') ?? null };
  });
}

/** Whether a setting for one command, `name=value`, starts nothing. */
export function isHarmlessSetting(text: string): boolean {
  const [name = '', value = 'true'] = text.split(/=(.*)/s);
  return HARMLESS.some((one) => one.name.test(name) && one.values?.includes(value) !== false);
}

/** Settings for one command, except harmless ones, and any command within their values. */
export function classifySettings(settings: Invocation['options'], call: Call): readonly Effect[] {
  return settings.flatMap(({ value }) => {
    const text = value?.value ?? null;
    if (text !== null && isHarmlessSetting(text)) return [];
    const command = text?.slice(text.indexOf('=') + 1).replace(/^!/, '') ?? '';
    if (/\s/.test(command)) call.classifyScript(command);
    return [effect('starts', `sets ${value?.text ?? 'nothing'} for one command`)];
  });
}

/** An address that is a command: git runs it to reach the remote. */
export function classifyAddresses([subcommand, ...words]: Call['words']): readonly Effect[] {
  if (!/^(clone|fetch|pull|push|ls-remote|remote|submodule|archive)$/.test(subcommand?.value ?? '')) return [];
  const command = words.find(({ start }) => /(?:^|=)ext::/.test(start));
  return command === undefined ? [] : [effect('starts', command.text)];
}

const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:|\/|~|\.\.?\/)/i;
const ALL = /^\+?(?:refs\/(?:heads\/|tags\/|remotes\/)?)?\*(?::|$)|^:$/;

/** Pushes commits to a known remote of the project, or everything to a given address. */
export function classifyPush(given: Invocation): readonly Effect[] {
  const [to, ...refs] = given.operands;
  const where = given.options.find(({ name }) => name === 'repo')?.value ?? to;
  const isStrange = where !== undefined && (where.value === null || ADDRESS.test(where.start));
  const isAll = isGiven(given, 'all', 'branches', 'mirror') || refs.some(({ start }) => ALL.test(start));
  const leaks = isStrange && isAll ? [effect('leaks', `the whole history, to ${where.text}`)] : [];
  const isLoss =
    isGiven(given, 'f', 'force', 'force-with-lease', 'd', 'delete', 'mirror', 'prune') ||
    given.operands.some(({ start }) => /^[+:]/.test(start));
  if (isLoss && leaks.length === 0) return [effect('destroys', 'commits that others may have'), effect('network')];
  return [...leaks, effect('network', 'publishes commits')];
}

/** Runs a command after each commit. */
export function classifyRebase({ options }: Invocation, call: Call): readonly Effect[] {
  const commands = options.filter(({ name }) => name === 'x' || name === 'exec').flatMap(({ value }) => value ?? []);
  return [effect('changes', 'git rebase'), ...commands.flatMap((command) => classifyText(command, call))];
}

/** The filters of `filter-branch` are scripts. */
export function classifyFilters(_: Invocation, call: Call): readonly Effect[] {
  const scripts = call.words.filter((_word, at) => /^--[a-z]+-filter$|^--setup$/.test(call.words[at - 1]?.start ?? ''));
  return [effect('changes', 'rewrites all commits'), ...scripts.flatMap((script) => classifyText(script, call))];
}

/** The words after a subcommand are a command, or a single script. */
export const STARTS_WORDS: CommandSpec = { any: true, effect: 'runs', detail: 'a command of git', inner: { after: 0, script: 'alone' } };

function classifyText({ value, text }: Argument, call: Call): readonly Effect[] {
  if (value === null) return [effect('unclear', { because: 'unknown-command', detail: text })];
  call.classifyScript(value);
  return [effect('runs', 'a command of git')];
}

const READING = ['get', 'get-all', 'get-regexp', 'get-urlmatch', 'list', 'l', 'get-color', 'get-colorbool'];
/** Reads or changes git settings, or plants a program that runs later. */
export function classifyConfig(given: Invocation, call: Call): readonly Effect[] {
  const found = classifySetting(given);
  const isRead = found.every(({ kind }) => kind === 'secrets');
  return [...found, ...filesOf(given).flatMap((file) => usePath(file, isRead ? 'content' : 'edit', call.scope))];
}

/** git reads settings from any file, and prints lines that look like settings; it also writes to any file. */
function filesOf({ options }: Invocation): readonly Argument[] {
  return options.flatMap(({ name, value }) => (means(name, 'file') || name === 'f' || means(name, 'blob') ? (value ?? []) : []));
}

function classifySetting(given: Invocation): readonly Effect[] {
  const [first, second, third] = given.operands;
  if (first?.value === 'edit') return [effect('runs', 'an editor')];
  if (isGiven(given, ...READING) || first?.value === 'get' || first?.value === 'list')
    return /token|password|extraheader|secret/i.test(given.operands.map((word) => word.start).join(' '))
      ? [effect('secrets', 'a setting')]
      : [];
  if (isGiven(given, 'unset', 'unset-all', 'remove-section', 'rename-section', 'e', 'edit')) return [effect('changes', 'settings of git')];
  const name = first?.value === 'set' ? second : first;
  const isSet = first?.value === 'set' ? third !== undefined : second !== undefined;
  if (!isSet) return [];
  const { value = null, text = '' } = name ?? {};
  const isPlanted = value === null || STARTING.some((one) => one.name.test(value));
  return [effect(isPlanted ? 'plants' : 'changes', `the setting ${text}`)];
}
