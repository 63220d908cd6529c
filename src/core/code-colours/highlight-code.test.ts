import { describe, expect, test } from 'bun:test';
import { type CodeState, highlightCode } from './highlight-code.ts';

/** The pieces with a look, line by line. */
function show(language: string, text: string): string[] {
  let state: CodeState | null = null;
  return text.split('\n').map((line) => {
    const cut = highlightCode(language, line, state);
    if (cut === null) return 'unknown';
    state = cut.state;
    return cut.spans.map(({ start, end, style }) => `${style}:${line.slice(start, end)}`).join(' ');
  });
}

test('shell: keywords, variables in strings, options, here-documents up to their end', () => {
  const text = 'for f in *.ts; do echo -n "$f"; done # all\ncat <<\'EOF\' | wc\nin $x\nEOF\nA=1';
  expect(show('bash', text)).toEqual([
    'keyword:for keyword:in keyword:do function:echo type:-n string:" variable:$f string:" keyword:done comment:# all',
    "string:<<'EOF'",
    'string:in $x',
    'keyword:EOF',
    'variable:A number:1',
  ]);
});

test('typescript: comments and templates go over lines, a division is no pattern', () => {
  expect(show('ts', 'a(1) / 2; /* x\ny */ const t = `a ${b}\nc`; /x/g.test(t)')).toEqual([
    'function:a number:1 number:2 comment:/* x',
    'comment:y */ keyword:const string:`a  variable:${b}',
    'string:c` string:/x/g function:test',
  ]);
});

test('typescript: a type parameter is no element', () => {
  expect(show('tsx', 'class Foo<T> {}\nconst a = <b c="d">x</b>;')).toEqual([
    'keyword:class',
    'keyword:const keyword:<b string:"d" keyword:</b',
  ]);
});

test('python: long strings, expressions in strings, decorators', () => {
  expect(show('py', '@dec\ndef f(x):\n  """doc\n  end"""\n  return f"a {x}"')).toEqual([
    'function:@dec',
    'keyword:def function:f',
    'string:"""doc',
    'string:  end"""',
    'keyword:return string:f"a  variable:{x} string:"',
  ]);
});

describe('data', () => {
  test('json: keys differ from values', () => {
    expect(show('json', '{"a": ["b: c", -1.5, true]}')).toEqual(['variable:"a" string:"b: c" number:-1.5 keyword:true']);
  });

  test('yaml: keys stand at the beginning of an item, not behind another colon', () => {
    expect(show('yaml', '- my key: value with: x # c\nurl: http://a:80')).toEqual(['variable:my key comment:# c', 'variable:url']);
  });

  test('toml: sections, keys and long strings', () => {
    expect(show('toml', '[a]\nx.y = """b\nc""" # d')).toEqual(['type:[a]', 'variable:x.y string:"""b', 'string:c""" comment:# d']);
  });

  test('diff: what is added and removed, and the heads of both', () => {
    expect(show('diff', '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z')).toEqual([
      'keyword:--- a',
      'keyword:+++ b',
      'hunk:@@ -1 +1 @@',
      'removed:-x',
      'added:+y',
      '',
    ]);
  });

  test('sql: keywords in any case, doubled quotes', () => {
    expect(show('sql', "Select count(*) from t where a = 'it''s' -- c")).toEqual([
      "keyword:Select function:count keyword:from keyword:where string:'it''s' comment:-- c",
    ]);
  });

  test('html: an apostrophe in its text begins no string', () => {
    expect(show('html', '<a href="x">don\'t</a> <!-- b\nc -->')).toEqual([
      'keyword:<a variable:href string:"x" keyword:> keyword:</a keyword:> comment:<!-- b',
      'comment:c -->',
    ]);
  });

  test('css: selectors, properties and values', () => {
    expect(show('css', '.a:hover { color: #fff; margin: 1px }')).toEqual([
      'function:.a function::hover variable:color number:#fff variable:margin number:1px',
    ]);
  });
});

test('other languages of programs', () => {
  const lines: readonly (readonly [string, string])[] = [
    ['go', 'func Run(a int) { return `x` }'],
    ['rust', "fn f<'a>(x: &'a str) { println!(\"y\", 'c', 10u32) }"],
    ['c++', '#include <x.h>'],
    ['java', '@Test void a() { return "b"; }'],
    ['ruby', 'puts "a #{b}" if @c == :d'],
    ['make', 'all: main.o $(OBJ) # x'],
    ['dockerfile', 'FROM node AS base'],
  ];
  expect(lines.map(([language, line]) => show(language, line)[0])).toEqual([
    'keyword:func function:Run type:int keyword:return string:`x`',
    "keyword:fn type:'a type:'a type:str function:println! string:\"y\" string:'c' number:10u32",
    'function:#include string:<x.h>',
    'function:@Test keyword:void function:a keyword:return string:"b"',
    'string:"a  variable:#{b} string:" keyword:if variable:@c type::d',
    'function:all variable:$(OBJ) comment:# x',
    'keyword:FROM keyword:AS',
  ]);
});

test('a language nobody knows is told as such, and a line nobody reads stays plain', () => {
  expect([show('klingon', 'x'), show('ts', `const ${'x'.repeat(3000)}`)]).toEqual([['unknown'], ['']]);
});

test('pieces are in order and apart, and no line is lost, whatever comes', () => {
  const parts = ['"', "'", '`', '/*', '*/', '//', '#', '${', '}', '<<E', 'E', '<!--', '-->', '\\', ' ', 'if', '1', '"""', '<a', '='];
  const languages = ['sh', 'ts', 'py', 'json', 'yaml', 'toml', 'go', 'rust', 'c', 'sql', 'html', 'css', 'make', 'php', 'lua'];
  let seed = 7;
  for (const language of languages) {
    let state: CodeState | null = null;
    for (let count = 0; count < 200; count += 1) {
      const line = Array.from({ length: 8 }, () => {
        seed = (seed * 48_271) % 2_147_483_647;
        return parts[seed % parts.length];
      }).join('');
      const cut = highlightCode(language, line, state);
      if (cut === null) throw new Error(language);
      state = cut.state;
      const places = cut.spans.flatMap(({ start, end }) => [start, end - 0.5]);
      expect(places).toEqual([...places].sort((one, other) => one - other));
      expect(cut.spans.at(-1)?.end ?? 0).toBeLessThanOrEqual(line.length);
    }
  }
});
