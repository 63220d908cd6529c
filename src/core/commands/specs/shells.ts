import { joinedRegExp } from '../../text/joined-regexp.ts';
import { type Argument, literal } from '../argument.ts';
import { classifyEscapes, classifyStarted } from '../custom/started-code.ts';
import { classifyInner } from '../effects.ts';
import type { Facts } from '../facts.ts';
import { hasOption, type InnerCommand, type Invocation, isGiven } from '../parse.ts';
import { scriptAt, usePath } from '../path-use.ts';
import type { Call, CommandSpec, SpecTable } from '../spec.ts';
import { parseShell } from '../syntax.ts';
import { type Effect, effect } from '../verdict.ts';

const DECODERS: ReadonlySet<string> = new Set(
  `base64 base32 basenc rev xxd openssl tr gunzip gzip zcat uudecode
  hexdump od`.split(/\s+/),
);

const SHELL: CommandSpec = {
  stops: true,
  options: '-c:eufvxnilsrhbmpaBCEHPTO:o: login norc noprofile posix restricted verbose rcfile= init-file= debugger',
  on: { 'rcfile init-file': 'hides', n: 'reads', 'i l login': 'runs' },
  inner: { scripts: 'c' },
  interprets: true,
  custom: classifyShell,
};

/** Programs that take a script: as a word, from a file, or from standard input. */
export const SHELLS: SpecTable = {
  'bash sh dash ksh ash mksh rbash': { ...SHELL },
  // Their scripts are classified as bash, but may mean something else to these shells.
  'zsh fish csh tcsh': { ...SHELL, inner: { scripts: 'c', isPlain: false } },
  eval: {
    any: true,
    inner: { after: 0, script: 'joined' },
    custom: ({ operands }, call) => [effect('runs', 'text that is read as a command'), ...classifyText(operands, call)],
  },
  'source .': {
    stops: true,
    interprets: true,
    custom: ({ operands }, call) => {
      const [file] = operands;
      if (file !== undefined && classifySubstituted(file, call)) return [];
      return [
        operands.some((word) => word.hasOutput)
          ? foreign(operands)
          : effect('runs', file === undefined ? undefined : scriptAt(file, call.scope)),
      ];
    },
  },
  trap: { options: '-lp', inner: { after: 0, script: 'alone', isPlain: false }, custom: classifyTrap },
};

/** The output of a command as a script is unknown, all the more if it is fetched. */
function foreign(words: readonly Argument[]): Effect {
  return effect(words.some(({ isRemote }) => isRemote === true) ? 'remote code' : 'unclear', { because: 'printed-script' });
}

/** `<(echo ls)` is a script that the line shows. */
function classifySubstituted({ text }: Argument, call: Call): boolean {
  if (!/^<\(.*\)$/s.test(text)) return false;
  const script = call.scope.outputOf(parseShell(text.slice(2, -1)), call.scope);
  if (script === null) return false;
  const isDecoded = [...DECODERS].some((name) => new RegExp(`\\b${name}\\b`).test(text));
  call.classifyScript(script, { isDisguised: isDecoded || call.scope.isDisguised, shell: call.scope.shell });
  return true;
}

function classifyShell({ options, operands }: Invocation, call: Call): readonly Effect[] {
  const script = options.find(({ name }) => name === 'c');
  if (script !== undefined) {
    const positional = operands.slice(1);
    return script.value === null ? [effect('unclear', 'a script that is missing')] : classifyText([script.value], call, positional);
  }
  const [file] = operands;
  const [only, checked, ...others] = call.words;
  if (only?.value === '-n' && checked !== undefined && others.length === 0 && !/^[-+]/.test(checked.start))
    return usePath(checked, 'content', call.scope);
  // With `-s` the operands are parameters, and the script comes from standard input.
  const isStream =
    file === undefined || hasOption({ options }, 's') || ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'].includes(file.value ?? '');
  if (!isStream && classifySubstituted(file, call)) return [];
  if (!isStream) return [file.hasOutput ? foreign([file]) : effect('runs', scriptAt(file, call.scope))];
  return classifyInput(call, operands);
}

function classifyText(words: readonly Argument[], call: Call, positional?: readonly Argument[]): readonly Effect[] {
  const values = words.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length < words.length) return [foreign(words)];
  const isDisguised = call.scope.isDisguised || words.some((word) => word.isDisguised);
  call.classifyScript(values.join(' '), { isDisguised, ...(positional === undefined ? { shell: call.scope.shell } : { positional }) });
  return [];
}

function classifyInput(call: Call, positional: readonly Argument[]): readonly Effect[] {
  const { text, programs, isGiven } = call.input;
  if (text !== null) {
    const isDecoded = programs.some((name) => DECODERS.has(name)) || call.scope.isDisguised || call.input.isEscaped;
    call.classifyScript(text, { isDisguised: isDecoded, positional });
    return isDecoded ? [effect('hides', 'a script that is decoded first')] : [];
  }
  if (call.input.isRemote === true) return [effect('remote code')];
  if (programs.some((name) => DECODERS.has(name))) return [effect('hides', 'a script that is decoded first')];
  return [
    isGiven
      ? effect('unclear', { because: 'input-script', path: call.input.path ?? null })
      : effect('runs', 'a shell that waits for input'),
  ];
}

