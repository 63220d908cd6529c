import { joinedRegExp } from '../../text/joined-regexp.ts';
import { type Argument, literal } from '../argument.ts';
import { classifyStarted } from '../custom/started-code.ts';
import type { Invocation } from '../parse.ts';
import { hasOption } from '../parse.ts';
import { scriptAt, usePath } from '../path-use.ts';
import type { Call, SpecTable } from '../spec.ts';
import { type Effect, effect, taskEffect } from '../verdict.ts';

/** Programs that run code: from a word, from a file, or from standard input. */
export const INTERPRETERS: SpecTable = {
  'python python2 python3 pypy pypy3': { stops: true, any: true, options: '-c:m:W:X:', interprets: true, custom: classifyInterpreter },
  'node nodejs': {
    stops: true,
    any: true,
    options: '-e:p:r: eval= print= require= import= loader= experimental-loader= input-type=',
    on: { 'r require import loader experimental-loader': 'hides' },
    interprets: true,
    custom: classifyInterpreter,
  },
  'tsx ts-node esno': {
    any: true,
    stops: true,
    options: '-e:p:r: eval= print= require= import= loader=',
    custom: ({ options }, call) =>
      options.some(({ name }) => /^(e|p|eval|print)$/.test(name))
        ? options.flatMap(({ name, value }) =>
            /^(e|p|eval|print)$/.test(name) && value?.value ? classifyCode(value.value, call) : [effect('runs', 'code')],
          )
        : [effect('runs', 'a script')],
  },
  'java javaw': {
    any: true,
    single: true,
    custom: ({ options, operands }) =>
      options.length === 1 && operands.length === 0 && /^-?version$|^help$/.test(options[0]?.name ?? '')
        ? []
        : [effect('runs', 'a program of Java')],
  },
  perl: {
    stops: true,
    any: true,
    options: '-e:E:M:m:I:D::F:x::i::0::l::C::d::npaswWtTcuUvX',
    interprets: true,
    custom: classifyInterpreter,
  },
  'ruby irb pry': {
    stops: true,
    any: true,
    options: '-e:r:I:E:C:F:K:T::W::x::i::0::nplaswvcS',
    interprets: true,
    custom: classifyInterpreter,
  },
  'php psysh': {
    stops: true,
    any: true,
    options: '-r:B:R:E:F:f:d:c:z:S:t:anilqsvwm run= process-begin= process-code= process-end= process-file= file= define= php-ini= server=',
    interprets: true,
    custom: classifyInterpreter,
  },
  'erl elixir iex': {
    stops: true,
    any: true,
    single: true,
    options: 'e= eval= r= s= run= noshell pa= sname=',
    interprets: true,
    custom: classifyInterpreter,
  },
  'pwsh powershell': {
    any: true,
    single: true,
    options: 'c= Command= command= e= enc= ec= EncodedCommand= encodedcommand= f= File= file= ep= ExecutionPolicy= w= WindowStyle=',
    interprets: true,
    custom: classifyPowerShell,
  },
  'tclsh wish expect': { stops: true, any: true, options: '-c:f:', interprets: true, custom: classifyToolCommand },
  [`lua Rscript luajit R julia osascript guile racket sbcl groovy scala ocaml ghci ghc runghc jrunscript jshell
    octave gnuplot maxima pike newlisp clisp ecl swift`]: {
    stops: true,
    any: true,
    options: `-e:E:l:c:f:p:r:x: eval= command= execute= load= print= load-path= quiet no-save vanilla slave noprofile non-interactive
      batch norc noinform disable-debugger no-init-file no-window-system`,
    interprets: { except: 'build test package' },
    custom: classifyInterpreter,
  },
};

