import { expect, test } from 'bun:test';
import { join } from 'node:path';

/** Prints by the process's own output, with standard error read. */
async function printed(body: string): Promise<{ out: string; error: string }> {
  const imports = [
    `import { PROCESS_OUTPUT } from ${JSON.stringify(join(import.meta.dir, '../setup/process-output.ts'))};`,
    `import { TextPrinter } from ${JSON.stringify(join(import.meta.dir, 'print.ts'))};`,
  ];
  const code = [...imports, body].join('\n');
  const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe', stderr: 'pipe' });
  const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { out, error };
}

test('what is told on standard error steers no terminal', async () => {
  const { error } = await printed(`PROCESS_OUTPUT.error('aish: no \\x1b]0;title\\x07server\\n');`);
  expect(error).toBe('aish: no server\n');
});

test('a character or a sequence that two pieces of an answer share comes out whole or not at all', async () => {
  const { out } = await printed(`
    const text = new TextPrinter();
    const smile = '\\u{1f642}';
    for (const piece of ['a' + smile[0], smile[1] + ' \\x1b[3', '1mred\\r', '\\nend']) text.print({ type: 'text.delta', text: piece });
    text.print({ type: 'turn.ended', reason: 'completed' });
  `);
  expect(out).toBe('a\u{1f642} red\nend\n');
});
