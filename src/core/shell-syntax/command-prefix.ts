import type { Command, Word } from './syntax.ts';

/** Commands that run the command in their operands, each with the letters of its options that take a word of their own. */
const PREFIXES: Readonly<Record<string, string>> = {
  sudo: 'CDghpRrTtUu',
  doas: 'Cu',
  env: 'CSu',
  nice: 'n',
  ionice: 'cnp',
  nohup: '',
  setsid: '',
  command: '',
  builtin: '',
  exec: 'a',
  noglob: '',
  nocorrect: '',
  time: 'fo',
  strace: 'eopsu',
  xargs: 'adEIiLlnPs',
};

/** The word that `sudo`, `env`, `nice` and their like would run. */
export function findOperandCommand(command: Command): Word | null {
  const name = command.name?.value ?? '';
  const letters = Object.hasOwn(PREFIXES, name) ? PREFIXES[name] : undefined;
  if (letters === undefined) return null;
  let isValue = false;
  for (const node of command.suffix) {
    if (node.type !== 'Word') continue;
    if (isValue) isValue = false;
    else if (node.text.startsWith('-')) isValue = takesWord(node.text, letters);
    else if (!(name === 'env' && node.text.includes('='))) return node;
  }
  return null;
}

function takesWord(option: string, letters: string): boolean {
  return /^-[A-Za-z]$/.test(option) && letters.includes(option.charAt(1));
}