/** Visible actions of code, for a reason that names them. The decision is to ask in any case. */
const SIGNS: readonly (readonly [RegExp, Parameters<typeof effect>[0], string])[] = [
  [
    joinedRegExp(
      'i',
      String.raw`rmtree|unlink|os\.remove|removedirs|rmSync|rmdir|\brm\(|FileUtils\.rm|File\.delete|shutil\.move|truncate`,
      String.raw`|remove_tree|deleteTree|fs\.rm|\bunlink\b|format\s+[cC]:|DROP\s+(TABLE|DATABASE)|kill\(|SIGKILL`,
    ),
    'destroys',
    'code that deletes or ends something',
  ],
  [/\bsudo\b|setuid|ptrace/, 'privileged', 'code that asks for rights'],
  [
    joinedRegExp(
      'i',
      String.raw`https?:\/\/|urllib|requests\.|socket|fetch\(|http\.|Net::HTTP|LWP|ftplib|smtplib|paramiko|XMLHttpRequest`,
      String.raw`|net\.connect|TCPSocket|IO::Socket|fsockopen|curl_`,
    ),
    'network',
    'code that opens a connection',
  ],
  [
    /(?<!\.)\beval\b(?!\s*\{)|(?<![.\w])exec\s*\(|\bcompile\s*\(|new Function\b|instance_eval|class_eval|runInNewContext|runInThisContext/,
    'hides',
    'code that puts other code together',
  ],
];

/** Decoding text next to starting or loading something is a sign of hiding. */
const DECODES = joinedRegExp(
  'i',
  String.raw`base64|b64decode|Buffer\.from\(|fromCharCode|atob|unhexlify|fromhex|chr\(|\bpack\(|decode\(|getattr\(`,
  String.raw`|\\x[0-9a-f]{2}\\x|\[::-1\]|\.reverse\b|rot_?13`,
);
/** Looking up a system function by a text, next to a text built from others. */
const PICKS =
  /\b(?:getattr|vars)\s*\(\s*(?:os|sys|subprocess|builtins|__builtins__)\b|\b(?:os|builtins|__builtins__)\.__(?:dict|getattribute)__/;
const UNPACKS = /base64|b64decode|unhexlify|fromhex|chr\(|decode\(|\[::-1\]|rot_?13/i;
const LOADS =
  /__import__|importlib|\bsystem\b|popen|subprocess|child_process|\bexec\w*\b|\bspawn\w*\b|\beval\b|shell_exec|passthru|require\(/;

/** Option letters that announce code in one language and mean something else in another. */
const NOT_CODE: Readonly<Record<string, RegExp>> = {
  r: /^(ruby|irb|pry|node|nodejs|erl|elixir|iex|R|Rscript|racket)$/,
  p: /^(perl|ruby|python\d?|R|Rscript|php)$/,
  E: /^(ruby|irb|pry|lua|luajit|R)$/,
  x: /^(R|Rscript|php)$/,
  B: /^(?!php$)/,
  R: /^(?!php$)/,
  run: /^(?!php$)/,
};

const VERSION = /^(-V|-v|--version|-h|--help|-version)$/;

function classifyInterpreter({ options, operands }: Invocation, call: Call): readonly Effect[] {
  const [first, ...more] = call.words;
  if (more.length === 0 && first?.value !== null && first !== undefined && VERSION.test(first.value)) return [];
  const code = options
    .filter(
      ({ name }) =>
        'c e E p r B R x eval print run command execute process-begin process-code process-end'.split(' ').includes(name) &&
        !NOT_CODE[name]?.test(call.name),
    )
    .flatMap(({ value }) => value ?? []);
  const module_ = options.find(({ name }) => name === 'm')?.value?.value;
  if (isSyntaxCheck(call)) return call.words.slice(-1).flatMap((word) => usePath(word, 'content', call.scope));
  if (module_ !== undefined && module_ !== null) {
    const warns = options.some(({ name, value }) => name === 'W' && !/^(ignore|error|default|always|once)$/.test(value?.value ?? ''));
    const stays = hasOption({ options }, 'i');
    // A project folder with the name of the module, or of one it imports, is loaded instead.
    const isOwn = hasOption({ options }, 'I P');
    const shadows = isOwn ? [] : [taskEffect(call.scope)];
    return [...shadows, ...classifyModule(module_, operands, call), ...(warns || stays ? [effect('runs', 'more than the module')] : [])];
  }
  if (code.some(({ value }) => value === null))
    return [effect(code.some(({ isRemote }) => isRemote) ? 'remote code' : 'unclear', `the code of ${call.name}`)];
  if (code.length > 0) return classifyCode(code.map(({ value }) => value ?? '').join('\n'), call);
  const [file] = operands;
  if (file !== undefined && file.value !== '-' && file.value !== '/dev/stdin')
    return [
      file.hasOutput ? effect(file.isRemote === true ? 'remote code' : 'unclear', file.text) : effect('runs', scriptAt(file, call.scope)),
    ];
  return classifyInput(call);
}

/** `node --check x.js`, `php -l x.php`: the file is only parsed. */
function isSyntaxCheck({ name, words }: Call): boolean {
  const [option, file, ...more] = words;
  const checks: Readonly<Record<string, RegExp>> = {
    node: /^(-c|--check)$/,
    nodejs: /^(-c|--check)$/,
    php: /^-l$/,
    ruby: /^-c$/,
    luac: /^-p$/,
  };
  return file !== undefined && more.length === 0 && !file.start.startsWith('-') && checks[name]?.test(option?.value ?? '') === true;
}

function classifyModule(name: string, operands: readonly Argument[], call: Call): readonly Effect[] {
  const { scope, words } = call;
  if (name === 'json.tool' && operands.length <= 1) return operands.flatMap((word) => usePath(word, 'content', scope));
  if (/^(pytest|mypy|flake8|black|ruff|isort|pylint|pip)$/.test(name)) {
    const at = words.findIndex(({ value }) => value === name);
    call.classifyCommand(at < 0 ? [literal(name), ...operands] : words.slice(at));
    return scope.hasWritten ? [effect('runs', `the module ${name}`)] : [];
  }
  if (/^(unittest|compileall|py_compile)$/.test(name)) {
    const isInside = operands.every(({ value }) => value !== null && !/^[/~]|\.\./.test(value));
    return [scope.hasWritten || !isInside ? effect('runs', `the module ${name}`) : effect('task')];
  }
  if (/^(site|sysconfig)$/.test(name) && operands.length === 0) return [];
  if (/^(venv|pip|timeit|zipfile|tarfile|unittest|ensurepip|pydoc)$/.test(name) && words.at(-1)?.value === '--help' && words.length === 3)
    return [];
  if (/^(http\.server|ensurepip|smtpd|webbrowser)$/.test(name)) return [effect('network', `the module ${name}`)];
  return [effect('runs', `the module ${name}`)];
}

/** Classifies code in a line by its visible actions. */
export function classifyCode(code: string, call: Call): readonly Effect[] {
  const signs = SIGNS.flatMap(([pattern, kind, reason]) => (pattern.test(code) && !isExec(kind, code, call) ? [effect(kind, reason)] : []));
  const joined = code.replace(/(['"])\s*(?:\+\s*)?\1/g, '');
  const isHidden = DECODES.test(joined) && (LOADS.test(joined) || (PICKS.test(code) && UNPACKS.test(code)));
  return [
    effect('runs', 'code on the command line'),
    ...signs,
    ...(isHidden ? [effect('hides', 'code that is decoded first')] : []),
    ...classifyStarted(code, call),
  ];
}

/** `exec` evaluates code in Python, and starts a program in other languages. */
function isExec(kind: string, code: string, { name }: Call): boolean {
  return kind === 'hides' && !name.startsWith('py') && !/\beval\b(?!\s*\{)|Function\b|_eval|runIn/.test(code);
}

/** PowerShell commands share names with commands of other shells. */
function classifyPowerShell({ options, operands }: Invocation, call: Call): readonly Effect[] {
  if (options.some(({ name }) => /^(e|enc|ec|encodedcommand)$/i.test(name))) return [effect('hides', 'a script that is decoded first')];
  const code = options.flatMap(({ name, value }) => (/^c(ommand)?$/i.test(name) && value) || []);
  for (const { value } of [...code, ...operands.slice(0, 1)])
    if (value !== null && !/\.ps1$/.test(value)) call.classifyScript(value.replace(/\bRemove-Item\b/gi, 'rm'));
  return [effect('runs', 'a script of another shell')];
}

const TOOL_COMMAND = /(?:^|[;\n[{])[^\S\n]*(?:exec|spawn|open\s+["{]\|)\s+(?:-\w+\s+)*([^;\n\]}]+)/g;

/** A Tcl command is written as it is, after the word that starts it. */
function classifyToolCommand(given: Invocation, call: Call): readonly Effect[] {
  const code = given.options.filter(({ name }) => name === 'c').flatMap(({ value }) => value ?? []);
  if (code.some(({ value }) => value === null)) return [effect('unclear', `the code of ${call.name}`)];
  const text = code.length > 0 ? code.map(({ value }) => value ?? '').join('\n') : given.operands.length === 0 ? call.input.text : null;
  if (text === null) return classifyInterpreter(given, call);
  for (const [, command = ''] of text.matchAll(TOOL_COMMAND)) call.classifyScript(command.replace(/\$::?env\(HOME\)/g, '~'));
  return classifyCode(text, call);
}

function classifyInput(call: Call): readonly Effect[] {
  const { input, name } = call;
  if (input.text !== null) return classifyCode(input.text, call);
  if (input.isRemote === true) return [effect('remote code')];
  return [
    input.isGiven
      ? effect('unclear', { because: 'input-script', path: input.path ?? null, detail: `${name} runs code` })
      : effect('runs', `${name} waits for input`),
  ];
}
