/** The arguments and variables of a program that is about to start. */
interface Launch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * How to start a program that finds its code by name, so that it finds the code that its user installed: by themselves, `npx` prefers the
 * programs and the `.npmrc` of the folder where it starts, `python -m` its modules, and `bun` loads its `bunfig.toml`.
 */
export function toGuardedLaunch(command: string, args: readonly string[], home: string): Launch {
  const name = command.replace(/^.*\//s, '');
  const [first = ''] = args;
  if (name === 'npx' || (name === 'npm' && /^(?:exec|x)$/.test(first))) return { args: ['--prefix', home, ...args], env: {} };
  if (name === 'bun' && first !== 'x') return { args: ['--config=/dev/null', ...args], env: {} };
  const isModule = /^python[\d.]*$/.test(name) && args.find((word) => word === '-m' || !word.startsWith('-')) === '-m';
  return { args, env: isModule ? { PYTHONSAFEPATH: '1' } : {} };
}
