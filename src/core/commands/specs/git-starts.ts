import type { Argument } from '../argument.ts';
import { type Invocation, isGiven, means } from '../parse.ts';
import { usePath } from '../path-use.ts';
import type { Call, CommandSpec } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

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
