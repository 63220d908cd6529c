import type { Route } from './router.ts';
import type { Evidence, Reason } from './statement.ts';

/* All texts of routing: where a line goes, and why. */

const PLACES: Readonly<Record<Route['type'], string>> = { command: 'your shell', message: 'the model', meta: 'aish', nothing: 'nobody' };

const PASTES: Readonly<Record<Extract<Reason, { code: 'paste' }>['kind'], string>> = {
  address: 'an address',
  code: 'source code of another language',
  sql: 'SQL',
  data: 'data or settings',
  markup: 'formatted text',
  log: 'a log',
  output: 'the output of a program',
  transcript: 'a transcript of a shell',
  diff: 'a diff',
  trace: 'a stack trace',
};

/** An empty line goes nowhere. */
const NO_ROUTE = 'An empty line goes nowhere.';

/** The route of a line and its reason, then the way to send it elsewhere. */
export function formatRoute(route: Route): string {
  if (route.type === 'nothing') return NO_ROUTE;
  const { because, type } = route;
  if (because.code === 'doubt' && because.asks)
    return `\`${because.name}\` is a command, but the rest may be a sentence. The command would change something, so aish asks you first.`;
  if (because.code === 'doubt' && type === 'command') return DOUBT_RUNS;
  const place = PLACES[type];
  const where = because.code === 'mark' && type === 'command' ? `${place} as \`${route.text}\`` : place;
  const isNamed = because.code === 'mark' || because.code === 'paste' || (because.code === 'prose' && because.name === null);
  return `${formatReason(because)}, so ${isNamed ? 'it' : 'the line'} goes to ${where}.${formatOther(route.type, because)}`;
}

const DOUBT_RUNS =
  'aish cannot tell if this is a command or a message. Your shell gets such lines if no model is set up, or if `shell.doubt` is "shell".';

/** The way to send the line on the other route. */
function formatOther(type: Route['type'], because: Reason): string {
  if (because.code === 'mark' || type === 'meta') return '';
  return type === 'command' ? ' Start it with ? to ask the model.' : ' Start it with ! to run it.';
}

function formatReason(because: Reason): string {
  switch (because.code) {
    case 'mark':
      return `The line starts with \`${because.mark}\``;
    case 'meta':
      return `\`${because.name}\` is a command of aish`;
    case 'handle':
      return because.of === 'job' ? 'Your shell has jobs' : 'The session has an output with this number';
    case 'paste':
      return `The text looks like ${PASTES[because.kind]}`;
    case 'earlier':
      return formatEarlier(because);
    case 'doubt':
      return `aish cannot tell if this is a command or a message`;
    case 'syntax':
      return 'This is shell syntax';
    case 'history-form':
      return 'This names a line of the history';
    case 'syntax-error':
      return `\`${because.name}\` begins shell syntax, and your shell can say what is wrong with the rest`;
    case 'continued':
      return 'The first line begins a command';
    case 'command':
      return `\`${because.name}\` is a command${EVIDENCE[because.by.type]('word' in because.by ? because.by.word : '')}`;
    case 'path':
      return `\`${because.path}\` is a path`;
    case 'typo':
      return `\`${because.typed}\` looks like a typo of \`${because.meant}\``;
    case 'missing':
      return `There is no command \`${because.name}\` here, but the rest looks like operands`;
    case 'prose':
      return formatProse(because);
  }
}

const formatEarlier = ({ line, isSame, to }: Extract<Reason, { code: 'earlier' }>): string =>
  `You ${to === 'command' ? 'ran' : 'sent'} \`${line}\` before${isSame ? '' : ', which starts with the same two words'}`;

const EVIDENCE: Readonly<Record<Evidence['type'], (word: string) => string>> = {
  alone: () => '',
  text: () => ' that takes any words',
  words: () => ', and the words after it can be its operands',
  option: (word) => ` and \`${word}\` is an option`,
  glob: (word) => ` and \`${word}\` is a pattern for file names`,
  expansion: (word) => ` and \`${word}\` is a value that the shell fills in`,
  quoted: () => ' and a quoted word follows it',
  path: (word) => ` and \`${word}\` is a path`,
  number: (word) => ` and \`${word}\` is a number`,
  file: (word) => ` and the file \`${word}\` exists here`,
  ref: (word) => ` and \`${word}\` is a branch or tag of this repository`,
  host: (word) => ` and ssh knows the host \`${word}\``,
  container: (word) => ` and the container \`${word}\` exists`,
  operator: (word) => ` and \`${word}\` is an operator of the shell`,
  redirection: (word) => ` with a redirection to or from \`${word}\``,
  subcommand: (word) => ` and \`${word}\` is one of its subcommands`,
  target: (word) => ` and \`${word}\` is a target, script or alias for it`,
};

function formatProse({ name, word }: Extract<Reason, { code: 'prose' }>): string {
  if (name === null) return 'The line starts with no command';
  const reads = word === null ? 'the rest reads' : `\`${word}\` makes the line read`;
  return `\`${name}\` is a command, but ${reads} like a sentence`;
}
