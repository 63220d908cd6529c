import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './aish.ts';

/** Makes a program that asks as sudo does: on the terminal itself, with the echo off. The answer is the folder to put in front of PATH. */
export function makeFakeSudo(home: Home): string {
  const bin = join(home.root, 'bin');
  mkdirSync(bin);
  const script = `#!/bin/sh
exec </dev/tty >/dev/tty
printf '[sudo] password for tester: '
saved=$(stty -g); stty -echo
read -r password
stty "$saved"; echo; echo "got \${#password}"
`;
  writeFileSync(join(bin, 'sudo'), script);
  chmodSync(join(bin, 'sudo'), 0o755);
  return bin;
}
