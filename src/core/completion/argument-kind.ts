/** What an argument names, where the command alone tells. */
export type ArgumentKind =
  | 'file'
  | 'folder'
  | 'process'
  | 'process-name'
  | 'signal'
  | 'job'
  | 'host'
  | 'remote-path'
  | 'user'
  | 'variable'
  | 'command'
  | 'alias'
  | 'function'
  | 'nothing';

const BY_COMMAND: Readonly<Record<string, readonly ArgumentKind[]>> = table({
  folder: 'cd chdir pushd rmdir mkdir',
  'process-name': 'pkill killall pgrep pidof',
  job: 'fg bg disown wait',
  host: 'ssh sftp mosh ping ping4 ping6 traceroute tracepath mtr telnet nc host dig nslookup ssh-copy-id ssh-keyscan',
  user: 'su id passwd finger usermod userdel',
  variable: 'export unset declare typeset local readonly printenv',
  command: 'which type whence where whatis hash rehash',
  alias: 'alias unalias',
  function: 'unfunction',
  file:
    'cat tac less more head tail bat vi vim nvim nano emacs cp mv rm ln touch stat file wc sort uniq diff cmp du ls ll la tee ' +
    'source . open xdg-open md5sum sha256sum sha1sum realpath readlink basename dirname',
});

/** Options whose value is of a kind, for commands whose operands are another command's matter. */
const BY_OPTION: Readonly<Record<string, ArgumentKind>> = {
  'sudo -u': 'user',
  'doas -u': 'user',
  'kill -s': 'signal',
  'pkill -u': 'user',
  'ps -u': 'user',
  'unset -f': 'function',
  'ssh -i': 'file',
  'ssh -F': 'file',
  'scp -i': 'file',
};

/** Letters of the options of ssh that take a word of their own. */
const SSH_VALUES = 'BbcDEeFIiJLlmOopQRSWw';

/**
 * What the word at the cursor names, by the words of the command before it. Null where only the person's shell knows.
 */
export function findArgumentKinds(words: readonly string[], typed: string): readonly ArgumentKind[] | null {
  const [command = '', ...rest] = words;
  const name = command.slice(command.lastIndexOf('/') + 1);
  const last = rest.at(-1) ?? '';
  const byOption = BY_OPTION[`${name} ${last}`];
  if (byOption !== undefined) return [byOption];
  if (name === 'kill') return killKinds(typed);
  if (name === 'scp' || name === 'rsync') return typed.startsWith('-') ? null : ['remote-path', 'file'];
  if (typed.startsWith('-') && !rest.includes('--')) return null;
  const kinds = Object.hasOwn(BY_COMMAND, name) ? (BY_COMMAND[name] ?? null) : null;
  return kinds?.[0] === 'host' ? hostKinds(name, rest) : kinds;
}

function killKinds(typed: string): readonly ArgumentKind[] {
  if (typed.startsWith('-')) return ['signal'];
  return typed.startsWith('%') ? ['job'] : ['process'];
}

/** The first operand of ssh is the host; what comes behind it is a command there. */
function hostKinds(name: string, rest: readonly string[]): readonly ArgumentKind[] | null {
  const last = rest.at(-1) ?? '';
  if (/^-[A-Za-z]$/.test(last) && SSH_VALUES.includes(last.charAt(1)) && name === 'ssh') return null;
  if (name !== 'ssh') return ['host'];
  const operands = rest.filter((word, at) => {
    const before = rest[at - 1] ?? '';
    return !word.startsWith('-') && !(/^-[A-Za-z]$/.test(before) && SSH_VALUES.includes(before.charAt(1)));
  });
  return operands.length === 0 ? ['host'] : ['nothing'];
}

function table(rows: Partial<Record<ArgumentKind, string>>): Readonly<Record<string, readonly ArgumentKind[]>> {
  const kinds: Record<string, ArgumentKind[]> = {};
  for (const [kind, names] of Object.entries(rows)) {
    for (const name of names.split(' ')) kinds[name] = [kind as ArgumentKind];
  }
  return kinds;
}