/** A script that only prints words and ends, no matter what the line does before. */
const ONLY_PRINTS = /^\s*(?:(?:echo|printf|exit|return|true|:)\b(?:\s+(?:[\w.,:!?%+/@=-]+|'[^']*'|"[^"$`\\]*"))*\s*(?:;\s*|$))+$/;

function classifyTrap({ options, operands }: Invocation, call: Call): readonly Effect[] {
  const [script, ...signals] = operands;
  if (options.length > 0 || script === undefined || signals.length === 0 || script.value === '-' || script.value === '') return [];
  if (script.value === null) return [effect('unclear', 'what a trap runs')];
  call.classifyScript(script.value);
  return [effect(ONLY_PRINTS.test(script.value) ? 'keeps' : 'changes', 'sets a trap')];
}

const COMMAND: InnerCommand = { after: 0, script: 'alone', isPlain: false };

/** Terminal multiplexers, whose programs outlive the terminal. */
export const TERMINALS: SpecTable = {
  tmux: {
    any: true,
    startsCommands: true,
    options: '-L:S:f:c:T:',
    sub: {
      'new-session new new-window neww split-window splitw respawn-window respawnw respawn-pane respawnp': {
        any: true,
        options: '-c:e:F:n:s:t:x:y:l:p:',
        inner: COMMAND,
        custom: (given, call) => [...classifyTmux(given, call), ...classifyInner(COMMAND, given, call)],
      },
    },
    custom: classifyTmux,
  },
  'dtach abduco': {
    any: true,
    startsCommands: true,
    options: '-A:c:n:N:a:p:e:r:',
    effect: 'runs',
    detail: 'another terminal',
    inner: { after: 0, unless: 'a p' },
  },
  'screen zellij byobu': {
    any: true,
    startsCommands: true,
    custom: (_, { words }) =>
      words.length === 1 && /^(-ls|-list|list-sessions|ls)$/.test(words[0]?.value ?? '')
        ? []
        : [effect(words.some(({ value }) => value === 'quit' || value === 'kill') ? 'destroys' : 'runs', 'another terminal')],
  },
};

/** tmux commands that only display. */
const SHOWS = joinedRegExp(
  '',
  '^(ls|list-sessions|list-windows|lsw|list-panes|lsp|list-clients|list-keys|list-commands|display-message',
  '|display|show-options|show|has-session|has|info|-V)$',
);

/** A format may contain `#(command)`, and a semicolon starts another command. */
function classifyTmux(_: Invocation, { words }: Call): readonly Effect[] {
  const [verb] = words;
  if (words.some(({ value }) => value === null || /#[^#(\n]*\(|;/.test(value)))
    return [effect('runs', 'a command within a command of tmux')];
  if (SHOWS.test(verb?.value ?? '')) return [];
  return /^kill/.test(verb?.start ?? '') ? [effect('destroys', 'sessions')] : [effect('runs', 'another terminal')];
}

/** Editors: the user types their actions, and their options may reach a shell. */
export const EDITORS: SpecTable = {
  'ex vi vim nvim gvim rvim rview view vimdiff': {
    any: true,
    options: '-c:S:u:U:i:t:T:w:W: cmd= startuptime=',
    custom: (given, call) => classifyVim(given, call),
  },
  'emacs emacsclient': { any: true, single: true, options: 'eval= execute= e= l= load= f= funcall= batch Q q nw', custom: classifyEmacs },
  'ed red': { any: true, custom: (_, call) => [effect('runs', 'an editor'), ...classifyEscapes(call.input.text ?? '', call)] },
  'nano pico joe mcedit kak helix kate gedit micro code subl hx': { any: true, effect: 'runs' },
};

function classifyTexts(texts: readonly Argument[], call: Call): readonly Effect[] {
  return texts.flatMap(({ value, text }) =>
    value === null ? [effect('unclear', text)] : [...classifyEscapes(value, call), ...classifyStarted(value, call)],
  );
}

const WRITES = /(?:^|[|:\s])(?:w|wq|sav|saveas|up|x)!?\s+(?!!)(\S+)/;

function classifyVim({ options, operands }: Invocation, call: Call): readonly Effect[] {
  const typed = options.flatMap(({ name, value }) => ((name === 'c' || name === 'cmd') && value) || []);
  const plus = operands.flatMap((word) => (word.value?.startsWith('+') === true ? [literal(word.value.slice(1))] : []));
  const texts = [...typed, ...plus, ...(call.input.text === null ? [] : [literal(call.input.text)])];
  const written = texts.flatMap(({ value }) => {
    const path = WRITES.exec(value ?? '')?.[1];
    return path === undefined ? [] : usePath(literal(path.replace(/^~(?=\/)/, call.scope.context.home)), 'replace', call.scope);
  });
  const isScript = isGiven({ options }, 'S', 's', 'u');
  return [effect('runs', isScript ? 'a script of an editor' : 'an editor'), ...classifyTexts(texts, call), ...written];
}

function classifyEmacs({ options }: Invocation, call: Call): readonly Effect[] {
  const code = options.flatMap(({ name, value }) => (/^(eval|execute|e)$/.test(name) && value) || []);
  return [effect('runs', 'an editor'), ...classifyTexts(code, call)];
}

/** Operands of fish builtins and functions whose names have another meaning elsewhere. */
export const FISH_BUILTINS: ReadonlyMap<string, Facts> = new Map<string, Facts>([
  ['set', { takes: 'variable name... !' }],
  ['history', { takes: { 'pattern...': 'search delete!', none: 'merge save! clear! clear-session!' } }],
  ['wait', { takes: 'command-name...' }],
]);
