import { expect, test } from 'bun:test';
import type { CommandEffect, EffectKind, ReasonCode } from '../../protocol/tool.ts';
import { effect } from '../commands/verdict.ts';
import { classifyLine } from './classify-line.ts';
import { effectsOf } from './effect-policy.ts';
import * as messages from './messages.ts';
import * as rules from './messages.ts';

const KINDS: readonly EffectKind[] = [
  ...(['reads', 'adds', 'task', 'changes', 'keeps', 'runs', 'each', 'network', 'privileged', 'destroys', 'wrecks'] as const),
  ...(['remote code', 'hides', 'disguised', 'starts', 'plants', 'self', 'leaks', 'secrets', 'beyond'] as const),
  ...(['deceives', 'torn', 'unclear'] as const),
];

function of(kind: EffectKind, because: ReasonCode, detail?: string, command?: string): CommandEffect {
  return {
    kind,
    because,
    class: effect(kind).class,
    ...(detail === undefined ? {} : { detail }),
    ...(command === undefined ? {} : { command }),
  };
}

test('what a command does', () => {
  const all = [
    ...KINDS.map((kind) => of(kind, 'program')),
    of('network', 'other', 'publishes commits'),
    of('deceives', 'hidden-character', 'U+202E'),
    of('deceives', 'look-alike'),
    of('unclear', 'too-slow'),
    of('reads', 'own-name'),
    of('destroys', 'path', 'build'),
    of('wrecks', 'path', '~'),
    of('changes', 'replaced', 'a.txt'),
    of('changes', 'outside', '/srv/a.txt'),
    of('destroys', 'unknown-path', '"$DIR"'),
    of('changes', 'unknown-path', '"$DIR"'),
    of('changes', 'sed-script', 'a.txt'),
    of('changes', 'assignment', 'PATH'),
    of('hides', 'assignment', 'LD_PRELOAD'),
    of('runs', 'script', 'deploy.sh'),
    of('runs', 'path', './deploy'),
    of('unclear', 'printed-script'),
    of('unclear', 'input-script'),
    of('unclear', 'unknown-command', '$X'),
    of('unclear', 'fed-option', 'rm'),
    of('task', 'task', 'Makefile', 'make test'),
    of('runs', 'task', undefined, 'pytest'),
  ];
  expect(all.map(messages.formatReason).join('\n')).toMatchInlineSnapshot(`
    "only reads and prints
    creates or edits files of the project
    runs code of the project
    may replace content or change settings
    sets a variable of the shell
    runs code that is not visible in the command
    runs a command for each file that it finds
    opens a connection
    needs more rights than you have
    deletes or overwrites data
    destroys more than files of the project
    runs code from the network that nobody has reviewed
    hides what it runs
    contains a word that looks like another
    starts another program through an option or a variable
    installs something that runs later
    interferes with aish itself
    sends secrets or output to another machine
    prints credentials
    reads files that the command does not name, perhaps outside the project
    contains characters that mislead
    aish cannot tell what this runs
    aish cannot tell what this runs
    opens a connection: publishes commits
    contains a hidden character (U+202E)
    contains a character that looks like another
    aish cannot tell what this runs: classifying it takes too long
    names files of aish
    deletes build
    destroys more than files of the project: ~
    may replace a.txt
    changes /srv/a.txt outside the project
    deletes "$DIR", and aish cannot tell which path that is
    writes to "$DIR", and aish cannot tell which path that is
    may replace a.txt with a sed script
    sets the variable PATH
    hides what it runs: sets LD_PRELOAD
    runs the script deploy.sh
    runs code that is not visible in the command: ./deploy
    aish cannot tell what this runs: a script that another command prints
    aish cannot tell what this runs: a script from standard input
    aish cannot tell what this runs: the command $X
    aish cannot tell what this runs: its input may contain an option of rm
    runs make test, which may do anything its Makefile says
    runs pytest, which runs code of the project"
  `);
});

test('what the rules say', () => {
  const decided = { class: 'destructive', decision: 'deny', cwd: '/', rule: 'rm', reasons: [] } as const;
  const refused = { ...decided, hardDenials: ['D1'], effects: [of('wrecks', 'path', '~')] };
  const all = [
    rules.formatRefusal({ decided: { ...decided, hardDenials: [] } }),
    rules.formatRefusal({ decided: refused }),
    rules.formatRefusal({ decided: refused, path: '/etc/passwd' }),
    ...[rules.NOT_A_PREFIX, rules.NAMES_PATH],
    rules.formatRunsAnything('approve', 'sudo'),
    rules.formatRunsAnything('grant', 'sudo'),
    rules.formatNotCovered('npm install', '--registry=x'),
    rules.formatNotCovered('npm install', rules.UNKNOWN_WORD),
  ];
  expect(all.join('\n').replaceAll('. Do not', '.\n  Do not')).toMatchInlineSnapshot(`
    "[aish] not run: the rule "rm" denies this.
      Do not try it in another form; find another way, or ask the user.
    [aish] not run: a built-in rule denies this command (destroys more than files of the project: ~).
      Do not try it in another form; find another way, or ask the user to run it.
    [aish] not run: a built-in rule denies this call (destroys more than files of the project: ~).
      Do not try it in another form; find another way, or ask the user to do it.
    must be the first words of one command, without patterns and variables
    names a program by its path, but a rule must name it without a folder
    would approve any command that sudo runs
    would grant the secret to any command that sudo runs
    the rule "npm install" does not cover --registry=x
    the rule "npm install" does not cover a word that is known only when it runs"
  `);
});

function phrases(line: string): readonly string[] {
  const { parts } = classifyLine(line, { cwd: '/home/u/p', home: '/home/u', project: '/home/u/p' });
  return messages.listEffects(effectsOf(parts), 4).phrases;
}

test('effects stand in the order of the line, and a later command begins with "then"', () => {
  expect(phrases('rm -rf build && make')).toEqual(['deletes build', 'then runs make, which may do anything its Makefile says']);
  expect(phrases('git push; rm a b')).toEqual(['opens a connection: publishes commits', 'then deletes a, b']);
  expect(phrases('npm test')).toEqual(['runs npm test, which may do anything its package.json says']);
  expect(phrases('sudo apt install x')).toEqual(['needs more rights than you have: packages of the system']);
  expect(phrases('ls')).toEqual([]);
});

test('of many effects the gravest are shown, in their order', () => {
  const effects = ['a', 'b', 'c'].flatMap((name) => [of('changes', 'other', name), of('network', 'other', name)]);
  expect(messages.listEffects([...effects, of('destroys', 'path', 'd')], 2)).toEqual({
    phrases: ['opens a connection: a', 'deletes d'],
    left: 5,
  });
});

test('reasons stand once, the gravest first, and those of one kind are one', () => {
  const effects = [of('network', 'program'), of('destroys', 'path', 'a'), of('destroys', 'path', 'b'), of('network', 'program')];
  expect(messages.listReasons({ effects, reasons: ['zsh may differ', 'zsh may differ'] })).toEqual([
    'deletes a, b',
    'opens a connection',
    'zsh may differ',
  ]);
});
