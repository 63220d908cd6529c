import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Prepares a home for fish. When fish first starts in a home, it reads all manual pages of the system in the background, which takes many
 * seconds of CPU and goes on behind the test. It does not where the folder of the result is there.
 */
export function prepareForFish(shell: string, home: string): void {
  if (basename(shell) === 'fish') mkdirSync(join(home, '.local/share/fish/generated_completions'), { recursive: true });
}
