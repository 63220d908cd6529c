import { type Argument, literal } from '../argument.ts';
import { find } from '../findings.ts';
import { judgeStarted } from '../grammars/started-code.ts';
import { type GivenWords, isGiven } from '../options.ts';
import { usePath } from '../path-use.ts';
import type { Call, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';
import { judgeEscapes } from './started-words.ts';

/** Editors: what they do is typed, and what they are told by options may go to a shell. */
export const EDITORS: RuleTable = {
  'vi vim nvim ex view gvim vimdiff rvim rview': {
    any: true,
    short: 'c:S:u:U:i:t:T:w:W:',
    long: 'cmd= startuptime=',
    judge: (given, call) => judgeVim(given, call),
  },
  'emacs emacsclient': {
    any: true,
    single: true,
    long: 'eval= -eval= -execute= execute= e= l= -load= load= f= -funcall= funcall= batch -batch Q q nw',
    judge: judgeEmacs,
  },
  'ed red': {
    any: true,
    judge: (_, call) => [find('runs', 'an editor'), ...judgeEscapes(call.input.text ?? '', call)],
  },
  'nano pico micro code subl joe mcedit kak hx helix kate gedit': { any: true, effect: 'runs' },
};

function judgeTexts(texts: readonly Argument[], call: Call): readonly Finding[] {
  return texts.flatMap(({ value, text }) =>
    value === null ? [find('unclear', text)] : [...judgeEscapes(value, call), ...judgeStarted(value, call)],
  );
}

const WRITES = /(?:^|[|:\s])(?:w|wq|sav|saveas|up|x)!?\s+(?!!)(\S+)/;

function judgeVim({ options, operands }: GivenWords, call: Call): readonly Finding[] {
  const typed = options.flatMap(({ name, value }) => ((name === 'c' || name === 'cmd') && value) || []);
  const plus = operands.flatMap((word) => (word.value?.startsWith('+') === true ? [literal(word.value.slice(1))] : []));
  const texts = [...typed, ...plus, ...(call.input.text === null ? [] : [literal(call.input.text)])];
  const written = texts.flatMap(({ value }) => {
    const path = WRITES.exec(value ?? '')?.[1];
    return path === undefined
      ? []
      : usePath(literal(path.replace(/^~(?=\/)/, call.scope.ground.home)), 'replace', call.scope);
  });
  const isScript = isGiven({ options }, 'S', 's', 'u');
  return [find('runs', isScript ? 'a script of an editor' : 'an editor'), ...judgeTexts(texts, call), ...written];
}

function judgeEmacs({ options }: GivenWords, call: Call): readonly Finding[] {
  const code = options.flatMap(({ name, value }) => (/^-?(eval|execute|e)$/.test(name) && value) || []);
  return [find('runs', 'an editor'), ...judgeTexts(code, call)];
}
