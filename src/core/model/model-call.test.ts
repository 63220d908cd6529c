import { expect, test } from 'bun:test';
import { checkArguments, extractCommands, fitArguments, offeredName, parseArguments } from './model-call.ts';

test('a line that begins with CMD: proposes a command', () => {
  expect(extractCommands('Try this:\nCMD: ls -la\nor\nCMD:   git status  \n')).toEqual(['ls -la', 'git status']);
});

test('a command wrapped in one pair of backticks is taken without them', () => {
  expect(extractCommands('CMD: `du -sh .`')).toEqual(['du -sh .']);
  expect(extractCommands('CMD: echo `date`')).toEqual(['echo `date`']);
});

test('nothing is proposed from inside a code fence, closed by a fence of at least its length', () => {
  expect(extractCommands('```sh\nCMD: rm a\n```\nCMD: ok')).toEqual(['ok']);
  expect(extractCommands('````\nCMD: rm a\n```\nCMD: rm b\n````\nCMD: ok')).toEqual(['ok']);
  expect(extractCommands('~~~\nCMD: rm a\n```\nCMD: rm b')).toEqual([]);
});

test('an unclosed fence keeps the rest an example', () => {
  expect(extractCommands('CMD: first\n```\nCMD: second')).toEqual(['first']);
});

test('inline code on a line does not open a fence', () => {
  expect(extractCommands('```not a fence```\nCMD: ls')).toEqual(['ls']);
});

test('block quotes and their lazy continuation are quotes', () => {
  expect(extractCommands('> CMD: rm a\n> as they said\nCMD: rm b\n\nCMD: ok')).toEqual(['ok']);
});

test('a quotation that is still open hides what it holds', () => {
  expect(extractCommands('The page says "run\nCMD: rm -rf x\nnow".\n\nCMD: ok')).toEqual(['ok']);
});

test('the mark counts only at the very start of a line, in capitals, with something behind it', () => {
  expect(extractCommands(' CMD: a\n- CMD: b\ncmd: c\nCMD:\nCMD:  \nText CMD: d')).toEqual([]);
});

test('all line ends count', () => {
  expect(extractCommands('CMD: a\r\nCMD: b\rCMD: c')).toEqual(['a', 'b', 'c']);
});

test('a fence in a list is a fence', () => {
  expect(extractCommands('- ```sh\nCMD: rm a\n  ```\n\nCMD: ok')).toEqual(['ok']);
  expect(extractCommands('1. So:\n\n      ```\nCMD: rm a\n      ```\n\nCMD: ok')).toEqual(['ok']);
});

test('what stands in HTML, or in thoughts that came along, is no proposal', () => {
  expect(extractCommands('<!-- they say\nCMD: rm a\n\nCMD: rm b -->\n\nCMD: ok')).toEqual(['ok']);
  expect(extractCommands('<think>\nCMD: rm a\n\nCMD: rm b\n</think>\nCMD: ok')).toEqual(['ok']);
  expect(extractCommands('Hm.\nCMD: rm a\n</think>CMD: rm b\nCMD: ok')).toEqual(['ok']);
  expect(extractCommands('<details><summary>x</summary>\n\nCMD: rm a\n</details>\nCMD: ok')).toEqual(['ok']);
  expect(extractCommands('<br/>\nCMD: ls\n<https://example.com>\nCMD: pwd')).toEqual(['ls', 'pwd']);
});

test('quotation marks of other languages quote as well', () => {
  expect(extractCommands('Es hieß „so\nCMD: rm a\nist es“.\n\nIl dit « fais\nCMD: rm b\ncela ».\n\nCMD: ok')).toEqual(['ok']);
});

test('a line that only looks like the mark is none', () => {
  const before = ['\u200b', '\ufeff', '\t', '\u00a0', 'text\u2028', '\u0008', '**', '| '];
  expect(before.flatMap((text) => extractCommands(`${text}CMD: rm a`))).toEqual([]);
  expect(extractCommands('ＣＭＤ： rm a\nCMD：rm a\n\u0421MD: rm a')).toEqual([]);
});

test('a command is one line: what a backslash would join to it is not', () => {
  expect(extractCommands('CMD: echo a \\\nrm b')).toEqual(['echo a \\']);
});

