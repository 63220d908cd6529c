import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HistoryFile } from './history-file.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'aish-history-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const entry = (line: string) => ({ line, at: 1, cwd: '/', route: 'command' });

describe('HistoryFile', () => {
  test('terminals share what they append', () => {
    const path = join(directory, 'deep', 'history.jsonl');
    const one = new HistoryFile(path);
    const other = new HistoryFile(path);
    one.add(entry('first'));
    other.add(entry('second\nline'));
    one.refresh();
    expect([one.lines(), other.lines()]).toEqual([
      ['first', 'second\nline'],
      ['first', 'second\nline'],
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a file that others could read is closed to them', () => {
    const path = join(directory, 'h');
    writeFileSync(path, '', { mode: 0o644 });
    new HistoryFile(path).lines();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a torn tail costs only the torn line', () => {
    const path = join(directory, 'h');
    writeFileSync(path, `${JSON.stringify(entry('a'))}\nnot json\n{"line":"torn`);
    const history = new HistoryFile(path);
    history.add(entry('b'));
    expect([history.lines(), new HistoryFile(path).lines()]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  test('keeps neither repetitions nor lines with a leading blank nor secrets', () => {
    const history = new HistoryFile(join(directory, 'h'));
    for (const line of ['ls', 'ls', ' hidden', 'export GITHUB_TOKEN=abc', '', 'ls']) history.add(entry(line));
    expect(readFileSync(join(directory, 'h'), 'utf8')).toBe(`${JSON.stringify(entry('ls'))}\n`);
  });

  test('shows the last five thousand lines or a few more', () => {
    const path = join(directory, 'h');
    appendFileSync(path, Array.from({ length: 20_000 }, (_, at) => `${JSON.stringify(entry(`l${at}`))}\n`).join(''));
    const lines = new HistoryFile(path).lines();
    expect([lines.at(-1), lines.length >= 5000 && lines.length <= 6000]).toEqual(['l19999', true]);
  });

  test('lives in memory where the file cannot be had', () => {
    const history = new HistoryFile('/dev/null/nowhere');
    history.add(entry('ls'));
    expect(history.lines()).toEqual(['ls']);
  });
});
