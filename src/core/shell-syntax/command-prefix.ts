import type { Command, Word } from './syntax.ts';

/** Commands that run the command in their operands, each with the letters of its options that take a word of their own. */
const PREFIXES: Readonly<Record<string, string>> = {
  sudo: 'CDghpRrTtUu',
  doas: 'Cu',
  env: 'CSu',
  nice: 'n',
  ionice: 'cnp',
  chrt: '',
  nohup: '',
  setsid: '',
  stdbuf: 'eio',
  timeout: 'ks',
  command: '',
  builtin: '',
  exec: 'a',
  noglob: '',
  nocorrect: '',
  time: 'fo',
  strace: 'eopsuP',
  watch: 'n',
  xargs: 'adEIiLlnPs',
};

/** How many operands of a prefix stand before the command. */
const OPERANDS: Readonly<Record<string, number>> = { timeout: 1, chrt: 1 };

/** How a prefix takes words of its own before the command it runs; null for a command that runs no other. */
export function findPrefix(name: string): { readonly letters: string; readonly operands: number } | null {
  const letters = Object.hasOwn(PREFIXES, name) ? PREFIXES[name] : undefined;
  return letters === undefined
    ? null
    : { letters, operands: Object.hasOwn(OPERANDS, name) ? (OPERANDS[name] ?? 0) : 0 };
}

/** Whether an option of a prefix is followed by a word of its own, by the letters of those that are. */
export function takesWord(option: string, letters: string): boolean {
  return /^-[A-Za-z]$/.test(option) && letters.includes(option.charAt(1));
}

/** The word that `sudo`, `env`, `nice` and their like would run. */
export function findOperandCommand(command: Command): Word | null {
  const name = command.name?.value ?? '';
  const prefix = findPrefix(name);
  if (prefix === null) return null;
  let { operands } = prefix;
  let isValue = false;
  for (const node of command.suffix) {
    if (node.type !== 'Word') continue;
    if (isValue) isValue = false;
    else if (node.text.startsWith('-')) isValue = takesWord(node.text, prefix.letters);
    else if (name === 'env' && node.text.includes('=')) continue;
    else if (operands > 0) operands--;
    else return node;
  }
  return null;
}
