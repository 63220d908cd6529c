import type { ReasonCode } from '../../protocol/tool.ts';
import type { Argument } from './argument.ts';
import { climbOf, isBeyond, locate, type Place } from './place.ts';
import { mentionsOwn, touchOf } from './protected-files.ts';
import { namePath, type Scope } from './scope.ts';
import { type Cause, type Effect, effect, type PathUse } from './verdict.ts';

/** Classifies the use of the path that a word names. A glob represents everything it may match. */
export function usePath(word: Argument, use: PathUse, scope: Scope): readonly Effect[] {
  if (use === 'text') return word.isSecret ? [effect('secrets', word.text)] : [];
  const place = locate(word.value ?? word.start, scope.cwd, scope.context, word.isGlob);
  const effects = classifyUse(word, place, use, scope);
  scope.claims.add(word.text);
  scope.trace?.push({ type: 'path', word, use, place, cwd: scope.cwd, isMaybe: scope.isMaybe, effects });
  return effects;
}

function classifyUse(word: Argument, place: Place, use: Exclude<PathUse, 'text'>, scope: Scope): readonly Effect[] {
  const spoken: readonly Effect[] = word.isSecret ? [effect('secrets', word.text)] : [];
  if (use === 'name') return spoken;
  const isOwn = ownAt(word, place, use, scope);
  if (isOwn) return [...spoken, effect(use === 'content' || use === 'list' ? 'secrets' : 'self', at(word, place))];
  if (use === 'list') return [...spoken, ...readList(word, place, scope)];
  if (use === 'content') return [...spoken, ...readContent(word, place, scope), ...readRevision(word, scope)];
  if (use !== 'delete' && ending(word, scope).isGuarded) return [...spoken, effect('plants', at(word, place))];
  if (isUnknown(word, place)) return [...spoken, effect(use === 'delete' ? 'destroys' : 'changes', at(word, place, 'unknown-path'))];
  scope.hasWritten ||= place.zone === 'project' || place.zone === 'temporary';
  return [...spoken, ...change(word, place, use)];
}

/** A file as the cause of an effect. */
function at(word: Argument, { path }: Place, because: ReasonCode = 'path'): Cause {
  return { because, path: path ?? word.value, detail: word.text };
}

/** A file of code, run by a program, as the cause of an effect. */
export function scriptAt(file: Pick<Argument, 'value' | 'text'>, { cwd, context }: Scope): Cause {
  const path = file.value === null ? null : (locate(file.value, cwd, context).path ?? file.value);
  return { because: 'script', path, detail: file.text };
}

/** Rules, log, trust and memory of aish itself. Reading the program is harmless. */
function ownAt(word: Argument, { path }: Place, use: PathUse, scope: Scope): boolean {
  const { ours: own } = scope.context;
  if (path === null || word.value === null) return own !== undefined && mentionsOwn(word.text, { ...own, program: [] });
  const climb = climbOf(word.value, scope.cwd);
  const places = climb === null ? [path] : [path, climb];
  for (const one of places) namePath(scope, one, use === 'content' || use === 'list');
  if (own === undefined) return false;
  return places.some((one) => touchOf(one, own.paths, word.isGlob) === 'own');
}

/** The beginning of a path determines its place, unless the rest may climb out. */
function isUnknown(word: Argument, place: Place): boolean {
  if (place.zone === 'unknown') return true;
  if (word.isFound === true && word.start !== '') return false;
  return word.value === null && !word.isNumber && !place.isGuarded;
}

