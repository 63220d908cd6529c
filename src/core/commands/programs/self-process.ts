import { joinedRegExp } from '../../text/joined-regexp.ts';
import type { Argument } from '../argument.ts';
import type { OwnFiles } from '../protected-files.ts';
import type { Call } from '../spec.ts';
import { type Effect, effect, type Part } from '../verdict.ts';
import { findSpec } from './find-program.ts';

/*
 * Protects the processes of aish, and prevents acting as the user: signals and debuggers by pid or name, keys sent to aish's own pane,
 * another aish that approves calls, and processes started outside the reach of a halt.
 */

/** The parts of a call that can affect aish. */
export type SelfCall = Pick<Call, 'name' | 'words' | 'input' | 'scope'>;

/** Programs that act on a process given by its pid. */
const BY_NUMBER = joinedRegExp(
  '',
  '^(kill|gdb|lldb|strace|ltrace|perf|gcore|reptyr|prlimit|renice|ionice|taskset|chrt|nsenter|py-spy|rr|bpftrace',
  '|criu|coredumpctl|dd|tail|wait|disown|fuser|gdbserver|pstack|jattach|injcode|cat)$',
);
const SETS = /^(prlimit|ionice|taskset|chrt)$/;
/** Programs that end or change a process given by its name. */
const BY_NAME = /^(pkill|killall|killall5|skill|snice|fuser|pkexec|htop|xkill)$/;
const ATTACHES = /^(gdb|lldb|strace|ltrace|gcore|reptyr|prlimit|renice|ionice|taskset|chrt|nsenter|py-spy|criu|gdbserver|pstack|jattach)$/;

/** Effects of a call on our processes, or in the name of the user. */
export function classifyOwnProcess(call: SelfCall, found: readonly Effect[]): readonly Effect[] {
  const name = call.name.slice(call.name.lastIndexOf('/') + 1);
  // With nothing to set, these only show the state of a process.
  if (found.length === 0 && SETS.test(name)) return [];
  const why = whyOwn(name, call);
  return why === null ? [] : [effect('self', why)];
}

function whyOwn(name: string, call: SelfCall): string | null {
  const { words } = call;
  if (BY_NUMBER.test(name) && name !== 'cat' && name !== 'tail' && name !== 'dd' && words.some((word) => isOwnNumber(word, call)))
    return `${name} acts on its process`;
  if (endsAll(name, call)) return `${name} acts on its process`;
  if (name === 'kill' && words.some((word) => findsByName(word, call))) return 'kill acts on its process';
  if (ATTACHES.test(name) && words.some((word) => findsByName(word, call))) return `${name} acts on its process`;
  if (BY_NAME.test(name) && words.some((word) => isOwnName(word, call))) return `${name} acts on its process`;
  if (name === 'pkill' && matchesUs(call)) return `${name} acts on its process`;
  if (name === 'systemd-run' || name === 'systemd-inhibit') return 'what is started so is out of its reach';
  if (hidesMark(name, words)) return 'hides what it starts';
  if (isSessionServer(name, words)) return 'takes its place';
  if (typesKeys(name, call)) return 'types keys as if the user did';
  if (startsAish(name, words)) return 'starts it again';
  if (replacesAish(name, words)) return 'replaces its program';
  return injects(name, call) ? 'types keys as if the user did' : null;
}

