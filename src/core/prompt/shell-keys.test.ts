import { expect, test } from 'bun:test';
import { ReadlineKeys, readZleKeys } from './shell-keys.ts';

/** The bindings from a file and calls of `bind`, as sequence and target. */
function readline(file: string, ...calls: readonly (readonly string[])[]) {
  const keys = new ReadlineKeys((path) => (path === '~/more' ? '"\\C-n": next-history\n' : null));
  keys.takeFile(file);
  for (const call of calls) keys.takeCall(call);
  return keys.keys;
}

function pairs({ bindings }: ReturnType<typeof readline>): readonly string[] {
  return bindings.map(
    ({ sequence, to }) => `${JSON.stringify(sequence)} ${to.type === 'text' ? JSON.stringify(to.text) : `${to.type}:${to.name}`}`,
  );
}

test('an inputrc binds quoted sequences and names of keys', () => {
  const file = String.raw`# a comment
"\e[1;5D": backward-word
"\C-x\C-w": kill-region
"\M-g": "git status\n"
Control-u: kill-whole-line
Meta-Rubout: backward-kill-word
set bell-style none
$include ~/more
`;
  expect(pairs(readline(file))).toEqual([
    '"\\u001b[1;5D" function:backward-word',
    '"\\u0018\\u0017" function:kill-region',
    '"\\u001bg" "git status\\n"',
    '"\\u0015" function:kill-whole-line',
    '"\\u001b" function:backward-kill-word'.replace('\\u001b', '\\u001b\u007f'),
    '"\\u000e" function:next-history',
  ]);
});

test('conditions of an inputrc hold for bash and for the mode', () => {
  const file =
    'set editing-mode vi\n$if Bash\n"\\C-a": one\n$else\n"\\C-b": two\n$endif\n' +
    '$if mode=emacs\n"\\C-c": three\n$endif\n$if term=rxvt\n"\\C-d": four\n$endif\n';
  expect([readline(file).isVi, pairs(readline(file))]).toEqual([true, ['"\\u0001" function:one']]);
  expect(pairs(readline('set keymap vi-command\n"gg": beginning-of-history\n'))).toEqual([]);
});

test('calls of bind are read like lines, with their options', () => {
  const keys = readline(
    '"\\C-g": abort\n',
    ['"\\C-l": clear-screen'],
    ['-x', '"\\C-t": fzf-file-widget --all'],
    ['-m', 'vi-command', '"\\C-z": undo'],
    ['-r', '\\C-g'],
    ['-p'],
    ['set editing-mode vi'],
  );
  expect([keys.isVi, ...pairs(keys)]).toEqual([true, '"\\f" function:clear-screen', '"\\u0014" command:fzf-file-widget']);
});

test("only what differs from zsh's own keys was bound by a startup file", () => {
  const usual = 'bindkey "^A" beginning-of-line\nbindkey "^Xg" list-expand\nbindkey -A emacs main\n';
  const more = 'bindkey -s "^[q" "git \\"x\\"^J"\n';
  const text = `${usual.replace('list-expand', 'my-widget')}${more}bindkey "^[[1;5C" forward-word\nbindkey "\\M-b" backward-word\n`;
  expect(readZleKeys(text, usual)).toEqual({
    isVi: false,
    bindings: [
      { sequence: '\x18g', to: { type: 'function', name: 'my-widget' } },
      { sequence: '\x1bq', to: { type: 'text', text: 'git "x"\n' } },
      { sequence: '\x1b[1;5C', to: { type: 'function', name: 'forward-word' } },
      { sequence: '\x1bb', to: { type: 'function', name: 'backward-word' } },
    ],
  });
  expect(readZleKeys('bindkey -A viins main\n', '').isVi).toBe(true);
});
