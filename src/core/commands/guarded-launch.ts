/** The arguments and variables of a program that is about to start. */
interface Launch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The environment in which it starts. */
interface Surroundings {
  /** The folder in which npm looks; null where it may choose: once it is told, it finds no program that is installed for all projects. */
  readonly home: string | null;
  readonly path: string;
}

/** Starts a module as `python -m` does, but without the folder in which it starts; the programs that it starts are left alone. */
const RUN_MODULE =
  "(lambda sys: (sys.path[:1] == [''] and sys.path.pop(0), __import__('runpy')._run_module_as_main(sys.argv.pop(1))))(__import__('sys'))";

/**
 * How to start a program so that it is the one that its user installed, and finds the code that its user installed: by themselves, `npx`
 * prefers the programs and the `.npmrc` of the folder where it starts, `python -m` its modules, `bun` loads its `bunfig.toml`, and a PATH
 * may name folders from where one stands.
 */
export function toGuardedLaunch(command: string, args: readonly string[], { home, path }: Surroundings): Launch {
  const name = command.replace(/^.*\//s, '');
  const folders = path.split(':').filter((folder) => folder.startsWith('/'));
  return { args: toGuardedArguments(name, args, home), env: { PATH: folders.join(':') } };
}

function toGuardedArguments(name: string, args: readonly string[], home: string | null): readonly string[] {
  const [first = ''] = args;
  if (name === 'npx' || (name === 'npm' && /^(?:exec|x)$/.test(first))) return home === null ? args : ['--prefix', home, ...args];
  if (name === 'bun' && first !== 'x') return ['--config=/dev/null', ...args];
  return /^python[\d.]*$/.test(name) ? withModule(args) : args;
}

function withModule(args: readonly string[]): readonly string[] {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const [, flags, joined = ''] = /^-([a-ln-zA-Z]*)m(.*)$/s.exec(word) ?? [];
    if (flags !== undefined && !/[cXW]/.test(flags)) {
      const before = [...args.slice(0, at), ...(flags === '' ? [] : [`-${flags}`])];
      return [...before, '-c', RUN_MODULE, ...(joined === '' ? [] : [joined]), ...args.slice(at + 1)];
    }
    if (/^-[a-zA-Z]*[XW]$/.test(word)) at += 1;
    else if (!word.startsWith('-') || word.startsWith('-c')) break;
  }
  return args;
}
