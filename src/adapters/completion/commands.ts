import type { Candidate, Completion } from '../../core/completion/completion.ts';
import { fitOf, takeBestFits } from '../../core/completion/rank-match.ts';
import type { CursorWord } from '../../core/completion/scan-line.ts';
import { fillSlot, findSlot } from '../../core/completion/word-slot.ts';
import type { WordKind } from '../shell/lookup.ts';
import type { LiveNames } from './live-names.ts';
import { completePath, isPathLike } from './path-words.ts';

/** What the word may begin a command with: commands by name, programs by path. */
export async function completeCommand(word: CursorWord, live: LiveNames): Promise<readonly Completion[]> {
  if (isPathLike(word) || word.raw.includes('/')) return completePath(word, live, { from: 0, only: 'program' });
  const slot = findSlot(word, 0);
  const found = await findCommands(slot.typed, live);
  return found.map((candidate) => fillSlot(slot, candidate));
}

/** Asks for the best fits first: each program that fits has to be looked at. */
async function findCommands(typed: string, live: LiveNames): Promise<readonly Candidate[]> {
  for (const worst of [0, 1, 3]) {
    const words = await live.commands((word) => {
      const fit = fitOf(word, typed);
      return fit !== null && fit <= worst;
    });
    if (words.size > 0) return takeBestFits(toCandidates(words), typed, ({ value }) => value);
  }
  return [];
}

function toCandidates(words: ReadonlyMap<string, WordKind>): readonly Candidate[] {
  return [...words]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([value, kind]) => (kind === 'file' ? { value } : { value, description: kind }));
}
