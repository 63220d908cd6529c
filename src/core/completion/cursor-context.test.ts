import { describe, expect, test } from 'bun:test';
import {
  expandAbbreviation,
  expandAlias,
  findCursorContext,
  findValueHead,
  findVariable,
  manualPages,
  restOfCommand,
  splitBashWords,
} from './cursor-context.ts';

/** Place, words and cursor word of a line whose cursor stands at its end. */
function read(line: string) {
  const context = findCursorContext(line, line.length);
  return context === null ? null : [context.place, context.words.map(({ value }) => value), context.word.value];
}

describe('the simple command at the cursor', () => {
  const lines: readonly (readonly [string, ReturnType<typeof read>])[] = [
    ['', ['command', [], '']],
    ['gi', ['command', [], 'gi']],
    ['git che', ['argument', ['git'], 'che']],
    ['git checkout ', ['argument', ['git', 'checkout'], '']],
    ['make && git ch', ['argument', ['git'], 'ch']],
    ['ls | gr', ['command', [], 'gr']],
    ['ls |& grep x; (cd /tm', ['argument', ['cd'], '/tm']],
    ['echo $(git st', ['argument', ['git'], 'st']],
    ['echo "$(git st', ['argument', ['git'], 'st']],
    ['echo `git st', ['argument', ['git'], 'st']],
    ['echo $(date) a', ['argument', ['echo', '$(date)'], 'a']],
    ['diff <(sort a) <(so', ['command', [], 'so']],
    ['if make; then gi', ['command', [], 'gi']],
    ['sudo gi', ['command', [], 'gi']],
    ['sudo -u root git ch', ['argument', ['git'], 'ch']],
    ['sudo -u ro', ['argument', ['sudo', '-u'], 'ro']],
    ['sudo --pre', ['argument', ['sudo'], '--pre']],
    ['env A=b C=d git ch', ['argument', ['git'], 'ch']],
    ['A=b git ch', ['argument', ['git'], 'ch']],
    ['A=/tm', ['argument', [], 'A=/tm']],
    ['time -p git ch', ['argument', ['git'], 'ch']],
    ['timeout 5 git ch', ['argument', ['git'], 'ch']],
    ['xargs -n 1 ki', ['command', [], 'ki']],
    ['sort <in -k 2 >ou', ['target', ['sort', '-k', '2'], 'ou']],
    ['make 2>er', ['target', ['make'], 'er']],
    ['make 2>err al', ['argument', ['make'], 'al']],
    ['make 2>&1 al', ['argument', ['make'], 'al']],
    ['files=(a b', ['argument', [], 'b']],
    ['cat my\\ fi', ['argument', ['cat'], 'my fi']],
    ["cat 'my fi", ['argument', ['cat'], 'my fi']],
    ['cat "a b"/c\\ ', ['argument', ['cat'], 'a b/c ']],
    ["cat $'a\\'b c", ['argument', ['cat'], "a'b c"]],
    ['echo ${HO', ['argument', ['echo'], '${HO']],
    ['echo # no', null],
    ['case x in a) gi', ['command', [], 'gi']],
    ['for i in 1; do ec', ['command', [], 'ec']],
    ["echo 'a'\ngi", ['command', [], 'gi']],
  ];
  for (const [line, wanted] of lines) test(JSON.stringify(line), () => expect(read(line)).toEqual(wanted));

  test('what stands after the cursor does not count', () => {
    const context = findCursorContext('git ch | less', 6);
    expect([context?.word.value, context?.start]).toEqual(['ch', 0]);
  });

  test('begins behind prefixes', () => expect(findCursorContext('ls; sudo git ch', 15)?.start).toBe(9));
});

test('the quotes open at the cursor are known with their place', () => {
  const quotes = ['cat "a', "cat a'b", "cat $'a", 'cat "a"b'].map((line) => {
    const word = findCursorContext(line, line.length)?.word;
    return [word?.quote, word?.quoteStart];
  });
  expect(quotes).toEqual([
    ['double', 4],
    ['single', 5],
    ['ansi', 4],
    ['none', 4],
  ]);
});

test('a variable is found where the shell would expand it', () => {
  const lines = ['echo $HO', 'echo "${HO', 'echo a/$', "echo '$HO", 'echo \\$HO', 'echo ${#AR', 'echo x'];
  const found = lines.map((line) => {
    const context = findCursorContext(line, line.length);
    const variable = context === null ? null : findVariable(context);
    return variable === null ? null : [variable.start, variable.name, variable.isBraced];
  });
  expect(found).toEqual([[6, 'HO', false], [8, 'HO', true], [8, '', false], null, null, [8, 'AR', true], null]);
});

test('the value of an option or assignment begins behind its equals sign', () => {
  const heads = ['ls --color=au', 'A=/tm', 'dd if=/de', 'ls a'].map((line) => {
    const context = findCursorContext(line, line.length);
    return context === null ? null : findValueHead(context);
  });
  expect(heads).toEqual(['--color=', 'A=', 'if=', '']);
});

