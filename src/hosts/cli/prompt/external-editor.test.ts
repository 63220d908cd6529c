import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { KeyTaker } from '../approvals/key-prompt.ts';
import { editExternally } from './external-editor.ts';

/** Runs a shell script as the editor; what it prints is collected, and keys can be sent to it. */
async function edit(
  text: string,
  script: string,
  onOutput: (output: string, keys: KeyTaker) => void = () => {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'editor-'));
  const path = join(folder, 'my editor');
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  let output = '';
  let keys: KeyTaker | null = null;
  try {
    return await editExternally(text, {
      env: { PATH: process.env.PATH, EDITOR: `'${path}' -x` },
      cwd: () => folder,
      size: () => ({ columns: 80, rows: 24 }),
      write: (piece) => {
        output += piece;
        if (keys !== null) onOutput(output, keys);
      },
      lendKeys: (taker) => {
        keys = taker;
        return () => {
          keys = null;
        };
      },
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the editor gets the text in a file of ours alone, and what it saves comes back', async () => {
  const result = await edit('ls -l', 'stat -c %a "$2" >>"$2"; printf "two\\n\\n" >>"$2"');
  expect(result).toBe('ls -l\n600\ntwo\n');
});

test('the editor has the keys and a terminal', async () => {
  let isSent = false;
  const result = await edit('x', 'test -t 0 && printf ready; read -r line; echo "$line" >"$2"', (output, keys) => {
    if (isSent || !output.includes('ready')) return;
    isSent = true;
    keys.feed(Buffer.from('typed\r'));
  });
  expect(result).toBe('typed');
});

test('an editor that fails changes nothing and is told of', async () => {
  await expect(edit('x', 'exit 3')).rejects.toThrow(/ended with status 3; the line is unchanged/);
});

test('the file is gone afterwards', async () => {
  let path = '';
  await edit('x', 'test -f "$2" && printf %s "$2"', (output) => {
    path = output;
  });
  expect(path).toContain('/aish-line-');
  expect(existsSync(dirname(path))).toBe(false);
});

test('the editor is the one the shell exports by now, and has what else it exports', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'editor-'));
  const exportsFile = join(folder, 'exports');
  await writeFile(join(folder, 'mine'), '#!/bin/sh\nprintf %s "$GREETING" >"$1"\n', { mode: 0o755 });
  await writeFile(exportsFile, `declare -x EDITOR="${folder}/mine"\ndeclare -x GREETING="a \\"word\\""\n\0older`);
  try {
    const edited = editExternally('x', {
      env: { PATH: process.env.PATH, EDITOR: 'false' },
      cwd: () => folder,
      shell: { program: '/bin/bash', exportsFile },
      size: () => ({ columns: 80, rows: 24 }),
      write: () => undefined,
      lendKeys: () => () => undefined,
    });
    expect(await edited).toBe('a "word"');
  } finally {
    await rm(folder, { recursive: true });
  }
});