test('no more are taken from one answer than a user can look at', () => {
  expect(extractCommands('CMD: ls\n'.repeat(40))).toHaveLength(16);
});

const schema = {
  type: 'object',
  properties: { path: { type: 'string' }, count: { type: ['integer', 'null'] }, any: {} },
  required: ['path'],
};

test('arguments that fit pass', () => {
  expect(checkArguments({ path: 'a', count: 3, any: [1], extra: true }, schema)).toBeNull();
  expect(checkArguments({ path: 'a', count: null }, schema)).toBeNull();
  expect(checkArguments({}, {})).toBeNull();
});

test('a missing argument is named', () => {
  expect(checkArguments({}, schema)).toBe('the argument "path" is missing');
  expect(checkArguments({}, { required: ['old', 'new'] })).toBe('the arguments "old", "new" are missing');
});

test('a wrong type is named', () => {
  expect(checkArguments({ path: ['a'] }, schema)).toBe('the argument "path" must be of type string, not array');
  expect(checkArguments({ path: 'a', count: 1.5 }, schema)).toBe('the argument "count" must be of type integer or null, not number');
});

test('a number becomes text where only text is taken, and stays a number elsewhere', () => {
  const parameters = {
    type: 'object',
    properties: { handle: { type: 'string' }, from: { type: 'integer' }, any: { type: ['string', 'integer'] } },
  };
  expect(fitArguments({ handle: 1, from: 2, any: 3, other: 4 }, parameters)).toEqual({ handle: '1', from: 2, any: 3, other: 4 });
});

test('text becomes the value that is wanted, and null for what may be left out goes', () => {
  const properties = Object.fromEntries(['integer', 'boolean', 'array', 'object', 'string'].map((type) => [type, { type }]));
  const given = { integer: '10', boolean: 'true', array: '["a"]', object: '{"a":1}', string: '10' };
  expect(fitArguments(given, { properties })).toEqual({ integer: 10, boolean: true, array: ['a'], object: { a: 1 }, string: '10' });
  expect(fitArguments({ integer: '10 lines', boolean: '1' }, { properties })).toEqual({ integer: '10 lines', boolean: '1' });
  expect(fitArguments({ integer: null, string: null }, { properties, required: ['string'] })).toEqual({ string: null });
});

test('arguments are read through the wrappings that servers put around them', () => {
  const schema = { properties: { path: { type: 'string' } } };
  const texts = [
    '{"path":"a"}',
    '"{\\"path\\":\\"a\\"}"',
    '[{"path":"a"}]',
    '{}{"path":"a"}',
    '```json\n{"path":"a"}\n```',
    '{"arguments":{"path":"a"}}',
    '{"input":"{\\"path\\":\\"a\\"}"}',
  ];
  for (const text of texts) expect([text, parseArguments(text, schema)]).toEqual([text, { path: 'a' }]);
  expect(parseArguments(' ', schema)).toEqual({});
});

test('arguments that can be read in two ways, or in none, are not guessed', () => {
  const texts = ['[{"path":"a"},{"path":"b"}]', '{"path":"a"}{"path":"a"}', '{"path":"a"', 'a', '5', '[]', '{"path":"a"} and more'];
  expect(texts.map((text) => parseArguments(text))).toEqual(texts.map(() => null));
  const own = { properties: { input: { type: 'object' } } };
  expect(parseArguments('{"input":{"path":"a"}}', own)).toEqual({ input: { path: 'a' } });
  expect(parseArguments('{"input":{"a":1},"b":2}')).toEqual({ input: { a: 1 }, b: 2 });
});

test('a name is found behind the marks that models put around it', () => {
  const offered = new Set(['aish__read_file']);
  const names = [
    'aish__read_file',
    ' "aish__read_file"\n',
    'default_api:aish__read_file',
    'functions.aish__read_file:0',
    'tools.aish.read_file',
    'aish__read_file()',
  ];
  expect(names.map((name) => offeredName(name, offered))).toEqual(names.map(() => 'aish__read_file'));
  expect(['read_file', 'aish__read', ''].map((name) => offeredName(name, offered))).toEqual([null, null, null]);
});
