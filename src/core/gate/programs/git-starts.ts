import type { Argument } from '../argument.ts';
import { find } from '../findings.ts';
import { type GivenWords, isGiven, means } from '../options.ts';
import type { Call } from '../program.ts';
import type { Finding } from '../verdict.ts';

const HARMLESS_SETTING =
  /^(color\.\w+|core\.(quotepath|abbrev|autocrlf|ignorecase|precomposeunicode|whitespace|eol|safecrlf|longpaths|filemode)|advice\.\w+|log\.(date|decorate)|diff\.(renames|renamelimit|algorithm|noprefix|mnemonicprefix|context|colormoved)|status\.\w+|user\.(name|email)|init\.defaultbranch|column\.\w+|i18n\.\w+|(merge\.(conflictstyle|ff|renames|renamelimit)|pull\.(rebase|ff)|push\.default|rebase\.(autosquash|autostash)|grep\.\w+|blame\.\w+|pager\.\w+=false|(commit|tag)\.gpgsign=false|credential\.helper=$|(core|sequence)\.(pager|editor)=(cat|true|:)?$|core\.fsmonitor=false|core\.hookspath=\/dev\/null))/i;

/** Settings for one command: all but those that start nothing, and whatever command stands in one. */
export function judgeSettings(settings: GivenWords['options'], call: Call): readonly Finding[] {
  return settings.flatMap(({ value }) => {
    const text = value?.value ?? null;
    if (text !== null && HARMLESS_SETTING.test(text)) return [];
    const command = text?.slice(text.indexOf('=') + 1).replace(/^!/, '') ?? '';
    if (/\s/.test(command)) call.judgeScript(command);
    return [find('starts', `sets ${value?.text ?? 'nothing'} for one command`)];
  });
}

/** An address that is a command: git runs it to talk to the other side. */
export function judgeAddresses([subcommand, ...words]: Call['words']): readonly Finding[] {
  if (!/^(clone|fetch|pull|push|ls-remote|remote|submodule|archive)$/.test(subcommand?.value ?? '')) return [];
  const command = words.find(({ start }) => /(?:^|=)ext::/.test(start));
  return command === undefined ? [] : [find('starts', command.text)];
}

const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:|\/|~|\.\.?\/)/i;
const ALL = /^\+?(?:refs\/(?:heads\/|tags\/|remotes\/)?)?\*(?::|$)|^:$/;

/** Commits go to where the project has them already, or everything to an address of its own. */
export function judgePush(given: GivenWords): readonly Finding[] {
  const [to, ...refs] = given.operands;
  const where = given.options.find(({ name }) => name === 'repo')?.value ?? to;
  const isStrange = where !== undefined && (where.value === null || ADDRESS.test(where.start));
  const isAll = isGiven(given, 'all', 'branches', 'mirror') || refs.some(({ start }) => ALL.test(start));
  const leaks = isStrange && isAll ? [find('leaks', `the whole history, to ${where.text}`)] : [];
  const isLoss =
    isGiven(given, 'f', 'force', 'force-with-lease', 'd', 'delete', 'mirror', 'prune') ||
    given.operands.some(({ start }) => /^[+:]/.test(start));
  if (isLoss && leaks.length === 0) return [find('destroys', 'what others may have'), find('network')];
  return [...leaks, find('network', 'publishes commits')];
}

/** A command after each commit. */
export function judgeRebase({ options }: GivenWords, call: Call): readonly Finding[] {
  const commands = options.filter(({ name }) => name === 'x' || name === 'exec').flatMap(({ value }) => value ?? []);
  return [find('changes', 'git rebase'), ...commands.flatMap((command) => judgeText(command, call))];
}

/** The filters of `filter-branch` are scripts. */
export function judgeFilters(_: GivenWords, call: Call): readonly Finding[] {
  const scripts = call.words.filter((_word, at) => /^--[a-z]+-filter$|^--setup$/.test(call.words[at - 1]?.start ?? ''));
  return [find('changes', 'rewrites all commits'), ...scripts.flatMap((script) => judgeText(script, call))];
}

/** The words behind a subcommand are a command, or one text that is. */
export function judgeStartedWords({ operands }: GivenWords, call: Call): readonly Finding[] {
  const [only, ...more] = operands;
  if (only !== undefined && more.length === 0) return judgeText(only, call);
  call.judgeCommand(operands);
  return [find('runs', 'a command of git')];
}

function judgeText({ value, text }: Argument, call: Call): readonly Finding[] {
  if (value === null) return [find('unclear', `the command ${text}`)];
  call.judgeScript(value);
  return [find('runs', 'a command of git')];
}

const READING = ['get', 'get-all', 'get-regexp', 'get-urlmatch', 'list', 'l', 'get-color', 'get-colorbool'];
const STARTS =
  /^(core\.(hookspath|fsmonitor|sshcommand|editor|pager|askpass|gitproxy|attributesfile|excludesfile|worktree)|alias\.|credential\.|diff\.(external|.*\.(command|textconv))|merge\..*\.driver|filter\.|include(if)?\.|init\.templatedir|gpg\.|pager\.|sequence\.editor|url\..*insteadof|remote\..*\.(uploadpack|receivepack|proxy|url|pushurl)|protocol\.|submodule\..*\.update|uploadpack\.|http\.|browser\.|man\.|difftool\.|mergetool\.|interactive\.difffilter|sendemail\.|trailer\..*\.c(omman|m)d|user\.signingkey|commit\.gpgsign|safe\.directory|receive\.)/i;

/** Settings of git are read, changed, or plant a program that acts later. */
export function judgeConfig(given: GivenWords): readonly Finding[] {
  const [first, second, third] = given.operands;
  if (first?.value === 'edit') return [find('runs', 'an editor')];
  if (isGiven(given, ...READING) || first?.value === 'get' || first?.value === 'list')
    return /token|password|extraheader|secret/i.test(given.operands.map((word) => word.start).join(' '))
      ? [find('secrets', 'a setting')]
      : [];
  if (
    given.options.some(({ name }) =>
      ['unset', 'unset-all', 'remove-section', 'rename-section', 'e', 'edit'].some((one) => means(name, one)),
    )
  )
    return [find('changes', 'settings of git')];
  const name = first?.value === 'set' ? second : first;
  const isSet = first?.value === 'set' ? third !== undefined : second !== undefined;
  if (!isSet) return [];
  if (name?.value === null || name === undefined || STARTS.test(name.value))
    return [find('plants', `the setting ${name?.text ?? ''}`)];
  return [find('changes', `the setting ${name.text}`)];
}
