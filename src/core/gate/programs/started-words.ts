import type { Argument } from '../argument.ts';
import { find } from '../findings.ts';
import type { GivenWords } from '../options.ts';
import type { Call, ProgramRule } from '../program.ts';
import type { Finding } from '../verdict.ts';

/** Words as the text of a script that says the same; null where one of them is not known. */
export function scriptOf(words: readonly Argument[]): string | null {
  const values = words.flatMap(({ value }) => (value === null ? [] : [value]));
  return values.length < words.length ? null : values.map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Judges a text that a program hands to a shell. */
export function judgeStartedText({ value, text }: Argument, call: Call): readonly Finding[] {
  if (value === null) return [find('unclear', `the command ${text}`)];
  call.judgeScript(value);
  return [];
}

/** Judges the values of options that a program hands to a shell, and says what the program does besides. */
export function textsOf(
  names: readonly string[],
  effect: Parameters<typeof find>[0],
  detail: string,
): ProgramRule['judge'] {
  return ({ options }, call) => [
    find(effect, detail),
    ...options.flatMap(({ name, value }) =>
      names.includes(name) && value !== null ? judgeStartedText(value, call) : [],
    ),
  ];
}

/** Where programs that are typed to let a line go to a shell: behind a mark, or behind a word. */
const ESCAPE =
  /^\s*(?:[:+]*(?:\d+|%|\.)?(?:r\s*|w\s*)?!!?|\\!|\\(?:o|g|w)\s*\|\s*|\.(?:shell|system|sh|she|shel|sy|sys|syst|syste)\s+|(?:platform\s+)?shell\s+|system\s+|sh\s+)(.+)$/;

/** Judges commands that a text holds for the shell, as editors, debuggers and clients take them: `!ls`, `\! ls`, `shell ls`. */
export function judgeEscapes(text: string, call: Call): readonly Finding[] {
  const commands = text.split(/\n|(?<=\S)\s*(?=\\!)/).flatMap((line) => ESCAPE.exec(line)?.[1] ?? []);
  for (const command of commands) call.judgeScript(command);
  return commands.length === 0 ? [] : [find('starts', 'a shell from within')];
}

/** What a program reads as its own commands: the text that the line shows. */
export function judgeTyped(given: GivenWords, names: readonly string[], call: Call): readonly Finding[] {
  const texts = given.options.flatMap(({ name, value }) => (names.includes(name) ? (value?.value ?? []) : []));
  return [...texts, ...(call.input.text === null ? [] : [call.input.text])].flatMap((text) => judgeEscapes(text, call));
}
