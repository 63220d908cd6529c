import { expect, test } from 'bun:test';
import { inForeground, openTestShell, type TestShell } from '../../../../test/support/test-shell.ts';

function open(zshrc: string): TestShell {
  return openTestShell('zsh', { files: { '.zshrc': zshrc }, renderPrompt: true });
}

/** Settles when the newest prompt that zsh made while it waited is that text. */
function shows(t: TestShell, prompt: string): Promise<void> {
  return t.until(() => t.prompts.at(-1) === prompt);
}

/** A hook of the prompt has another process work out a part of it, and a handler takes the answer over. */
const ASYNC = `setopt prompt_subst
PROMPT='<$part> '
_take() {
  emulate -L zsh
  local own=$1
  [[ -z $2 ]] && read -r -u $own part
  zle -F $own
  exec {own}<&-
  zle && zle .reset-prompt && zle -R
}
_ask() {
  part="wait $options[zle]"
  exec {fd}< <(print -r -- \${PWD:t})
  zle -F $fd _take
}
precmd_functions+=(_ask)
`;

test('a handler makes another prompt while zsh waits, and lines run as they do without', async () => {
  await using t = open(ASYNC);
  await t.run('mkdir -p sub/deep; cd sub');
  await t.ready();
  await shows(t, '<sub> ');
  await t.run('cd deep');
  await t.ready();
  await shows(t, '<deep> ');
  const { output, exit } = await t.run(
    'echo "$options[zle] ${(t)CURSOR}$+functions[zle] $PROMPT $precmd_functions[-2]"; false',
  );
  expect([exit, output]).toEqual([1, 'off 0 <$part>  _ask\n']);
  expect([t.outside(), t.troubles]).toEqual(['', []]);
});

test('Ctrl-C in a hook of the prompt brings a prompt without the line editor', async () => {
  await using t = open(
    'slow() { [[ $options[zle] == on && -e slow ]] && { rm slow; sleep 60 } }\nprecmd_functions+=(slow)\n',
  );
  await t.run('touch slow');
  await inForeground(t.shell, 'sleep');
  t.shell.interrupt();
  expect((await t.run('echo $+functions[TRAPINT]')).output).toBe('0\n');
  expect(t.outside()).not.toContain('\x1b');
  expect(t.troubles).toEqual([]);
});

test('zle-line-init may set the prompt, and what it sets after the line was edited is none', async () => {
  const transient = `n=0
zle-line-init() {
  PROMPT="$WIDGET $KEYMAP [$BUFFER] $((++n))> "
  print -n '\\e[5 q'
  zle reset-prompt
  zle .recursive-edit
  PROMPT='short '
  zle .reset-prompt
  zle .accept-line
}
zle -N zle-line-init
`;
  await using t = open(transient);
  await t.ready();
  expect(t.shell.report.prompt).toBe('zle-line-init main [] 1> ');
  expect((await t.run('echo on')).output).toBe('on\n');
  await t.ready();
  expect(t.shell.report.prompt).toBe('zle-line-init main [] 2> ');
  expect(t.outside()).toBe('');
});

test('widgets call each other, and an error in one ends nothing', async () => {
  const widgets = `zle-line-init() { zle both -- one; PROMPT+=', two'; : \${nothing:?}; PROMPT=never }
both() { PROMPT="$WIDGET $1" }
zle -N zle-line-init; zle -N both
`;
  await using t = open(widgets);
  await t.ready();
  expect(t.shell.report.prompt).toBe('both one, two');
  expect([t.outside(), t.troubles]).toEqual(['', []]);
});

test("a signal's trap makes another prompt", async () => {
  await using t = open("PROMPT='one '\nTRAPUSR1() { PROMPT='two '; zle && zle reset-prompt }\n");
  await t.ready();
  process.kill(t.shell.pid, 'SIGUSR1');
  await shows(t, 'two ');
  expect((await t.run('echo $PROMPT')).output).toBe('two \n');
});

test('a handler that reads nothing is told so, and is taken away', async () => {
  await using t = open('deaf() { PROMPT="$2 "; zle reset-prompt }\nexec {fd}</dev/null\nzle -F $fd deaf\n');
  await t.ready();
  await shows(t, 'hup ');
  expect((await t.run('zle -FL')).output).toBe('');
});
