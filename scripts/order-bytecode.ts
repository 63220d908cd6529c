// Writes bench/bytecode.order: the modules and functions that short runs need, in the order in which they need them. The compiler puts
// their bytecode side by side, so that a run maps fewer pages. Most entries outlive a change of the source; run this when memory has grown.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPlace, type Place } from '../bench/place.ts';
import { openPrompt } from '../bench/screen.ts';
import { compile, ORDER_FILE } from './compile.ts';
import { ROOT } from './steps.ts';

/** Entries of modules and functions; those of their texts bring nothing more. */
const KEPT = /^(?:v\d+|[FMN] .+)$/;

const QUESTIONS: readonly string[] = [
  'hello',
  'play=3 pause=20 aish__exec {"command":"echo hi @"}',
  'play=2 pause=20 aish__write_file {"path":"made-@.txt","content":"content @\\n"}',
  'play=2 pause=20 aish__read_file {"path":"made-@.txt"}',
];

/** Runs the program once, and returns what it needed. */
async function runOnce(place: Place, run: (env: Record<string, string>) => Promise<unknown>): Promise<string[]> {
  const out = join(place.root, 'order');
  rmSync(out, { force: true });
  await run({ ...place.env, BUN_BYTECODE_ORDER_OUT: out });
  return readFileSync(out, 'utf8')
    .split('\n')
    .filter((line) => KEPT.test(line));
}

async function main(): Promise<void> {
  const program = join(ROOT, 'dist/unordered/aish');
  mkdirSync(join(ROOT, 'dist/unordered'), { recursive: true });
  if (!compile(program)) process.exit(1);
  const place = await openPlace(program);
  const found: string[][] = [];
  try {
    Bun.spawnSync(['git', 'init', '-q'], { cwd: place.work });
    found.push(
      await runOnce(place, async (env) => {
        const screen = await openPrompt([program], env, place.work);
        screen.write('echo typed\r');
        await screen.until((plain) => /\ntyped\r?\n[^\n]+[>$] /.test(plain), 'the prompt behind its output');
        screen.write('exit\r');
        await screen.ended;
      }),
    );
    for (const question of QUESTIONS)
      found.push(
        await runOnce(place, (env) => {
          const words = [program, '-p', '--approve', 'all', question];
          return Bun.spawn(words, { cwd: place.work, env, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' }).exited;
        }),
      );
  } finally {
    await place.close();
    rmSync(join(ROOT, 'dist/unordered'), { recursive: true, force: true });
  }
  writeFileSync(ORDER_FILE, `${[...new Set(found.flat())].join('\n')}\n`);
}

await main();