/** `$PPID` is aish, seen from its shell, and `$AISH` its pid. A negative number is a process group. */
function isOwnNumber({ text, value }: Argument, { scope }: SelfCall): boolean {
  if (/\$\{?(PPID|AISH)\b|\$\(\((?:[^)$]|\$(?!\(\())*\b(PPID|AISH)\b/.test(text) || /^-?-?p?\$\$$/.test(text.replace(/["']/g, '')))
    return true;
  const number = /^(?:-|--pid=|-p|-t)?(\d+)$/.exec(value ?? '')?.[1];
  return number !== undefined && scope.context.ours?.pids.includes(Number(number)) === true;
}

/** A search for the processes of aish in a substitution. */
const LOOKS_FOR_AISH = joinedRegExp(
  's',
  String.raw`(\$\(|\x60|<\()(?:[^)\x60$<]|[$<](?!\())*\b(pgrep|pidof|ps|lsof|fuser|cat)\b(?:(?!\b(?:pgrep|pidof|ps|lsof`,
  String.raw`|fuser|cat)\b)[^)\x60])*(\baish\b|aish\.sock|PPID)`,
);

/** `$(pgrep aish)` and other searches for a process by our name. */
function findsByName({ text }: Argument, { scope }: SelfCall): boolean {
  const asked = /(?:\$\(|`|<\()(?:[^)`$<]|[$<](?!\())*\b(?:pgrep|pidof|lsof)\b([^)`]*)/s.exec(text)?.[1] ?? '';
  const names = scope.context.ours?.names ?? [];
  if (asked.split(/[\s"'^$|]+/).some((word) => names.includes(word))) return true;
  if (/\bps\b(?:(?!\bps\b)[^)`])*\bppid\b(?:(?!\bppid\b)[^)`])*\$\$|\/proc\/(?:self|\$\$|\$\{?BASHPID\}?)\/(?:stat|status)\b/s.test(text))
    return true;
  return LOOKS_FOR_AISH.test(text);
}

/** A pattern is matched against the name, or the whole command line. */
function isOwnName({ text, value }: Argument, { scope }: SelfCall): boolean {
  const word = value ?? text;
  if (word.startsWith('-')) return false;
  if (scope.context.ours?.names?.includes(word.slice(word.lastIndexOf('/') + 1)) === true) return true;
  return /(^|[^\w.-])\^?\[?a\]?ish(?![\w-]*\.\w)(\b|$)/i.test(word) || word === 'ais' || word === 'aish';
}

/** pkill takes a pattern; with `-f` it searches the whole command line, which contains our program. */
function matchesUs({ words, scope }: SelfCall): boolean {
  const flags = words.flatMap(({ value }) => (value?.startsWith('-') ? [value] : []));
  const isExact = flags.some((flag) => /^-[a-z]*x|^--exact$/.test(flag));
  const isFull = flags.some((flag) => /^-[a-z]*f|^--full$/.test(flag));
  const names = ['aish', ...(scope.context.ours?.names ?? []), ...(isFull && !isExact ? (scope.context.ours?.program ?? []) : [])];
  return words.some(({ value }) => {
    if (value === null || value === '' || value.startsWith('-') || value.length > LONGEST_PATTERN) return false;
    try {
      const pattern = new RegExp(isExact ? `^(?:${value})$` : value);
      return names.some((name) => pattern.test(name));
    } catch {
      return false;
    }
  });
}

/** A longer pattern is no program name, and may be made to match slowly. */
const LONGEST_PATTERN = 64;

/** `pgrep aish | xargs kill`: one command of a line finds us, and another ends the processes it receives. */
export function findsAndEnds(parts: readonly Part[], text: string, own: Pick<OwnFiles, 'pids' | 'names'>): boolean {
  const { pids, names = [] } = own;
  const namesUs = (word: string | null) => word !== null && (/\baish\b/.test(word) || names.includes(word));
  const isHandedOn = parts.some(({ words: [name, ...rest] }) => name === 'kill' && rest.some(isUntold));
  const isFed = parts.some(({ words }) => words.some((word) => ENDS.has(word ?? '')) && words.some(feedsCommand));
  if (!isHandedOn && !isFed) return false;
  if (/\bPPID\b/.test(text)) return true;
  if (isFed && pids.some((pid) => new RegExp(`(?<![\\w.])${pid}(?![\\w.])`).test(text))) return true;
  const finds = parts.some(({ words: [name, ...rest] }) => /^(pgrep|pidof|ps)$/.test(name ?? '') && rest.some(namesUs));
  const looks = parts.some(({ words: [name, ...rest] }) => LOOKS.test(name ?? '') && rest.some(namesUs));
  const walks = /\/proc\b/.test(text) || parts.some(({ words }) => words[0] === 'ps');
  return finds || (looks && walks);
}

/** Programs that end or stop a process given to them. */
const ENDS: ReadonlySet<string> = new Set(['kill', 'gdb', 'strace']);

/** Whether a program appends its input to the words of a command: xargs, parallel. */
export function feedsCommand(name: string | null | undefined): boolean {
  return findSpec(name ?? '')?.inner?.feeds === true;
}

const LOOKS = /^(?:[ef]?grep|rg|[gmn]?awk|sed)$/;

/** An unknown word, or a pattern. */
function isUntold(word: string | null): boolean {
  return word === null || /[*?[]/.test(word);
}

const TYPING: Readonly<Record<string, RegExp>> = {
  tmux: joinedRegExp(
    '',
    '^(detach-client|detach|suspend-client|suspendc|swap-pane|swapp|join-pane|joinp|move-pane|movep|break-pane',
    '|breakp|send-keys|send|send-prefix|paste-buffer|pasteb|pipe-pane|pipep|respawn-pane|respawnp|respawn-window',
    '|respawnw|kill-pane|killp|kill-window|killw|kill-session|kill-server|run-shell|run|if-shell|set-hook',
    '|command-prompt|confirm-before|bind-key|bind|source-file|source)$',
  ),
  screen: /^(stuff|quit|paste|exec|kill|at|process|readbuf|eval)$/,
  zellij: /^(write|write-chars|paste|kill-session|kill-all-sessions)$/,
  kitty: /^send-(text|key)$/,
  kitten: /^send-(text|key)$/,
  wezterm: /^(send-text|kill-pane)$/,
  xdotool: /^(type|key|keydown|keyup)$/,
  ydotool: /^(type|key)$/,
  wtype: /./,
  dotool: /^/,
  xte: /./,
};

/** Keys sent to another, named pane of tmux need only an approval. */
function typesKeys(name: string, { words, scope }: SelfCall): boolean {
  const typing = TYPING[name];
  if (typing === undefined) return false;
  const values = words.map(({ value }) => value ?? '');
  if (!values.some((value) => typing.test(value)) && !(name === 'dotool' && values.length === 0)) return false;
  if (name !== 'tmux' || values.includes('kill-server')) return true;
  const target = values[values.indexOf('-t') + 1] ?? '';
  const { pane } = scope.context.ours ?? {};
  return !(values.includes('-t') && /^%\d+$/.test(target) && target !== pane);
}

/** Programs that start another program in its own terminal or a different environment. */
const LAUNCHES = joinedRegExp(
  '',
  '^(tmux|screen|zellij|script|expect|konsole|gnome-terminal|xterm|alacritty|foot|wezterm|kitty|cgexec|rr',
  '|firejail|flatpak-spawn|distrobox|dbus-run-session|dbus-launch|machinectl|entr|fakeroot|proot|faketime|deno)$',
);

/** Through any program that runs packages. */
function startsAish(name: string, words: readonly Argument[]): boolean {
  if (LAUNCHES.test(name)) {
    const line = words.map(({ value, text }) => value ?? text).join(' ');
    return /(^|[/;&|:\s])aish\s+(?!--(?:version|help)\b)\S/.test(line);
  }
  if (!/^(npx|bunx|pnpx|uvx|npm|pnpm|yarn|bun)$/.test(name)) return false;
  const values = words.map(({ value }) => value ?? '').filter((value) => !value.startsWith('-'));
  const [first = '', second = ''] = values;
  const isRun = ['exec', 'x', 'dlx'].includes(first);
  const started = /^(npx|bunx|pnpx|uvx)$/.test(name) ? first : isRun ? second : '';
  return /^aish(@.*)?$/.test(started);
}

/** System package managers, which have one program per name. */
const SYSTEM_PACKAGES = /^(brew|apt|apt-get|aptitude|dnf|yum|pacman|zypper|dpkg|rpm|snap|port|apk|nix-env|pipx|volta|mise|asdf|flatpak)$/;
const SHOWS = /^(list|ls|info|show|search|view|status|why|outdated|home|deps|uses|cat|policy|-[lsL]|-Q\w*|-q\w*)$/;

/** Installs another aish in place of this one, or removes it. */
function replacesAish(name: string, words: readonly Argument[]): boolean {
  const values = words.map(({ value }) => value ?? '');
  const isFile = values.some((value) => /(^|\/)aish[_-][\w.+~-]*\.(deb|rpm|apk|pkg\.tar\.\w+)$/.test(value));
  if (isFile && SYSTEM_PACKAGES.test(name)) return true;
  if (!values.some((value) => /^aish(@.*)?$/.test(value)) || values.some((value) => SHOWS.test(value))) return false;
  if (SYSTEM_PACKAGES.test(name)) return true;
  return (
    /^(npm|pnpm|yarn|bun)$/.test(name) && values.some((value) => /^(-[^\Wg]*g\w*|--global|--location=global|global|link)$/.test(value))
  );
}

/** A system call that inserts characters into the input of a terminal. */
function injects(name: string, { words, input }: SelfCall): boolean {
  if (/^(git|echo|printf|grep|rg|cat|less|man)$/.test(name)) return false;
  return [...words.map((word) => word.value ?? word.text), input.text ?? ''].some((text) =>
    /\bTIOCSTI\b|\b0x5412\b|ioctl\((?:(?!ioctl\()[^)])*\b21522\b/i.test(text),
  );
}

/** The process group of the shell, all processes, or all on our terminal. */
function endsAll(name: string, call: SelfCall): boolean {
  const { words, scope } = call;
  const values = words.map(({ value }) => value ?? '');
  const behind = (option: RegExp): readonly string[] => values.filter((_, at) => option.test(values[at - 1] ?? ''));
  if (name === 'killall5') return true;
  if (name === 'kill') return values.some((value, at) => value === '0' && !/^-(s|n|-signal)$/.test(values[at - 1] ?? ''));
  if (!/^(pkill|skill)$/.test(name)) return false;
  const { paths = [], pids = [] } = scope.context.ours ?? {};
  const isOurs = (terminal: string): boolean => paths.includes(`/dev/${terminal}`);
  return (
    behind(/^(-t|--terminal)$/).some(isOurs) ||
    behind(/^(-P|--parent)$/).some((pid) => pids.includes(Number(pid))) ||
    words.some((word, at) => /^(-P|-g|-s|--parent|--pgroup|--session)$/.test(values[at - 1] ?? '') && isOwnNumber(word, call)) ||
    words.some(({ text }) => /^(-[Pgs]|--(parent|pgroup|session)=)["']?\$\{?(PPID|AISH)\b/.test(text))
  );
}

/** A halt finds processes by a mark in their environment. */
function hidesMark(name: string, words: readonly Argument[]): boolean {
  const values = words.map(({ value }) => value ?? '');
  if (name === 'unset') return values.includes('AISH');
  return name === 'env' && /(?:^| )(?:-\w*u ?|--unset[= ])AISH(?: |$)/.test(values.join(' '));
}

/** Programs that start or end processes, or type text, on receiving a message. */
function isSessionServer(name: string, words: readonly Argument[]): boolean {
  const line = words.map(({ value, text }) => value ?? text).join(' ');
  if (/^(qdbus\w*|qdbus-qt\d|dbus-send|gdbus|busctl)$/.test(name))
    return /sendText|runCommand|StartTransientUnit|org\.gnome\.Terminal|KillUnit|StopUnit/.test(line);
  if (name === 'osascript') return /keystroke|key code|do script|write text/i.test(line);
  if (/^(xvkbd|evemu-play|evemu-event)$/.test(name)) return line !== '';
  if (name === 'systemctl') return /\b(stop|kill|restart|disable|mask)\b.*\baish\b/.test(line);
  if (name === 'launchctl') return /\b(unload|bootout|kill|stop|remove|disable)\b.*\baish\b/.test(line);
  if (name === 'lldb') return /(^| )(-n|--attach-name)[ =]aish\b/.test(line);
  return /^(gdb|lldb)$/.test(name) && /\battach\s+(?!\s)(?:(?!\battach\s).)*\baish\b/.test(line);
}
