import type { Argument } from './argument.ts';
import { find } from './findings.ts';
import { mentionsOwn, touchOf } from './own-ground.ts';
import { locate, type Place } from './place.ts';
import type { Scope } from './scope.ts';
import type { Finding } from './verdict.ts';

/** What a program does with a path it is given. */
export type PathUse = 'text' | 'name' | 'content' | 'add' | 'edit' | 'replace' | 'delete';

/** Judges what happens to the path that a word names. A glob stands for whatever it may match. */
export function usePath(word: Argument, use: PathUse, scope: Scope): readonly Finding[] {
  const found = judgeUse(word, use, scope);
  scope.watcher?.used(word, use, scope, found);
  return found;
}

function judgeUse(word: Argument, use: PathUse, scope: Scope): readonly Finding[] {
  const spoken: readonly Finding[] = word.isSecret ? [find('secrets', word.text)] : [];
  if (use === 'text' || use === 'name') return spoken;
  const place = locate(word.value ?? word.start, scope.cwd, scope.ground, word.isGlob);
  const isOwn = ownAt(word, place, use, scope);
  if (isOwn) return [...spoken, find(use === 'content' ? 'secrets' : 'self', word.text)];
  if (use === 'content') return [...spoken, ...readContent(word, place, scope), ...readRevision(word, scope)];
  if (use !== 'delete' && ending(word, scope).isGuarded) return [...spoken, find('plants', word.text)];
  if (isUnknown(word, place))
    return [...spoken, find(use === 'delete' ? 'destroys' : 'changes', `${word.text}, whatever that is`)];
  scope.hasWritten ||= place.zone === 'project' || place.zone === 'temporary';
  return [...spoken, ...change(word, place, use)];
}

/** Rules, log, trust and memory of the program itself; to read the program is nobody's harm. */
function ownAt(word: Argument, { path }: Place, use: PathUse, { ground: { ours: own } }: Scope): boolean {
  if (own === undefined) return false;
  if (path === null || word.value === null) return mentionsOwn(word.text, { ...own, program: [] });
  own.onPath?.(path, use === 'content');
  return touchOf(path, own.paths, word.isGlob) === 'own';
}

/** The beginning of a path tells where it lies, unless it may still climb out. */
function isUnknown(word: Argument, place: Place): boolean {
  if (place.zone === 'unknown') return true;
  if (word.isFound === true && word.start !== '') return false;
  return word.value === null && !word.isNumber && !place.isGuarded;
}

/** `$DIR/.env` is a secret whatever the variable holds: the end of the text tells. */
function ending(word: Argument, { cwd, ground }: Scope): Pick<Place, 'isSecret' | 'isGuarded'> {
  if (word.value !== null) return { isSecret: false, isGuarded: false };
  return locate(word.text.replace(/["']/g, ''), cwd, ground, word.isGlob);
}

function readContent(word: Argument, place: Place, scope: Scope): readonly Finding[] {
  if (place.zone === 'connection') return [find('network', word.text)];
  if (place.isSecret || ending(word, scope).isSecret) return [find('secrets', word.text)];
  if (place.zone === 'disk') return [find('privileged', `reads the disk ${word.text}`)];
  return [];
}

/** `HEAD:.env` is a file as well. */
function readRevision(word: Argument, scope: Scope): readonly Finding[] {
  const path = /^[\w@{}~^./-]*:(.+)$/s.exec(word.value ?? word.start)?.[1];
  if (path === undefined) return [];
  return locate(path, scope.cwd, scope.ground, word.isGlob).isSecret ? [find('secrets', word.text)] : [];
}

function change(word: Argument, place: Place, use: 'add' | 'edit' | 'replace' | 'delete'): readonly Finding[] {
  if (place.zone === 'null' || place.zone === 'stream') return [];
  if (place.zone === 'connection') return [find('network', word.text)];
  if (place.zone === 'disk') return [find('wrecks', word.text)];
  if (use === 'delete') return [find(isLoss(place) ? 'wrecks' : 'destroys', word.text)];
  if (place.isGuarded) return [find('plants', word.text)];
  switch (place.zone) {
    case 'project':
    case 'temporary':
      if (use === 'replace') return [find('changes', `replaces ${word.text}`)];
      if (place.isSecret || (use === 'edit' && (word.isGlob || place.isWhole))) return [find('changes', word.text)];
      return [find('adds', word.text)];
    case 'system':
      return [use === 'replace' ? find('wrecks', word.text) : find('privileged', `writes ${word.text}`)];
    default:
      return [find('changes', `${word.text} lies outside of the project`)];
  }
}

/** Beyond the project, the whole of something, and the history of the project are lost for good. */
function isLoss(place: Place): boolean {
  return place.isWhole || place.isGuarded || (place.zone !== 'project' && place.zone !== 'temporary');
}

/** Folders of the home directory in which credentials lie. */
const KEEPS_SECRETS =
  /^\/(\.ssh|\.gnupg|\.aws|\.kube|\.azure|\.docker|\.config|\.mozilla|\.password-store|\.local(\/share)?)?$/;

/** Whether a path is a secret, or a folder that is known to hold some. */
export function holdsSecrets(path: string, { cwd, ground }: Scope, isGlob = false): boolean {
  const place = locate(path, cwd, ground, isGlob);
  if (place.isSecret) return true;
  if (place.path === null) return false;
  const plain = place.path.replace(/\/\*$/, '');
  return (
    /^\/(etc|root)?$/.test(plain) ||
    (plain.startsWith(ground.home) && KEEPS_SECRETS.test(plain.slice(ground.home.length)))
  );
}

/** A file with credentials among the words of what talks to others, also behind `=` and `@`: it may be sent, or be read by it. */
export function namesSecretFile(words: readonly Argument[], { cwd, ground }: Scope): readonly Finding[] {
  const named = words.find(({ start }) => locate(start.replace(/^-.*?=|^.*?@/, ''), cwd, ground).isSecret);
  return named === undefined ? [] : [find('secrets', named.text)];
}
