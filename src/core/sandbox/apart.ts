import type { Judgement, Part } from '../gate/verdict.ts';
import { eachChild, parseShell, type SyntaxNode } from '../shell-syntax/syntax.ts';
import { isKeptVariable } from './environment.ts';
import type { SandboxPlace } from './sandbox-plan.ts';

/** Commands that read or change the shell they run in. */
const OF_THE_SHELL: ReadonlySet<string> = new Set([
  ...[
    'alias',
    'unalias',
    'bind',
    'bg',
    'caller',
    'compgen',
    'complete',
    'compopt',
    'declare',
    'dirs',
    'disown',
    'enable',
  ],
  ...[
    'exec',
    'exit',
    'export',
    'fc',
    'fg',
    'hash',
    'history',
    'jobs',
    'local',
    'logout',
    'readonly',
    'set',
    'shopt',
    'source',
  ],
  ...['suspend', 'times', 'trap', 'type', 'typeset', 'ulimit', 'umask', 'unset', 'wait', '.', 'popd', 'pushd'],
]);

/** Programs that would tell of the sandbox instead of the machine: its processes, its network, its mounts, its environment. */
const OF_THE_MACHINE: ReadonlySet<string> = new Set([
  ...['arp', 'blkid', 'crontab', 'df', 'dmesg', 'docker', 'findmnt', 'free', 'fuser', 'groups', 'hostnamectl', 'htop'],
  ...[
    'id',
    'ifconfig',
    'ip',
    'ipcs',
    'journalctl',
    'kubectl',
    'last',
    'lastlog',
    'logname',
    'loginctl',
    'lsblk',
    'lsns',
    'lsof',
  ],
  ...[
    'mount',
    'mountpoint',
    'netstat',
    'nmcli',
    'pgrep',
    'pidof',
    'podman',
    'printenv',
    'ps',
    'pstree',
    'resolvectl',
    'route',
  ],
  ...['screen', 'service', 'ss', 'stty', 'systemctl', 'tmux', 'top', 'tty', 'uptime', 'users', 'vmstat', 'w', 'who'],
]);

/** Folders that are others in there. */
const OTHER_FOLDERS = /(?:^|[^\w./-])\/(?:tmp|var\/tmp|run|var\/run|dev|proc|sys)(?![\w.-])/;
const PASSING = /^\/(?:tmp|var\/tmp|run|var\/run)(?:\/|$)/;
const HARMLESS_DEVICE = /\/dev\/(?:null|zero|stdin|stdout|stderr)\b/g;

/** Variables that any shell has, with a value of its own or of the line. */
const OF_ANY_SHELL =
  /^(?:[?#@*1-9]|IFS|LINENO|PWD|RANDOM|SECONDS|UID|EUID|REPLY|PIPESTATUS|BASH_REMATCH|HOSTNAME|OSTYPE)$/;

/**
 * Why a command that only looks would not come to the same apart from the person's shell; null where it would. It is for commands
 * that the gate lets run unasked: what is missed here makes an answer wrong, and harms nothing.
 */
export function whyNotApart(text: string, judgement: Judgement, place: SandboxPlace): string | null {
  const names = judgement.parts.flatMap(({ words }) => words.slice(0, 1));
  if (names.length === 0) return 'it changes nothing but the shell itself';
  if (names.at(-1) === 'cd' || names.some((name) => name !== null && OF_THE_SHELL.has(name)))
    return 'it reads or changes the shell itself';
  if (names.some((name) => name !== null && OF_THE_MACHINE.has(name.slice(name.lastIndexOf('/') + 1))))
    return 'it asks about the machine, of which a sandbox shows another';
  const endless = judgement.parts.find(goesOn);
  if (endless !== undefined) return `${endless.words[0]} goes on until it is stopped`;
  const rest = [place.project, place.home].reduce((left, folder) => left.replaceAll(folder, 'x'), text);
  if (OTHER_FOLDERS.test(rest.replace(HARMLESS_DEVICE, '')))
    return 'it looks into folders that a sandbox has of its own';
  if ([place.cwd, place.project].some((path) => PASSING.test(path)) && /\.\.(?:\/|\s|$)/.test(text))
    return 'it looks beyond the project, where a sandbox has folders of its own';
  const variable = variablesOf(text).find((name) => !isKnown(name, text));
  return variable === undefined ? null : `it uses the variable ${variable} of the shell`;
}

/** Programs that go on for ever, or may, by the option that makes them. */
const FOLLOWS: readonly (readonly [program: RegExp, option: RegExp | null])[] = [
  [/^tail$/, /^(-[a-zA-Z0-9]*[fF][a-zA-Z0-9]*|--follow(=.*)?|--retry)$/],
  [/^(?:journalctl|dmesg)$/, /^(-[a-zA-Z]*[fwW][a-zA-Z]*|--follow(-new)?)$/],
  [/^watch$/, null],
  [/^less$/, /^\+F$/],
  [/^sleep$/, /^inf(inity)?$/],
  [/^(?:iostat|mpstat|pidstat|sar|vmstat)$/, /^\d+$/],
];

/** A command that ends by nothing of its own. `timeout` ends it, and so does `yes` whoever reads it and has enough. */
function goesOn({ words: [name, ...words] }: Part, at: number, parts: readonly Part[]): boolean {
  if (name === null || name === undefined) return false;
  if (parts.some(({ words: [program] }) => program === 'timeout')) return false;
  const base = name.slice(name.lastIndexOf('/') + 1);
  if (base === 'yes') return parts.slice(at + 1).every(({ words: [program] }) => program !== 'head');
  return FOLLOWS.some(
    ([program, option]) => program.test(base) && (option === null || words.some((word) => option.test(word ?? ''))),
  );
}

function isKnown(name: string, text: string): boolean {
  if (OF_ANY_SHELL.test(name) || isKeptVariable(name)) return true;
  return new RegExp(
    `(?:^|[^\\w$])(?:${name}\\+?=|for\\s+${name}\\b|(?:read|mapfile|readarray)\\b[^;|&\\n]*\\b${name}\\b)`,
  ).test(text);
}

/** The variables whose value a text takes, substitutions included. */
function variablesOf(text: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'SimpleExpansion') found.push(node.text.slice(1));
    else if (node.type === 'ParameterExpansion') found.push(node.parameter);
    eachChild(node, visit);
  };
  for (const statement of parseShell(text).commands) visit(statement);
  return found;
}
