/** The arguments and variables of a program that is about to start. */
interface Launch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The environment in which it starts. */
interface Surroundings {
  readonly home: string;
  readonly path: string;
}

/**
 * How to start a program so that it is the one that its user installed, and finds the code that its user installed: by themselves, `npx`
 * prefers the programs and the `.npmrc` of the folder where it starts, `python -m` its modules, `bun` loads its `bunfig.toml`, and a PATH
 * may name folders from where one stands.
 */
export function toGuardedLaunch(command: string, args: readonly string[], { home, path }: Surroundings): Launch {
  const name = command.replace(/^.*\//s, '');
  const [first = ''] = args;
  const env = {
    PATH: path
      .split(':')
      .filter((folder) => folder.startsWith('/'))
      .join(':'),
  };
  if (name === 'npx' || (name === 'npm' && /^(?:exec|x)$/.test(first))) return { args: ['--prefix', home, ...args], env };
  if (name === 'bun' && first !== 'x') return { args: ['--config=/dev/null', ...args], env };
  const isModule = /^python[\d.]*$/.test(name) && args.find((word) => word === '-m' || !word.startsWith('-')) === '-m';
  return { args, env: isModule ? { ...env, PYTHONSAFEPATH: '1' } : env };
}
