import { joinedRegExp } from '../../text/joined-regexp.ts';
import type { Argument } from '../argument.ts';
import { normalize } from '../place.ts';
import { callsOwn, mentionsOwn, type OwnFiles, type Touch, touchOf } from '../protected-files.ts';
import { namePath, type Scope } from '../scope.ts';
import { type Effect, effect, type Part } from '../verdict.ts';
import { classifyOwnProcess, feedsCommand, findsAndEnds, type SelfCall } from './self-process.ts';

/*
 * aish protects itself from the model: its rules, log, trust, memory, sockets, program and processes. The program tables tell the effect on
 * a path only for programs they know well. Here the default is the opposite: any call that names one of our files and is not known to be
 * read-only is denied, and no rule can lift that.
 */

/** Programs whose words or input are code, so they may do whatever their text mentions. */
const CODE = joinedRegExp(
  'i',
  String.raw`^(python[\d.]*|pypy3?|perl|ruby|irb|node|nodejs|bun|deno|tsx|ts-node|php|lua[\d.]*|luajit|[gmn]?awk|sed|ed|ex`,
  '|vi|vim|view|nvim|emacs|emacsclient|nano|sqlite3|gdb|lldb|expect|tclsh|wish|osascript|r|rscript|julia|raku',
  '|guile|racket|clojure|groovy|scala|ghc|runghc|swift|make|gmake|docker|podman|parallel|socat|m4|bc|psql|duckdb',
  '|jshell|powershell|pwsh)$',
);

/** Programs that act on everything below the paths they name. */
const DEEP = /^(chmod|chown|chgrp|chattr|setfacl|mv|rm|rmdir|find|fd|rename|shred|srm|trash|trash-put|gio|rsync|unlink)$/;

/** Programs that act on names from their input. */
const HANDED = /^(read|mapfile|readarray|while|cpio|rsync|tar)$/;

