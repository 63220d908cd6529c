import type { ProposedRule } from '../../protocol/tool.ts';
import type { LineGround } from './judge-line.ts';
import { programRule } from './judge-program.ts';
import { judgeOrdinary } from './ordinary-use.ts';
import { isApprovable } from './prefix.ts';
import type { ProgramRule } from './program.ts';
import { covers } from './rules.ts';
import { type Finding, isWithin, type Judgement, type Part } from './verdict.ts';

/** Programs whose next word names what they run: a rule without it would be for all that they can run. */
const NAMES_NEXT: ReadonlySet<string> = new Set(
  'make,gmake,just,task,rake,mvn,mvnw,gradle,gradlew,dotnet,mix,npm run,npm run-script,pnpm run,yarn run,yarn,bun run,docker compose,nx,turbo,git stash,git remote,git worktree,git submodule,git bisect,git reflog,git notes'.split(
    ',',
  ),
);

/** Programs that are many programs: without the next word a rule would be for all of them. */
const MANY: ReadonlySet<string> = new Set(
  'git gh hub docker podman kubectl helm systemctl journalctl npm pnpm yarn bun pip pip3 cargo go brew apt apt-get dnf pacman terraform aws gcloud az'.split(
    ' ',
  ),
);

/** Calls that open a connection to look or to fetch, to where the project is set up to; those that send are asked every time. */
const FETCHES =
  /^(git (fetch|pull|ls-remote)|(npm|pnpm|yarn) (view|info|outdated|audit)|cargo (search|fetch)|brew (search|info)|docker (pull|search))$/;

/** A word that needs no quotes, names no path and no address, and is no option. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_.:+-]*$/;

/**
 * The narrowest rules that together would let a line run unasked, one for each part that no rule covers yet; null where a part cannot or
 * must not be covered. Proposed is only what would be harmless with nobody watching, or fetches: a rule is made in passing, and is to be
 * safe for whatever words will follow.
 */
export function proposeRules(
  judgement: Judgement,
  approved: readonly string[],
  ground: LineGround,
): readonly ProposedRule[] | null {
  if (!isWithin(judgement.class, 'network')) return null;
  const proposed = new Map<string, ProposedRule>();
  for (const part of judgement.parts) {
    if (part.words.length === 0) {
      if (part.findings.some(({ decision }) => decision !== 'allow')) return null;
      continue;
    }
    if (approved.some((prefix) => covers(prefix, part, ground))) continue;
    const rule = proposeRule(part, ground);
    if (rule === null) return null;
    proposed.set(rule.prefix, rule);
  }
  return proposed.size === 0 ? null : [...proposed.values()];
}

/** The narrowest rule for one command: its program and what names the kind of call, never what it is called with. */
export function proposeRule(part: Part, ground: LineGround): ProposedRule | null {
  const words = leadingWords(part.words);
  if (words === null || !words.every((word) => PLAIN.test(word)) || !isApprovable(words)) return null;
  const prefix = words.join(' ');
  const isUsual = ({ decision, class: kind }: Finding) =>
    decision === 'allow' || (kind === 'network' && FETCHES.test(words.slice(0, 2).join(' ')));
  if (!part.findings.every(isUsual) || !covers(prefix, part, ground)) return null;
  const { bare, ceiling } = judgeOrdinary(words, ground);
  // What a program is for is more than the call at hand: `mv x y` for one who said yes to `mv -n`. Such a rule is the person's to write.
  if (bare.class !== ceiling) return null;
  return isWithin(ceiling, 'network') ? { prefix, class: ceiling } : null;
}

/** Program and subcommands; null where they are not known, or where only a program could be named that is many. */
function leadingWords([program, ...rest]: Part['words']): readonly string[] | null {
  if (program === undefined || program === null) return null;
  const known = programRule(program);
  if (known === undefined) return null;
  const words = [program];
  for (let rule: ProgramRule | undefined = known; rule !== undefined; ) {
    const word: string | null | undefined = rest[words.length - 1];
    const isMany: boolean = words.length === 1 && (rule.sub !== undefined || MANY.has(program));
    if (!isMany && rule.sub === undefined && !NAMES_NEXT.has(words.join(' '))) break;
    // Where an option of the program itself stands first, no prefix of whole words says what comes behind it.
    if (word === undefined || word === null || !PLAIN.test(word)) return isMany ? null : words;
    words.push(word);
    rule = subRule(rule, word) ?? (NAMES_NEXT.has(words.join(' ')) ? {} : undefined);
  }
  return words;
}

function subRule(rule: ProgramRule, name: string): ProgramRule | undefined {
  return Object.entries(rule.sub ?? {}).find(([names]) => names.split(' ').includes(name))?.[1];
}
