import { describe, expect, test } from 'bun:test';
import fc from '../../../test/support/properties.ts';
import { type Key, KeyParser } from './keys.ts';

const encoder = new TextEncoder();

function show(keys: readonly Key[]): string[] {
  return keys.map((key) => (key.type === 'key' ? `<${key.key}>` : key.type === 'paste' ? `paste:${key.text}` : key.text));
}

function parse(text: string): string[] {
  const parser = new KeyParser();
  return show([...parser.push(encoder.encode(text)), ...parser.flush()]);
}

describe('KeyParser', () => {
  const cases: readonly (readonly [string, string, string[]])[] = [
    ['plain text comes at once', 'añ日👩\u200d💻', ['añ日👩\u200d💻']],
    [
      'control characters are keys',
      '\x01\x00\r\t\x7f\x08\x1f',
      ['<ctrl-a>', '<ctrl-@>', '<enter>', '<tab>', '<backspace>', '<backspace>', '<ctrl-_>'],
    ],
    ['arrows in both forms', '\x1b[A\x1bOB\x1b[C\x1bOD', ['<up>', '<down>', '<right>', '<left>']],
    ['home, end and delete in all forms', '\x1b[H\x1bOF\x1b[1~\x1b[8~\x1b[3~', ['<home>', '<end>', '<home>', '<end>', '<delete>']],
    ['modifiers of older terminals', '\x1b[5D\x1b[5C\x1b[D', ['<ctrl-left>', '<ctrl-right>', '<left>']],
    ['modifiers', '\x1b[1;5D\x1b[1;3C\x1b[3;5~\x1b[Z', ['<ctrl-left>', '<alt-right>', '<ctrl-delete>', '<shift-tab>']],
    ['alt with a key', '\x1bb\x1b\r\x1b\x7f', ['<alt-b>', '<alt-enter>', '<alt-backspace>']],
    ['alt as a doubled escape', '\x1b\x1b[D', ['<alt-left>']],
    ['a lone escape', '\x1b', ['<escape>']],
    ['the kitty protocol', '\x1b[13;2u\x1b[97;5u\x1b[97;2u\x1b[98;3u\x1b[97;1:3u', ['<shift-enter>', '<ctrl-a>', 'A', '<alt-b>']],
    ['modifyOtherKeys', '\x1b[27;2;13~', ['<shift-enter>']],
    ['a bracketed paste is one key, whatever it holds', '\x1b[200~a\r\x1b[A\x03b\x1b[201~c', ['paste:a\r\x1b[A\x03b', 'c']],
    ['a burst with a line end inside is a paste', 'rm x\rls', ['paste:rm x\rls']],
    ['a line and Enter is typed', 'ls\r', ['ls', '<enter>']],
    ['a line with a line end of two characters is typed', 'ls\r\n', ['ls', '<enter>']],
    ['two line ends behind a line in one burst are a paste', 'rm x\r\r', ['paste:rm x\r\r']],
    ['Enter pressed twice is typed', '\r\r', ['<enter>', '<enter>']],
    ['a burst of lines with colours is a paste', 'a\x1b[31mb\rc\r', ['paste:a\x1b[31mb\rc\r']],
    ['keys between lines show that a program types', 'ls\r\x1b[A\r', ['ls', '<enter>', '<up>', '<enter>']],
    [
      'the kitty protocol on a keyboard of another script',
      '\x1b[1089::99;5u\x1b[45:95;6u\x1b[98:66;4u\x1b[122;6u',
      ['<ctrl-c>', '<ctrl-_>', '<alt-B>', '<ctrl-shift-z>'],
    ],
    ['keys that older terminals cannot tell apart', '\x1b[105;5u\x1b[109;5u\x1b[27u', ['<tab>', '<enter>', '<escape>']],
    ['the keypad types, keys for the window manager do not', '\x1b[57400u\x1b[57417u\x1b[97;9u', ['1', '<left>']],
    [
      'replies of the terminal are dropped',
      'a\x1b[?62;22c\x1b[?2026;2$y\x1b[12;40R\x1b]11;rgb:0000/0000/0000\x1b\\\x1bP>|term\x1b\\\x1b[I\x1b[O\x1b[<0;1;1Mb',
      ['ab'],
    ],
    ['a control string that a key interrupts is given up', '\x1b]x\r', ['<enter>']],
  ];
  for (const [title, text, expected] of cases) test(title, () => expect(parse(text)).toEqual(expected));

  test('says that it waits while an escape may go on', () => {
    const parser = new KeyParser();
    expect([parser.push(encoder.encode('\x1b')), parser.waiting]).toEqual([[], true]);
    expect([show(parser.push(encoder.encode('[A'))), parser.waiting]).toEqual([['<up>'], false]);
  });

  test('a slow reply does not become text', () => {
    const parser = new KeyParser();
    const keys = [parser.push(encoder.encode('\x1b]11;rgb')), parser.flush(), parser.push(encoder.encode(':0/0/0\x07x'))];
    expect(show(keys.flat())).toEqual(['x']);
  });

  test('a paste without brackets goes on in the next read', () => {
    const parser = new KeyParser();
    expect(show([...parser.push(encoder.encode('a\rb\r')), ...parser.push(encoder.encode('c\r'), { isPasting: true })])).toEqual([
      'paste:a\rb\r',
      'paste:c\r',
    ]);
  });

  test('cuts anywhere change nothing', () => {
    const input = encoder.encode('aé日\x1b[1;5D\x1b[200~x\ny\x1b[2\x1b[201~\x1bOA\x1b]0;t\x07👩z\x1b[27u');
    const whole = show(new KeyParser().push(input)).join('');
    fc.assert(
      fc.property(fc.array(fc.nat(input.length), { maxLength: 8 }), (cuts) => {
        const parser = new KeyParser();
        const edges = [0, ...cuts.toSorted((a, b) => a - b), input.length];
        const keys = edges.slice(1).flatMap((edge, at) => parser.push(input.slice(edges[at], edge)));
        expect(show(keys).join('')).toBe(whole);
      }),
    );
  });
});
