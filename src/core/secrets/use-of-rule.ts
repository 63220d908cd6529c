import { goesBeyond } from '../gate/beyond-rule.ts';
import type { LineGround } from '../gate/judge-line.ts';
import type { Part } from '../gate/verdict.ts';

/** Programs that come by a secret only through their words and their input: a rule for one of them means just that. */
const TAKE_WORDS: ReadonlySet<string> = new Set(
  'curl wget http https xh aria2c docker podman buildah skopeo oras helm crane mysql mysqldump mysqladmin mariadb psql pg_dump pg_restore redis-cli mongosh sshpass ldapsearch'.split(
    ' ',
  ),
);

/** They send a token to the one service it is of, whatever their words name. */
const KNOW_THEIR_HOST: ReadonlySet<string> = new Set(['gh', 'glab']);

const ADDRESS = /^(?:-[\w-]*=?)?[a-z][a-z0-9+.-]*:\/\//i;
const NAMES_HOST =
  /^--?(?:host(?:name)?|addr(?:ess)?|endpoint(?:-url)?|registry|server|api-(?:url|server|host)|base-url|url|proxy|index-url|repository(?:-url)?)(?:=|$)/i;

/**
 * Whether a rule hands a secret also to the words or the input of its command. A program that finds the secret in its environment has no use
 * for it there but to pass it on, such as in a comment: that is another use than the rule was made for.
 */
export function isForWords(rule: readonly string[], isExported: boolean): boolean {
  return TAKE_WORDS.has(rule[0] ?? '') || (rule.length > 1 && !isExported);
}

/** True where a command's words say where to connect to, which its rule does not. */
export function goesElsewhere(rule: readonly string[], part: Part, place: LineGround): boolean {
  const [program = ''] = rule;
  if (TAKE_WORDS.has(program) || KNOW_THEIR_HOST.has(program)) return false;
  if (goesBeyond(rule, part, place)) return true;
  return part.words.some(
    (word) => word !== null && !rule.includes(word) && (ADDRESS.test(word) || NAMES_HOST.test(word)),
  );
}