/** Programs for which `-o` has another meaning. */
const OTHER_OUTPUT = /^([efz]?grep|rg|ag|ack|ls|find|ps|stat|df|od|test|\[)$/;

/** Effects of a call on aish, in addition to those from the tables. */
export function protectSelf(call: SelfCall, found: readonly Effect[]): readonly Effect[] {
  const { ours: own } = call.scope.context;
  const processes = classifyOwnProcess(call, found);
  if (own === undefined || processes.length > 0) return processes;
  const isReading = found.every((one) => one.class === 'read-only') && !writesOutput(call);
  if (killsInCode(call, own)) return [effect('self', 'code that ends its process')];
  const touched = touchedBy(call, own, { isReading });
  if (isReading && !isCode(call)) return touched === 'own' ? [effect('reads', { because: 'own-name' })] : [];
  const isTouched = touched === 'own' || (touched === 'holds' && (DEEP.test(baseOf(call.name)) || linksTo(call, own)));
  const isNamed = speaksOfOwn(call, own) || isTold(call, found, own) || isMounted(call, own);
  if (isTouched || isNamed || standsInOwn(call, own, isReading)) return [effect('self', call.name)];
  return [];
}

/** A word of a program that starts others may be a command line for one of them. */
function isTold({ name, words }: SelfCall, found: readonly Effect[], own: OwnFiles): boolean {
  const base = baseOf(name);
  if (LOCAL.test(words.map(({ value, text }) => value ?? text).join(' ')) && /^(?:ssh|scp|sftp|mosh|rsync)$/.test(base))
    return words.some(({ value, text }) => callsOwn(value ?? text));
  const isKept = /^(?:less|more|most|bat|complete|bind)$/.test(base);
  if (!isKept && !found.some((one) => one.class === 'privileged' || isStart(one))) return false;
  return words.some(({ value, text }) => /\s/.test(value ?? text) && mentionsOwn(value ?? text, own));
}

function isStart({ kind }: Effect): boolean {
  return kind === 'starts' || kind === 'runs';
}

/** `GOBIN=~/.config/aish go install`: a variable tells a program where to write. */
const TOLD_A_PLACE = /(?:^|[;&|({]\s+|(?<!\S)(?:(?![;&|({]\w+=)\S)*[;&|({])((?:\w+=\S*\s+)+)(?=[^\s;&|#)}])/g;

/** Whether a variable is set to a command line for another program, or to a path for it. */
function setsLine(parts: readonly Part[], text: string, own: OwnFiles): boolean {
  const acts = parts.some(({ effects }) => effects.some(({ class: kind, because }) => kind !== 'read-only' && because !== 'assignment'));
  if (acts && Array.from(text.matchAll(TOLD_A_PLACE)).some(([, told = '']) => mentionsOwn(told, own))) return true;
  if (!parts.some(({ effects }) => effects.some(isStart))) return false;
  return Array.from(text.matchAll(/(?<![\w-])\w+=(?:"([^"]*)"|'([^']*)')/g)).some(([, double, single]) => {
    const value = double ?? single ?? '';
    return /\s/.test(value) && mentionsOwn(value, own);
  });
}

/** Names of the local machine for programs that expect a remote one. */
const LOCAL = /(?:^|[@ ])(?:localhost|127\.[\d.]+|\[?::1\]?|ip6-localhost)(?=[: ]|$)/;

/** `$(which aish) serve`: aish is started under another name. */
const STARTED = joinedRegExp(
  '',
  String.raw`(?:^|[;&|({]\s*|\b(?:then|do|else)\s+)["']?(?:\$\(|\x60)\s*(?:(?:which|whereis -b|type -[pP]`,
  String.raw`|command -v)\s+aish|echo\s+["']?aish["']?)\s*[)\x60]["']?\s+(?!--(?:version|help)\b)\S`,
);

/** Names that one part of a line finds and another part acts on: neither part alone would be denied. */
export function classifyHandedOn(parts: readonly Part[], text: string, own: OwnFiles | undefined): readonly Effect[] {
  if (findsAndEnds(parts, text, own ?? { pids: [] })) return [effect('self', 'its process is handed to kill')];
  if (own !== undefined && STARTED.test(text)) return [effect('self', 'starts it again')];
  const isPrinted = parts.some(({ effects }) => effects.some(({ because }) => because === 'printed-script'));
  if (own !== undefined && isPrinted && mentionsOwn(text, own)) return [effect('self', 'a script that is printed')];
  if (own !== undefined && setsLine(parts, text, own)) return [effect('self', 'a variable that starts something')];
  const isFed = parts.some(({ words: [name] }) => name === 'read' || feedsCommand(name));
  const isNamed = (isFed && callsOwn(text)) || parts.some(({ effects }) => effects.some(({ because }) => because === 'own-name'));
  const isHanded = parts.some(({ words: [name] }) => HANDED.test(name ?? '') || feedsCommand(name));
  const acts = parts.some((part) => part.effects.some((one) => one.class !== 'read-only'));
  return isNamed && isHanded && acts ? [effect('self', 'what one command names is handed to another')] : [];
}

/** A program that the tables only know to print may print into a file. */
function writesOutput({ name, words }: SelfCall): boolean {
  if (OTHER_OUTPUT.test(baseOf(name))) return false;
  return words.some(({ value, text }) => /^(-o|--out(put|file)?)(=|$)/.test(value ?? text));
}

function baseOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** `python3 --version` runs no code. */
function isCode({ name, words }: SelfCall): boolean {
  return CODE.test(baseOf(name)) && words.length > 0;
}

/** A container that gets a folder above our files can reach all of it. */
function isMounted({ name, words, scope }: SelfCall, own: OwnFiles): boolean {
  if (!/^(?:docker|podman|nerdctl)$/.test(baseOf(name))) return false;
  const given = words.map(({ value, text }) => value ?? text);
  return given.some((word, at) => {
    const isVolume = /^(?:-v|--volume)$/.test(given[at - 1] ?? '');
    const source = isVolume ? word : /^(?:-v|--volume=|--mount=?.*?\b(?:src|source)=)([\s\S]+)/.exec(word)?.[1];
    const [path = ''] = (source ?? /\b(?:src|source)=([^,]+)/.exec(word)?.[1] ?? '').split(/[:,]/);
    if (!/^[/~.]/.test(path)) return false;
    return resolveAll(path, scope).some((one) => touchOf(one, [...own.paths, ...own.program], false) !== null);
  });
}

/** A link to a folder above our files is another name for that folder. The last word is the place of the link. */
function linksTo(call: SelfCall, own: OwnFiles): boolean {
  if (baseOf(call.name) !== 'ln' || call.words.length < 2) return false;
  return touchedBy({ ...call, words: call.words.slice(0, -1) }, own, { isReading: true }) !== null;
}

/** Code that ends a process by our pid, or by its parent, which is our shell. */
function killsInCode(call: SelfCall, { pids, names = [] }: OwnFiles): boolean {
  if (!CODE.test(baseOf(call.name))) return false;
  const said = call.words.map((word) => word.value ?? word.text);
  return [...said, said.join(' '), call.input.text ?? ''].some((text) => {
    const ended = /\b(?:pkill|killall)[\s"',]+(?:(?=(-[^\s,]*[^\s"',][\s"',]+))\1)*([\w.-]+)/.exec(text)?.[2];
    if (ended !== undefined && names.includes(ended)) return true;
    if (/\b(?:pkill|killall)\s+(?:-(?:(?!\b(?:pkill|killall)\s)\S)+\s+)*["']?aish\b/.test(text)) return true;
    if (/process_iter/.test(text) && /["']aish["']/.test(text) && /\.(?:kill|terminate|suspend)\(/.test(text)) return true;
    if (pids.some((pid) => new RegExp(`\\battach\\s+${pid}(?!\\d)`).test(text))) return true;
    if (!/(?<![a-z])kill(?:pg)?\b/i.test(text)) return false;
    return /getppid|\bppid\b|\$PPID\b/i.test(text) || pids.some((pid) => killed(pid).test(text));
  });
}

/** A number after `kill`, or after the signal if the number cannot be a signal. */
function killed(pid: number): RegExp {
  return new RegExp(`\\bkill(?:pg)?\\W+${pid < HIGHEST_SIGNAL ? '' : '(?:\\w+\\W+)?'}${pid}(?!\\d)`, 'i');
}

const HIGHEST_SIGNAL = 65;

/** Code that only a reader runs, such as sed printing a file, still names the files it reads. */
function speaksOfOwn(call: SelfCall, own: OwnFiles): boolean {
  if (!CODE.test(baseOf(call.name))) return false;
  const texts = [...call.words.map((word) => word.value ?? word.text), call.input.text ?? ''];
  return texts.some((text) => mentionsOwn(text, own));
}

/** A call without file names acts on the working directory. */
function standsInOwn({ scope }: SelfCall, own: OwnFiles, isReading: boolean): boolean {
  return !isReading && scope.cwd !== null && touchOf(scope.cwd, [...own.paths, ...own.program], false) === 'own';
}

function touchedBy({ name, words, scope }: SelfCall, own: OwnFiles, { isReading }: { readonly isReading: boolean }): Touch {
  const owned = [...own.paths, ...own.program];
  const holders = new Set<string>();
  let held: Touch = null;
  const look = (path: string, isGlob: boolean): void => {
    namePath(scope, path, false);
    const touch = touchOf(path, owned, isGlob);
    if (touch === 'own') held = 'own';
    else held ??= touch;
    if (touch === 'holds' && !isReading) holders.add(path);
  };
  if (name.includes('/')) for (const path of resolveAll(name, scope)) look(path, false);
  for (const word of words) {
    for (const text of candidates(word, own)) for (const path of resolveAll(text, scope)) look(path, word.isGlob);
    if (word.value === null && mentionsOwn(word.text, own)) held = 'own';
  }
  // Programs with a folder option, such as `-C`, resolve their other words there.
  for (const holder of holders)
    for (const word of words)
      for (const text of candidates(word, own))
        if (/^[^/~]/.test(text) && touchOf(normalize(`${holder}/${text}`), owned, word.isGlob) === 'own') held = 'own';
  return held;
}

/** The texts in a word that may be a path: the whole word, and the text after a separator that programs know. */
function candidates(word: Argument, { variables }: OwnFiles): readonly string[] {
  const text = word.value ?? word.text.replace(/["']/g, '').replace(/\$\{?(\w+)\}?/g, (whole, name) => variables[name] ?? whole);
  const found = [text, ...text.split(/[=:,@]/).slice(1), ...(/^-[A-Za-z]./.test(text) ? [text.slice(2)] : [])];
  return found.map((one) => one.replace(/^file:(\/\/(localhost)?)?(?=\/)/i, '')).filter((one) => one !== '' && !/\n/.test(one));
}

function resolveAll(text: string, { cwd, context }: Scope): readonly string[] {
  if (text.startsWith('~/') || text === '~') return [normalize(`${context.home}/${text.slice(2)}`)];
  if (text.startsWith('/')) return [normalize(text)];
  return cwd === null ? [] : [normalize(`${cwd}/${text}`)];
}
