import { type Argument, literal } from '../argument.ts';
import { find } from '../findings.ts';
import type { GivenWords } from '../options.ts';
import { usePath } from '../path-use.ts';
import type { Call, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';

/** Programs that run code: shown as a word, in a file, or from standard input. */
export const INTERPRETERS: RuleTable = {
  'python python2 python3 pypy pypy3': { stops: true, any: true, short: 'c:m:W:X:', judge: judgeInterpreter },
  'node nodejs': {
    stops: true,
    any: true,
    short: 'e:p:r:',
    long: 'eval= print= require= import= loader= experimental-loader= input-type=',
    on: { 'r require import loader experimental-loader': 'hides' },
    judge: judgeInterpreter,
  },
  'java javaw': {
    any: true,
    single: true,
    judge: ({ options, operands }) =>
      options.length === 1 && operands.length === 0 && /^-?version$|^help$/.test(options[0]?.name ?? '')
        ? []
        : [find('runs', 'a program of Java')],
  },
  'ruby perl php lua luajit Rscript R julia osascript tclsh wish expect guile racket sbcl groovy scala elixir erl ocaml ghci irb pry psysh':
    { stops: true, any: true, short: 'e:E:n:p:r:M:I:', judge: judgeInterpreter },
};

/** What code says it does, for a reason that names it; the decision is to ask in any case. */
const SIGNS: readonly (readonly [RegExp, Parameters<typeof find>[0], string])[] = [
  [
    /rmtree|\brm\s+-|unlink|os\.remove|removedirs|rmSync|rmdir|\brm\(|FileUtils\.rm|File\.delete|shutil\.move|truncate|remove_tree|deleteTree|fs\.rm|\bunlink\b|format\s+[cC]:|DROP\s+(TABLE|DATABASE)|kill\(|SIGKILL/i,
    'destroys',
    'code that deletes or ends something',
  ],
  [/\bsudo\b|setuid|ptrace/, 'privileged', 'code that asks for rights'],
  [
    /https?:\/\/|urllib|requests\.|socket|fetch\(|http\.|Net::HTTP|LWP|ftplib|smtplib|paramiko|XMLHttpRequest|net\.connect|TCPSocket|IO::Socket|fsockopen|curl_/i,
    'network',
    'code that opens a connection',
  ],
  [
    /base64|b64decode|\beval\b|\bexec\b|fromCharCode|atob|unhexlify|fromhex|chr\(|pack\(|decode\(|__import__|getattr\(|\\x[0-9a-f]{2}\\x/i,
    'hides',
    'code that puts other code together',
  ],
];

const VERSION = /^(-V|-v|--version|-h|--help|-version)$/;

function judgeInterpreter({ options, operands }: GivenWords, call: Call): readonly Finding[] {
  const [first, ...more] = call.words;
  if (more.length === 0 && first?.value !== null && first !== undefined && VERSION.test(first.value)) return [];
  const code = options
    .filter(({ name }) => ['c', 'e', 'E', 'p', 'r', 'eval', 'print'].includes(name))
    .flatMap(({ value }) => value ?? []);
  const module_ = options.find(({ name }) => name === 'm')?.value?.value;
  if (isSyntaxCheck(call)) return call.words.slice(-1).flatMap((word) => usePath(word, 'content', call.scope));
  if (module_ !== undefined && module_ !== null) {
    const warns = options.some(
      ({ name, value }) => name === 'W' && !/^(ignore|error|default|always|once)$/.test(value?.value ?? ''),
    );
    const stays = options.some(({ name }) => name === 'i');
    return [...judgeModule(module_, operands, call), ...(warns || stays ? [find('runs', 'more than the module')] : [])];
  }
  if (code.some(({ value }) => value === null))
    return [
      find(code.some(({ text }) => /curl|wget/.test(text)) ? 'remote code' : 'unclear', `the code of ${call.name}`),
    ];
  if (code.length > 0) return judgeCode(code.map(({ value }) => value ?? '').join('\n'));
  const [file] = operands;
  if (file !== undefined && file.value !== '-' && file.value !== '/dev/stdin')
    return [
      file.hasOutput
        ? find(/curl|wget/.test(file.text) ? 'remote code' : 'unclear', file.text)
        : find('runs', `the script ${file.text}`),
    ];
  return judgeInput(call);
}

/** `node --check x.js`, `php -l x.php`: the file is read, and nothing of it runs. */
function isSyntaxCheck({ name, words }: Call): boolean {
  const [option, file, ...more] = words;
  const checks: Readonly<Record<string, RegExp>> = {
    node: /^(-c|--check)$/,
    nodejs: /^(-c|--check)$/,
    php: /^-l$/,
    ruby: /^-c$/,
    luac: /^-p$/,
  };
  return (
    file !== undefined &&
    more.length === 0 &&
    !file.start.startsWith('-') &&
    checks[name]?.test(option?.value ?? '') === true
  );
}

function judgeModule(name: string, operands: readonly Argument[], call: Call): readonly Finding[] {
  const { scope, words } = call;
  if (name === 'json.tool' && operands.length <= 1) return operands.flatMap((word) => usePath(word, 'content', scope));
  if (/^(pytest|mypy|flake8|black|ruff|isort|pylint|pip)$/.test(name)) {
    const at = words.findIndex(({ value }) => value === name);
    call.judgeCommand(at < 0 ? [literal(name), ...operands] : words.slice(at));
    return scope.hasWritten ? [find('runs', `the module ${name}`)] : [];
  }
  if (/^(unittest|compileall|py_compile)$/.test(name)) {
    const isInside = operands.every(({ value }) => value !== null && !/^[/~]|\.\./.test(value));
    return [scope.hasWritten || !isInside ? find('runs', `the module ${name}`) : find('task')];
  }
  if (/^(http\.server|ensurepip|smtpd|webbrowser)$/.test(name)) return [find('network', `the module ${name}`)];
  return [find('runs', `the module ${name}`)];
}

function judgeCode(code: string): readonly Finding[] {
  const signs = SIGNS.flatMap(([pattern, effect, reason]) => (pattern.test(code) ? [find(effect, reason)] : []));
  return [find('runs', 'code on the command line'), ...signs];
}

function judgeInput({ input, name }: Call): readonly Finding[] {
  if (input.text !== null) return judgeCode(input.text);
  if (input.programs.some((program) => /^(curl|wget|fetch|nc|ncat)$/.test(program))) return [find('remote code')];
  return [
    input.isGiven
      ? find('unclear', `code from standard input of ${name}`)
      : find('runs', `${name} waits for what is typed`),
  ];
}
