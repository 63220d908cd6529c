import { expect, test } from 'bun:test';
import { openTerminal } from '../../../../test/support/terminal.ts';
import { useFolder } from '../../../../test/support/test-folder.ts';

const HOME = useFolder('tty');

const PROGRAM = `
  import { openTty } from ${JSON.stringify(`${import.meta.dir}/tty.ts`)};
  const tty = openTty({
    input: (bytes) => {
      const text = new TextDecoder().decode(bytes);
      if (text === 'q') { tty.close(); return; }
      if (text === 'x') throw new Error('a bug');
      tty.write('[' + text + ']');
    },
    resized: () => tty.write('<' + tty.size().columns + 'x' + tty.size().rows + '>'),
    ended: (signal) => { tty.write('ended ' + signal); tty.close(); process.exit(7); },
  });
  tty.setRaw();
  tty.write('ready ');
  tty.start();
`;

function start() {
  // The shell tells the modes after the program has gone.
  const script = '"$0" -e "$1"; code=$?; printf "\\ncode %s " $code; stty -a | grep -o -- "-\\?icanon"';
  const env = { PATH: process.env.PATH ?? '', HOME };
  return openTerminal({
    command: '/bin/sh',
    args: ['-c', script, process.execPath, PROGRAM],
    env,
    columns: 60,
    rows: 10,
  });
}

test('passes on what is typed and leaves the terminal as it was', async () => {
  await using terminal = start();
  await terminal.waitFor('ready');
  terminal.type('a');
  await terminal.waitFor('[a]');
  terminal.press('ctrl-c');
  // The next key may not arrive in one piece with this one.
  await terminal.waitFor('[a][');
  terminal.resize(50, 9);
  await terminal.waitFor('<50x9>');
  terminal.type('q');
  expect(await terminal.waitFor(/code 0 icanon/)).toContain('code 0 icanon');
});

test('leaves the terminal as it was when a bug ends the program', async () => {
  await using terminal = start();
  await terminal.waitFor('ready');
  terminal.type('x');
  expect(await terminal.waitFor(/code \d+ -?icanon/)).toContain('code 1 icanon');
});
