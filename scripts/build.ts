// Compiles the program into one executable at dist/aish.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../src/protocol/version.ts';
import { compile } from './compile.ts';
import { ROOT } from './steps.ts';

const out = join(ROOT, 'dist/aish');
if (!compile(out)) process.exit(1);
process.stdout.write(`${out} ${VERSION}: ${(statSync(out).size / 2 ** 20).toFixed(1)} MiB\n`);
