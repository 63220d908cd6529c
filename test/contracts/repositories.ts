/** A small repository whose check fails, and the change that makes it pass. */
export interface SmallRepository {
  readonly name: string;
  /** The program that its check needs. */
  readonly program: string;
  readonly files: Readonly<Record<string, string>>;
  readonly until: string;
  /** The file with the fault, and its content without it: by a write, or by a command. */
  readonly path: string;
  readonly fixed: string;
  readonly command?: string;
}

/** A script with one fault, its test, and the words of the fault and of its cure. */
function faulty(
  [program, until]: readonly [program: string, until: string],
  [path, fixed]: readonly [path: string, fixed: string],
  [right, wrong]: readonly [right: string, wrong: string],
  files: Readonly<Record<string, string>>,
): Omit<SmallRepository, 'name'> {
  return { program, until, path, fixed, files: { ...files, [path]: fixed.replace(right, wrong) } };
}

const SUM = '[ "$(sh src/sum.sh 2 3)" = 5 ]\n';
const PYTHON = ['python3', 'python3 -m unittest discover -s tests'] as const;
const python = (imports: string, check: string): Readonly<Record<string, string>> => ({
  'tests/test_all.py': `import sys, unittest\nsys.path.insert(0, 'src')\n${imports}\nclass T(unittest.TestCase):\n  def test(self):\n    ${check}\n`,
});
const NODE = ['node', 'node test/all.js'] as const;
const node = (check: string): Readonly<Record<string, string>> => ({
  'test/all.js': `const assert = require('assert');\n${check}\n`,
});