/** `$DIR/.env` is a secret whatever the variable contains, because the end of the text decides. */
function ending(word: Argument, { cwd, context }: Scope): Pick<Place, 'isSecret' | 'isGuarded'> {
  if (word.value !== null) return { isSecret: false, isGuarded: false };
  return locate(word.text.replace(/["']/g, ''), cwd, context, word.isGlob);
}

/** Many programs that read files also fetch an address. */
const ADDRESS = /^(?:https?|s?ftps?|ssh|svn|bzr|hg|git|s3|gs|nbd|rsync|smb|dods|dap\w*)(?:\+\w+)?:\/\//i;

function readContent(word: Argument, place: Place, scope: Scope): readonly Effect[] {
  if (ADDRESS.test(word.start)) return [effect('network', word.text)];
  if (place.zone === 'connection') return [effect('network', at(word, place, 'device-connection'))];
  if (place.isSecret || ending(word, scope).isSecret) return [effect('secrets', at(word, place))];
  if (place.zone === 'disk') return [effect('privileged', `reads the disk ${word.text}`)];
  return readsBeyond(word, scope) ? [effect('beyond', at(word, place))] : [];
}

/** A file whose lines are names of files, all of which are read. */
function readList(word: Argument, place: Place, scope: Scope): readonly Effect[] {
  return [...readContent(word, place, scope), ...(word.value === '-' ? [] : [effect('beyond', at(word, place))])];
}

/** A pattern, or words from a list or a file, represent files that the line does not name. */
function readsBeyond(word: Argument, { cwd, context }: Scope): boolean {
  if (word.feed === 'beyond' || word.feed === 'text') return true;
  const isSome = word.isGlob || word.isFound === true;
  return isSome && isBeyond(word.value ?? word.start, cwd, context);
}

/** Classifies a folder whose files are all read. */
export function useTree(word: Argument, scope: Scope): readonly Effect[] {
  const found = usePath(word, 'content', scope);
  const isSaid = found.some(({ kind }) => kind === 'secrets' || kind === 'beyond');
  const isElsewhere = isBeyond(word.value ?? word.start, scope.cwd, scope.context);
  return isSaid || !isElsewhere ? found : [...found, effect('beyond', { because: 'path', path: word.value, detail: word.text })];
}

/** `HEAD:.env` is a file as well. */
function readRevision(word: Argument, scope: Scope): readonly Effect[] {
  const path = /^[\w@{}~^.,+/-]*:(.+)$/s.exec(word.value ?? word.start)?.[1];
  if (path === undefined) return [];
  const place = locate(path, scope.cwd, scope.context, word.isGlob);
  return place.isSecret ? [effect('secrets', at(word, place))] : [];
}

function change(word: Argument, place: Place, use: 'add' | 'edit' | 'replace' | 'delete'): readonly Effect[] {
  if (place.zone === 'null' || place.zone === 'stream') return [];
  if (place.zone === 'connection') return [effect('network', at(word, place, 'device-connection'))];
  if (place.zone === 'disk') return [effect('wrecks', at(word, place))];
  if (use === 'delete') return [effect(isLoss(place) ? 'wrecks' : 'destroys', at(word, place))];
  if (place.isGuarded) return [effect('plants', at(word, place))];
  switch (place.zone) {
    case 'project':
    case 'temporary':
      if (use === 'replace') return [effect('changes', at(word, place, 'replaced'))];
      if (place.isSecret || (use === 'edit' && (word.isGlob || place.isWhole))) return [effect('changes', at(word, place))];
      return [effect('adds', at(word, place))];
    case 'system':
      return [
        use === 'replace' ? effect('wrecks', at(word, place)) : effect('privileged', { ...at(word, place), detail: `writes ${word.text}` }),
      ];
    default:
      return [effect('changes', at(word, place, 'outside'))];
  }
}

/** Deleting is irreversible outside the project, for a whole tree, and for the project's history. */
function isLoss(place: Place): boolean {
  return place.isWhole || place.isGuarded || (place.zone !== 'project' && place.zone !== 'temporary');
}

/** Folders of the home directory that contain credentials. */
const KEEPS_SECRETS = /^\/(\.ssh|\.gnupg|\.aws|\.kube|\.azure|\.docker|\.config|\.mozilla|\.password-store|\.local(\/share)?)?$/;

/** Whether a path is a secret, or a folder known to contain some. */
export function holdsSecrets(path: string, { cwd, context }: Scope, isGlob = false): boolean {
  const place = locate(path, cwd, context, isGlob);
  if (place.isSecret) return true;
  if (place.path === null) return false;
  const plain = place.path.replace(/\/\*$/, '');
  return /^\/(etc|root)?$/.test(plain) || (plain.startsWith(context.home) && KEEPS_SECRETS.test(plain.slice(context.home.length)));
}

/** Credential files among the words of a network program, also after `=` and `@`: the program may send or read them. */
export function namesSecretFile(words: readonly Argument[], { cwd, context }: Scope): readonly Effect[] {
  const named = words.find(({ start }) => locate(start.replace(/^-.*?=|^.*?@/, ''), cwd, context).isSecret);
  return named === undefined ? [] : [effect('secrets', named.text)];
}

/** At most this many readings of a word are looked up. */
const MOST_TEXTS = 64;
const LONGEST_BUNDLE = 24;

/**
 * Every text in a word that a program may take as a path: the word itself, the value of an option after `=` or its letter, the text after
 * `@`, `:` or `,`, and the words of a script. Only a look at the file system can tell which of them exist.
 */
export function pathTextsOf(word: Pick<Argument, 'value' | 'start'>): readonly string[] {
  const text = word.value ?? word.start;
  if (text.includes('\0')) return [];
  const found = new Set<string>();
  if (!text.startsWith('-') || text === '-') found.add(text);
  for (const line of text.split('\n')) for (const { index } of line.matchAll(/[=@:,]/g)) found.add(line.slice(index + 1));
  if (/^-[^-]/.test(text)) for (let at = 2; at < Math.min(text.length, LONGEST_BUNDLE); at += 1) found.add(text.slice(at));
  if (/[\s"'(){};|<>=,]/.test(text)) for (const one of text.split(/[\s"'(){};|<>=,]+/)) found.add(one);
  found.delete('');
  return [...found].slice(0, MOST_TEXTS);
}