const ALIASES = new Map([
  ['gco', 'git checkout'],
  ['g', 'git'],
  ['s', 'sudo g'],
  ['ls', 'ls --color'],
  ['here', 'cd "$PWD"'],
]);

test.each([
  ['gco ma', 'git checkout ma', ['git', 'checkout']],
  ['echo; gco ma', 'echo; git checkout ma', ['git', 'checkout']],
  ['sudo g ma', 'sudo git ma', ['git']],
  ['s che', 'sudo git che', ['git']],
  ['ls fi', 'ls --color fi', ['ls', '--color']],
  ['here fi', null, null],
  ['git fi', null, null],
  ['\\gco ma', null, null],
  ['gco', null, null],
])('%j is completed as %j', (line, text, words) => {
  const context = findCursorContext(line, line.length);
  const expanded = context === null ? null : expandAlias(line, context, ALIASES);
  expect([expanded?.text ?? null, expanded?.context.words.map(({ value }) => value) ?? null, expanded?.shift ?? 0]).toEqual([
    text,
    words,
    text === null ? 0 : text.length - line.length,
  ]);
});

const BREAKS = ' \t\n"\'><=;|&(:';

describe('words as bash hands them to completion functions', () => {
  const lines: readonly (readonly [string, readonly string[], string, number])[] = [
    ['git ch', ['git', 'ch'], 'ch', 4],
    ['git ', ['git', ''], '', 4],
    ['ls --color=au', ['ls', '--color', '=', 'au'], 'au', 11],
    ['ls --color=', ['ls', '--color', '='], '', 11],
    ['scp host:/a', ['scp', 'host', ':', '/a'], '/a', 9],
    ['cat "a b', ['cat', '"a b'], 'a b', 4],
    ["cat 'a b'", ['cat', "'a b'"], "a b'", 4],
    ['cat a\\ b', ['cat', 'a\\ b'], 'a\\ b', 4],
    ['cat a\\ ', ['cat', 'a\\ '], 'a\\ ', 4],
    ['', [''], '', 0],
  ];
  for (const [line, words, current, start] of lines) {
    test(JSON.stringify(line), () => expect(splitBashWords(line, BREAKS)).toEqual({ words, current, start }));
  }

  test('characters the user took out of the breaks do not cut', () => {
    expect(splitBashWords('a b:c', ' \t\n').words).toEqual(['a', 'b:c']);
  });
});

test.each([
  ['git | main', ' main'],
  ['git | "a; b" c; ls', ' "a; b" c'],
  ['git | x > file', ' x'],
  ['git ch|eckout main', ''],
  ['git |', ''],
])('behind the cursor in %j the command goes on with %j', (marked, rest) => {
  expect(restOfCommand(marked.replace('|', ''), marked.indexOf('|'))).toBe(rest);
});

/** The line after a blank or Enter at `^`, which marks the cursor there too; null where it stays. */
function expanded(marked: string): string | null {
  const abbreviations = new Map([['gco', 'git checkout']]);
  const found = expandAbbreviation({ text: marked.replace('^', ''), cursor: marked.indexOf('^') }, (word) => abbreviations.get(word));
  return found === null ? null : `${found.text.slice(0, found.cursor)}^${found.text.slice(found.cursor)}`;
}

test('an abbreviation is expanded in the place of a command', () => {
  expect(expanded('gco^')).toBe('git checkout^');
  expect(expanded('!gco^ main')).toBe('!git checkout^ main');
  expect(expanded('ls; sudo gco^')).toBe('ls; sudo git checkout^');
  expect(expanded('if gco^; then')).toBe('if git checkout^; then');
});

test('it stays where it is an operand, part of a word or a text', () => {
  for (const line of ['echo gco^', 'gco^x', 'xgco^', './gco^', 'gco ^', "echo '; gco^", ':abbr gco^', '? gco^', 'a=gco^']) {
    expect([line, expanded(line)]).toEqual([line, null]);
  }
});

/** The pages for a line, in which `^` stands for the cursor. */
function pagesAt(marked: string): readonly string[] {
  const cursor = marked.indexOf('^');
  return manualPages(marked.replace('^', ''), cursor, new Map([['gco', 'git checkout']]));
}

test('the command at the cursor has a page, and its subcommand a closer one', () => {
  expect(pagesAt('g^rep -n x file')).toEqual(['grep']);
  expect(pagesAt('git -C x com^mit')).toEqual(['git-x', 'git-commit', 'git']);
  expect(pagesAt('sudo apt^')).toEqual(['apt']);
  expect(pagesAt('ls | so^rt > x')).toEqual(['sort']);
  expect(pagesAt('!/usr/bin/env^')).toEqual(['env']);
});

test('an alias stands for what it runs, and a line without a command has no page', () => {
  expect(pagesAt('gco main^')).toEqual(['git-checkout', 'git-main', 'git']);
  expect([pagesAt('^'), pagesAt('$x^'), pagesAt('# why^')]).toEqual([[], [], []]);
});
