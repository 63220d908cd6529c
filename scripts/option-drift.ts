// Compares the options that specs name with the help of the programs that are installed: prints options that a program has and its spec
// does not name,
// and programs that are not installed, and fails where a spec says otherwise than the help whether an option takes a value: a word is then
// taken for a value that the program takes for an option.
import { lettersOf, longOptions } from '../src/core/commands/parse.ts';
import { FAMILIES } from '../src/core/commands/programs/find-program.ts';
import type { CommandSpec } from '../src/core/commands/spec.ts';
import { type Arity, type HelpOption, readHelp } from './help-options.ts';

/** A program, or a subcommand of one, with its spec. */
interface Subject {
  readonly words: readonly string[];
  readonly spec: CommandSpec;
}

/** Options, or whole programs, of which the help says less than is true, with the reason. */
const EXCEPTIONS: readonly (readonly [names: RegExp, reason: string])[] = [
  [/^(?:npm|perf|heaptrack|shasum|pkg-config|pkgconf|prlimit|zsh) /, 'the help leaves out values'],
  [/^r?bash (?:init-file|rcfile)$|^wget hsts-file$|^file (?:P|parameter)$/, 'the help leaves out the value'],
  [/^dpkg-query |^lz4cat list$/, 'what the help writes behind the option is an operand'],
  [
    /^git (?:diff-\w+|rev-list) /,
    'the short help of plumbing writes options of diff in another way than git reads them',
  ],
  [/^git (?:branch|tag|for-each-ref) (?:no-)?(?:contains|merged)$/, 'the value may be missing where nothing follows'],
  [/^lsof Z$/, 'the help has columns'],
  [/^xargs max-lines$/, 'the help has it twice'],
];

const PLACES = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
const SECONDS = '5';
const MOST_SHOWN = 12;

/** No network, nothing that can be written but an empty /tmp and an empty home, no variables, and an end after some seconds. */
const SANDBOX = [
  ...'bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --tmpfs /root --tmpfs /home --chdir /tmp'.split(' '),
  ...'--unshare-all --new-session --die-with-parent --clearenv --setenv LC_ALL C --setenv COLUMNS 200'.split(' '),
  ...['--setenv', 'HOME', '/tmp', '--setenv', 'PAGER', 'cat', '--setenv', 'PATH', PLACES.join(':')],
  ...['timeout', '-k', '1', SECONDS],
];

/** `option-drift [program…]`: the exit code is 1 where there is a contradiction. */
async function main(only: readonly string[]): Promise<number> {
  if (Bun.which('bwrap') === null) {
    process.stdout.write('bwrap: not installed, the help of no program was read\n');
    return 0;
  }
  const missing: string[] = [];
  let read = 0;
  let wrong = 0;
  for (const subject of subjects()) {
    const [program = ''] = subject.words;
    if (only.length > 0 && !only.includes(program)) continue;
    if (Bun.which(program, { PATH: PLACES.join(':') }) === null) {
      if (subject.words.length === 1) missing.push(program);
      continue;
    }
    const help = await helpOf(subject.words);
    if (help.length === 0) continue;
    read += 1;
    wrong += compare(subject, help);
  }
  process.stdout.write(`not installed: ${missing.join(' ')}\n`);
  process.stdout.write(`${read} commands have a help that lists options, ${wrong} contradictions\n`);
  return wrong === 0 ? 0 : 1;
}

/** All programs that are classified, and their subcommands: where options belong to these, they stand in their rows. */
function subjects(): readonly Subject[] {
  return FAMILIES.flatMap((family) => Object.entries(family).flatMap(([names, spec]) => under([], names, spec)));
}

function under(above: readonly string[], names: string, spec: CommandSpec): readonly Subject[] {
  return names.split(' ').flatMap((name) => {
    const words = [...above, name];
    return [{ words, spec }, ...Object.entries(spec.sub ?? {}).flatMap(([subs, sub]) => under(words, subs, sub))];
  });
}

/** The help of a program; git shows a manual for `--help`, and its options for `-h`. */
async function helpOf(words: readonly string[]): Promise<readonly HelpOption[]> {
  const isGit = words[0] === 'git' && words.length > 1;
  const child = Bun.spawn([...SANDBOX, ...words, isGit ? '-h' : '--help'], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  return readHelp(`${out}\n${error}`);
}

/** Prints what differs, and counts the contradictions. */
function compare({ words, spec }: Subject, help: readonly HelpOption[]): number {
  const known = optionsOf(spec);
  if (known.size === 0) return 0;
  const name = words.join(' ');
  const unnamed = help.filter((option) => !known.has(option.name) && !/^(?:help|version|h|V)$/.test(option.name));
  if (unnamed.length > 0 && spec.any !== true) {
    const shown = unnamed.slice(0, MOST_SHOWN).map((option) => option.name);
    const more = unnamed.length > shown.length ? ` and ${unnamed.length - shown.length} more` : '';
    process.stdout.write(`${name}: its spec does not name ${shown.join(' ')}${more}\n`);
  }
  const wrong = help.filter((option) => {
    const said = known.get(option.name);
    return (
      said !== undefined &&
      contradicts(said, option) &&
      !EXCEPTIONS.some(([names]) => names.test(`${name} ${option.name}`))
    );
  });
  const isGrave = matters(spec);
  for (const { name: option, arity } of wrong)
    process.stdout.write(
      `${name}: ${isGrave ? 'CONTRADICTION: ' : ''}the value of ${option} is ${known.get(option)}, its help says ${arity}\n`,
    );
  return isGrave ? wrong.length : 0;
}

/**
 * Whether it matters which word is an option, a value or an operand: not for a program that opens nothing and does no more than to print.
 */
function matters({ custom, inner, last, operands = 'text', on = {} }: CommandSpec): boolean {
  const isOpened = operands !== 'text' && operands !== 'name';
  return custom !== undefined || inner !== undefined || last !== undefined || isOpened || Object.keys(on).length > 0;
}

/** Text attached to a long option belongs to it in any case. */
function contradicts(said: Arity, { name, arity }: HelpOption): boolean {
  if (said === arity) return false;
  return said === 'value' || arity === 'value' || name.length === 1;
}

function optionsOf({ options }: CommandSpec): ReadonlyMap<string, Arity> {
  const letters = [...lettersOf(options).matchAll(/([^:])(:{0,2})/g)].map(
    ([, letter = '', colons = '']): [string, Arity] => [letter, ARITIES[colons.length] ?? 'none'],
  );
  const names = Array.from(longOptions(options)).flatMap(([name, arity]): [string, Arity][] =>
    arity === 'pair' ? [] : [[name, arity === 'attached' ? 'optional' : arity]],
  );
  return new Map([...letters, ...names]);
}

const ARITIES: readonly Arity[] = ['none', 'value', 'optional'];

process.exit(await main(process.argv.slice(2)));
