import { isGiven } from '../../gate/options.ts';
import type { EffectCall, EffectTable } from '../program-effect.ts';

/** Commands of the shell itself, and programs that start the command they are given. */
export const SHELL_EFFECTS: EffectTable = {
  // These change the shell, and no file.
  'export declare typeset local readonly alias unalias unset umask ulimit trap bind complete compopt enable disown fg bg hash read mapfile readarray getopts printf let return exit shift times wait test [':
    { plan: () => undefined, isTransparent: true, ignoresOpaque: true },
  'set shopt': {
    plan: ({ name, words, add }) => {
      const text = words.map(({ start }) => start).join(' ');
      if (name === 'shopt' ? /glob/.test(text) : /^[-+]\w*f|noglob/.test(text))
        add({ do: 'unknown', reason: 'what patterns match with another option of the shell' });
    },
    isTransparent: true,
    ignoresOpaque: true,
  },
  'cd pushd': {
    plan: ({ given, words, word, add }) => {
      const [to, ...more] = given.operands;
      if (more.length > 0) add({ do: 'unknown', reason: 'where the line goes: cd takes one folder' });
      if (
        to !== undefined &&
        to.value !== null &&
        to.value !== '-' &&
        !words.some(({ value }) => /^[+-]\d+$/.test(value ?? ''))
      )
        add({ do: 'enter', to: word(to) });
    },
    ignoresOpaque: true,
  },
  'time timeout nice ionice chrt taskset stdbuf unbuffer chronic setsid catchsegv busybox toybox command builtin exec watch eval bash sh dash zsh ksh ash mksh rbash':
    { plan: () => undefined, isTransparent: true },
  nohup: {
    plan: ({ add, mayNot }) => {
      mayNot();
      add({ do: 'write', targets: [{ text: 'nohup.out', path: 'nohup.out' }], how: 'add' });
    },
    isTransparent: true,
  },
  flock: {
    plan: ({ given, word, add }) => {
      const [lock] = given.operands;
      if (lock !== undefined && !/^\d+$/.test(lock.value ?? ''))
        add({ do: 'write', targets: [word(lock)], how: 'add', onlyMissing: true });
    },
    isTransparent: true,
  },
  env: { plan: planElsewhere, isTransparent: true },
  'sudo doas': { plan: planElsewhere, isTransparent: true },
};

/** The command may run in another directory, or from the home of another person. */
function planElsewhere({ name, given, add }: EffectCall): void {
  if (
    isGiven(given, 'C', 'chdir', 'D', 'R', 'chroot', 'S', 'split-string', 'i', 'login', 's', 'shell') &&
    name !== 'env'
  )
    add({ do: 'unknown', reason: `what ${name} runs, and where` });
  if (name === 'env' && isGiven(given, 'C', 'chdir', 'S', 'split-string'))
    add({ do: 'unknown', reason: 'where env runs its command' });
  if (name !== 'env') add({ do: 'note', text: 'needs rights beyond yours' });
}
