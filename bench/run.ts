// Measures the budgets: `npm run bench -- [--assert] [--write] [--all] [--note TEXT] [ROW…]`. Slow rows are measured with --all or by name.
// AISH_BIN names the program; without it dist/aish, built if a source is newer.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openPlace, type Place } from './place.ts';
import { isFailure, type Measured, misses, type Row } from './row.ts';
import { answer } from './rows/answer.ts';
import { answerBytes } from './rows/answer-bytes.ts';
import { attach } from './rows/attach.ts';
import { besideFish } from './rows/beside-fish.ts';
import { checkpoint } from './rows/checkpoint.ts';
import { commands } from './rows/commands.ts';
import { completion } from './rows/completion.ts';
import { daemon } from './rows/daemon.ts';
import { facts } from './rows/facts.ts';
import { firstRequest } from './rows/first-request.ts';
import { flood } from './rows/flood.ts';
import { halt } from './rows/halt.ts';
import { history } from './rows/history.ts';
import { impact } from './rows/impact.ts';
import { interrupt } from './rows/interrupt.ts';
import { keystroke } from './rows/keystroke.ts';
import { mcp } from './rows/mcp.ts';
import { mcpServer } from './rows/mcp-server.ts';
import { memory } from './rows/memory.ts';
import { modelStream } from './rows/model-stream.ts';
import { nextPrompt } from './rows/next-prompt.ts';
import { output } from './rows/output.ts';
import { prefix } from './rows/prefix.ts';
import { print } from './rows/print.ts';
import { resume } from './rows/resume.ts';
import { routing } from './rows/routing.ts';
import { sessions } from './rows/sessions.ts';
import { sessionsSearch } from './rows/sessions-search.ts';
import { shellCommand } from './rows/shell-command.ts';
import { size } from './rows/size.ts';
import { start } from './rows/start.ts';
import { streaming } from './rows/streaming.ts';
import { toolCall } from './rows/tool-call.ts';
import { typing } from './rows/typing.ts';
import { formatTable } from './table.ts';

const ROOT = join(import.meta.dir, '..');
const ROWS: readonly Row[] = [
  ...[start, attach, print, mcpServer, mcp, toolCall, commands, firstRequest, prefix, facts, memory, answer],
  ...[keystroke, history, typing, completion, besideFish, streaming, answerBytes, modelStream],
  ...[shellCommand, nextPrompt, interrupt, halt, output, flood],
  ...[daemon, sessions, resume, sessionsSearch, checkpoint, impact, routing, size],
];

/** The program to measure, built if a source is newer. */
function findProgram(): string {
  const named = process.env.AISH_BIN;
  if (named !== undefined) return named;
  Bun.spawnSync(['sh', join(ROOT, 'scripts/ensure-build')], { stdout: 'inherit', stderr: 'inherit' });
  return join(ROOT, 'dist/aish');
}

/** Measures one row; a failed measurement is reported and counts as missed. */
async function measureRow(row: Row, place: Place): Promise<readonly Measured[]> {
  process.stderr.write(`measuring ${row.name}\n`);
  try {
    return await row.measure(place);
  } catch (error) {
    process.stderr.write(`${row.name}: ${error instanceof Error ? error.message : String(error)}\n`);
    return [{ what: `${row.name}: not measured`, unit: 'ms', values: [], atMost: 0 }];
  }
}

function formatPage(table: string, lines: readonly Measured[], note: string): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${process.platform} ${process.arch}, Bun ${Bun.version}`;
  const missed = lines.filter((line) => misses(line).length > 0);
  const verdict =
    missed.length === 0 ? 'Every budget is met.' : `Missed: ${missed.map(({ what }) => what).join('; ')}.`;
  const obstacles = missed.flatMap(({ what, obstacle }) =>
    obstacle === undefined ? [] : [`- ${what}: ${obstacle.why}`],
  );
  return [
    '# Benchmarks',
    `Measured by \`npm run bench -- --write\` on ${machine}.${note === '' ? '' : ` ${note}`}`,
    'Floors are measured in the same run, in turn with the program: read the ratios first. Memory is that of all processes together, the shell included, with the program read from disk as after a restart; freshly written, its pages lie in larger pieces in the kernel and 4 to 6 MiB more of them are mapped. A prompt counts as idle when nothing was typed for a second: code that is not at work is given back then, and mapped again with the next key.',
    verdict,
    ...(obstacles.length === 0 ? [] : [obstacles.join('\n')]),
    `${table}\n`,
  ].join('\n\n');
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      assert: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      note: { type: 'string', default: '' },
    },
    allowPositionals: true,
  });
  const chosen = ROWS.filter(({ name, slow = false }) =>
    positionals.length === 0 ? values.all || !slow : positionals.includes(name),
  );
  const place = await openPlace(findProgram());
  const lines: Measured[] = [];
  try {
    for (const row of chosen) lines.push(...(await measureRow(row, place)));
  } finally {
    await place.close();
  }
  const table = formatTable(lines);
  process.stdout.write(`${table}\n`);
  if (values.write) writeFileSync(join(ROOT, 'docs/benchmarks.md'), formatPage(table, lines, values.note));
  return values.assert && lines.some(isFailure) ? 1 : 0;
}

process.exit(await main());
