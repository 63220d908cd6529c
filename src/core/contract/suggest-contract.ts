import { attempt } from '../text/attempt.ts';
import { COMMAND_HERE } from './messages.ts';
import { DEFAULT_LIMITS, formatContractLine } from './parse-contract.ts';

/** The files of a project that name its test command. */
export const CHECK_FILES = [
  ...(['package.json', 'bun.lock', 'pnpm-lock.yaml', 'yarn.lock', 'Makefile'] as const),
  ...(['Cargo.toml', 'go.mod', 'pyproject.toml', 'pytest.ini'] as const),
] as const;

/** The texts of these files; those that do not exist are missing. */
export type CheckFiles = ReadonlyMap<string, string>;

/** The command that tests the project, by its files; null if they name none. */
export function suggestCheck(files: CheckFiles): string | null {
  const script = attempt(() => JSON.parse(files.get('package.json') ?? '{}')?.scripts?.test, null);
  // npm writes a test that fails into a new project.
  if (typeof script === 'string' && !script.includes('no test specified')) return `${runnerOf(files)} test`;
  const [target] = /^(?:test|check)(?=\s*:(?!=))/m.exec(files.get('Makefile') ?? '') ?? [];
  if (target !== undefined) return `make ${target}`;
  if (files.has('Cargo.toml')) return 'cargo test';
  if (files.has('go.mod')) return 'go test ./...';
  const python = files.get('pyproject.toml');
  if (files.has('pytest.ini') || python?.includes('pytest') === true) return 'pytest';
  return python === undefined ? null : 'python3 -m unittest';
}

function runnerOf(files: CheckFiles): string {
  if (files.has('pnpm-lock.yaml')) return 'pnpm';
  if (files.has('yarn.lock')) return 'yarn';
  return files.has('bun.lock') ? 'bun run' : 'npm';
}

/** Whether the words behind `:norris` are a plain sentence, not a contract. */
export function isSentence(text: string): boolean {
  return !/^['"]/.test(text) && !/\suntil\s/.test(text);
}

/** A whole contract for a goal, as a line to change and send. */
export function suggestContract(goal: string, files: CheckFiles): { readonly line: string; readonly hasCheck: boolean } {
  const check = suggestCheck(files);
  const contract = { goal: goal.trim(), until: [check ?? COMMAND_HERE], only: ['.'], limits: DEFAULT_LIMITS };
  return { line: `:norris ${formatContractLine(contract)}`, hasCheck: check !== null };
}
