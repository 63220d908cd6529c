import { expect, test } from 'bun:test';
import { COMMANDS_FOLLOW, readReadlineKeys, readZleKeys } from './shell-keys.ts';

test("only what differs from readline's own keys was bound by a startup file", () => {
  const usual = '"\\C-a": beginning-of-line\n# kill-whole-line (not bound)\n"a": self-insert\n';
  const bound = '"\\e[1;5D": backward-word\n"\\C-x\\C-w": kill-region\n"\\M-g": "git \\"x\\"\\n"\n';
  const own = `${usual}${bound}${COMMANDS_FOLLOW}\n"\\C-t": "fzf-file-widget --all"\n`;
  expect(readReadlineKeys(`${own}set editing-mode emacs\n`, usual)).toEqual({
    isVi: false,
    bindings: [
      { sequence: '\x1b[1;5D', to: { type: 'function', name: 'backward-word' } },
      { sequence: '\x18\x17', to: { type: 'function', name: 'kill-region' } },
      { sequence: '\x1bg', to: { type: 'text', text: 'git "x"\n' } },
      { sequence: '\x14', to: { type: 'command', name: 'fzf-file-widget' } },
    ],
  });
  expect(readReadlineKeys('set editing-mode vi\n', '').isVi).toBe(true);
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