const REPOSITORIES: Readonly<Record<string, Omit<SmallRepository, 'name'>>> = {
  'a sum in sh': faulty(['sh', 'sh test/sum.sh'], ['src/sum.sh', 'echo $(($1 + $2))\n'], ['+', '-'], {
    'test/sum.sh': SUM,
  }),
  'a sum behind make': faulty(['make', 'make check'], ['src/sum.sh', 'echo $(($1 + $2))\n'], ['+', '*'], {
    Makefile: 'check:\n\t@sh test/sum.sh\n',
    'test/sum.sh': SUM,
  }),
  'a quoted variable': faulty(['sh', 'sh test/lines.sh'], ['src/lines.sh', 'wc -l < "$1"\n'], ['"$1"', '"$2"'], {
    'test/lines.sh': 'printf "a\\nb\\n" > two\n[ "$(sh src/lines.sh two)" -eq 2 ]\n',
  }),
  'a loop in bash': faulty(
    ['bash', 'bash test/join.sh'],
    ['src/join.sh', 'for word in "$@"; do printf "%s," "$word"; done\n'],
    ['"$@"', '$*'],
    { 'test/join.sh': '[ "$(bash src/join.sh "a b" c)" = "a b,c," ]\n' },
  ),
  'an exit status': faulty(['sh', 'sh test/status.sh'], ['src/status.sh', 'test -e "$1" || exit 3\n'], ['3', '0'], {
    'test/status.sh': 'sh src/status.sh missing; [ $? -eq 3 ]\n',
  }),
  'a function in Python': faulty(PYTHON, ['src/area.py', 'def area(a, b):\n    return a * b\n'], ['*', '+'], {
    ...python('from area import area', 'self.assertEqual(area(3, 4), 12)'),
  }),
  'a boundary in Python': faulty(
    PYTHON,
    ['src/clamp.py', 'def clamp(x):\n    return min(max(x, 0), 9)\n'],
    ['9', '10'],
    {
      ...python('from clamp import clamp', 'self.assertEqual([clamp(-1), clamp(5), clamp(99)], [0, 5, 9])'),
    },
  ),
  'a class in Python': faulty(
    PYTHON,
    ['src/stack.py', 'class Stack(list):\n    def push(self, x):\n        self.append(x)\n'],
    ['append(x)', 'insert(0, x)'],
    { ...python('from stack import Stack', 's = Stack(); s.push(1); s.push(2); self.assertEqual(s.pop(), 2)') },
  ),
  'a text in Python': faulty(
    PYTHON,
    ['src/title.py', 'def title(s):\n    return s.strip().title()\n'],
    ['.strip()', ''],
    {
      ...python('from title import title', "self.assertEqual(title(' ada '), 'Ada')"),
    },
  ),
  'data in JSON': faulty(
    ['python3', 'python3 test/data.py'],
    ['data/list.json', '{"items": [1, 2, 3]}\n'],
    [', 3]', ', 3,]'],
    { 'test/data.py': "import json\nassert json.load(open('data/list.json'))['items'] == [1, 2, 3]\n" },
  ),
  'a module in JavaScript': faulty(
    NODE,
    ['src/sum.js', 'exports.sum = (list) => list.reduce((a, b) => a + b, 0);\n'],
    [', 0', ''],
    {
      ...node("assert.equal(require('../src/sum.js').sum([]), 0);"),
    },
  ),
  'a promise in JavaScript': faulty(
    NODE,
    ['src/read.js', 'exports.read = async () => (await 2) + 1;\n'],
    ['(await 2)', 'Promise.resolve(2)'],
    {
      ...node("require('../src/read.js').read().then((value) => assert.equal(value, 3));"),
    },
  ),
  'a sort in JavaScript': faulty(
    NODE,
    ['src/sort.js', 'exports.sort = (list) => [...list].sort((a, b) => a - b);\n'],
    ['a - b', 'b - a'],
    {
      ...node("assert.deepEqual(require('../src/sort.js').sort([10, 9, 1]), [1, 9, 10]);"),
    },
  ),
  'a script of npm': faulty(['npm', 'npm test --silent'], ['src/one.js', 'module.exports = 1;\n'], ['1', '2'], {
    'package.json': '{"name": "one", "version": "1.0.0", "scripts": {"test": "node test/all.js"}}\n',
    ...node("assert.equal(require('../src/one.js'), 1);"),
  }),
  'a module in Perl': faulty(
    ['perl', 'perl test/count.t'],
    ['src/Count.pm', 'package Count;\nsub count { return scalar @_ }\n1;\n'],
    ['scalar @_', '$#_'],
    { 'test/count.t': "use lib 'src';\nuse Count;\nexit(Count::count(1, 2, 3) == 3 ? 0 : 1);\n" },
  ),
  'a pattern in Perl': faulty(
    ['perl', 'sh test/words.sh'],
    ['src/words.pl', 'print scalar(() = <STDIN> =~ /\\w+/g);\n'],
    ['\\w+', '\\w'],
    {
      'test/words.sh': '[ "$(echo "two words" | perl src/words.pl)" = 2 ]\n',
    },
  ),
  'a report in awk': faulty(
    ['awk', 'sh test/total.sh'],
    ['src/total.awk', '{ total += $2 }\nEND { print total }\n'],
    ['$2', '$1'],
    {
      'test/total.sh': '[ "$(printf "a 1\\nb 2\\n" | awk -f src/total.awk)" = 3 ]\n',
    },
  ),
  'a filter in sed': faulty(['sed', 'sh test/blank.sh'], ['src/blank.sed', '/^$/d\n'], ['^$', '^ $'], {
    'test/blank.sh': '[ "$(printf "a\\n\\nb\\n" | sed -f src/blank.sed | wc -l)" -eq 2 ]\n',
  }),
  'a missing mode': {
    ...faulty(['sh', 'sh test/run.sh'], ['bin/run', '#!/bin/sh\necho ran\n'], ['ran', 'ran'], {
      'test/run.sh': '[ "$(./bin/run)" = ran ]\n',
    }),
    command: 'chmod +x bin/run',
  },
  'a moved file': {
    ...faulty(['sh', 'sh test/use.sh'], ['src/lib.sh', 'greet() { echo hi; }\n'], ['hi', 'hi'], {
      'src/use.sh': '. src/library.sh\ngreet\n',
      'test/use.sh': '[ "$(sh src/use.sh)" = hi ]\n',
    }),
    command: 'git mv src/lib.sh src/library.sh || mv src/lib.sh src/library.sh',
  },
};

/** Twenty small repositories in the languages of most machines. */
export const SMALL_REPOSITORIES: readonly SmallRepository[] = Object.entries(REPOSITORIES).map(([name, rest]) => ({
  name,
  ...rest,
}));
