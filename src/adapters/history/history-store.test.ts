import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HistoryEntry, HistoryStore, type NewLine, type StoreLimits } from './history-store.ts';

let directory = '';
let path = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'aish-history-'));
  path = join(directory, 'deep', 'history.jsonl');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A terminal: the store, and its notices as `number line exit`. */
class AttachedTerminal {
  readonly store: HistoryStore;
  told: { readonly number: number; readonly line: string; readonly id: string; exit: number | null }[] = [];
  clears = 0;

  constructor(at: string | null = path, limits: Partial<StoreLimits> = {}) {
    this.store = new HistoryStore(at, {
      limits: { maxLines: 100, duplicates: 'ignore', ...limits },
      sink: {
        clear: () => {
          this.told = [];
          this.clears++;
        },
        add: ({ number, line, id, exit }) => void this.told.push({ number, line, id, exit }),
        end: ({ id, exit }) => {
          for (const one of this.told) if (one.id === id) one.exit = exit;
        },
      },
    });
  }

  type(line: string, more: Partial<NewLine> = {}): string {
    const id = `${line}-${this.told.length}`;
    this.store.begin({ id, line, at: 1, cwd: '/', route: 'command', who: 'user', session: 's', ...more });
    return id;
  }

  get lines(): readonly string[] {
    return this.told.map(({ number, line, exit }) => `${number} ${line}${exit === null ? '' : ` ${exit}`}`);
  }
}

function foreign(line: string, at: number): HistoryEntry {
  const unknown = { number: 0, id: '', cwd: '', session: '', exit: null, durationMs: null };
  return { ...unknown, line, at, route: 'command', who: 'user' };
}

describe('sharing', () => {
  test('terminals see what each other writes, with its end, in one order', () => {
    const [one, other] = [new AttachedTerminal(), new AttachedTerminal()];
    const first = one.type('first');
    other.type('second\nline');
    one.store.end({ id: first, exit: 2, durationMs: 5 });
    other.store.refresh();
    expect([one.lines, other.lines]).toEqual([
      ['1 first 2', '2 second\nline'],
      ['1 first 2', '2 second\nline'],
    ]);
    expect(one.store.entries()[0]).toEqual({
      number: 1,
      id: first,
      line: 'first',
      at: 1,
      cwd: '/',
      route: 'command',
      who: 'user',
      session: 's',
      exit: 2,
      durationMs: 5,
    });
  });

  test('the file is for its owner alone, also one that others could read', () => {
    new AttachedTerminal().type('ls');
    const made = statSync(path).mode & 0o777;
    const old = join(directory, 'old');
    writeFileSync(old, '', { mode: 0o644 });
    new AttachedTerminal(old).type('ls');
    expect([made, statSync(old).mode & 0o777]).toEqual([0o600, 0o600]);
  });

  test('a torn line costs only itself, and the lines of an older aish are read', () => {
    new AttachedTerminal().type('a');
    appendFileSync(path, '{"line":"old","at":1,"cwd":"/","route":"message"}\nnot json\n{"line":"torn');
    const attached = new AttachedTerminal();
    attached.store.refresh();
    attached.type('b');
    const later = new AttachedTerminal();
    later.store.refresh();
    expect([attached.lines, later.lines]).toEqual([
      ['1 a', '2 old', '3 b'],
      ['1 a', '2 old', '3 b'],
    ]);
  });

  test('a large file is read piece by piece, and what is asked for meanwhile is the rest', () => {
    const writer = new AttachedTerminal(path, { maxLines: 10_000 });
    for (let at = 0; at < 3; at++) writer.type(`${at} ${'x'.repeat(40_000)}`);
    const [slow, hasty] = [new AttachedTerminal(), new AttachedTerminal()];
    const more = [slow.store.refreshPiece(), slow.told.length, slow.store.refreshPiece(), slow.told.length];
    const rest = [slow.store.refreshPiece(), slow.told.length, slow.store.refreshPiece(), slow.clears];
    hasty.store.refreshPiece();
    hasty.store.refresh();
    expect([more, rest, hasty.told]).toEqual([[true, 1, true, 2], [false, 3, false, 1], slow.told]);
  });

  test('a file that is taken away is begun again', () => {
    const attached = new AttachedTerminal();
    attached.type('a');
    rmSync(path);
    attached.store.refresh();
    const gone = attached.lines;
    attached.type('b');
    expect([gone, attached.lines]).toEqual([[], ['1 b']]);
  });

  test('where no file can be had lines live in memory, and can be removed there', () => {
    for (const place of [null, '/dev/null/nowhere']) {
      const attached = new AttachedTerminal(place);
      const id = attached.type('ls');
      attached.store.end({ id, exit: 0, durationMs: 1 });
      attached.type('pwd');
      expect([attached.lines, attached.store.entries().map(({ line, exit }) => [line, exit])]).toEqual([
        ['1 ls 0', '2 pwd'],
        [
          ['ls', 0],
          ['pwd', null],
        ],
      ]);
    }
    const attached = new AttachedTerminal(null);
    attached.type('secret');
    attached.type('ls');
    expect([attached.store.remove(({ line }) => line === 'secret'), attached.lines]).toEqual([1, ['2 ls']]);
  });
});

describe('removing', () => {
  test('a line is gone from the disk and from every terminal, and no number is given again', () => {
    const [one, other] = [new AttachedTerminal(), new AttachedTerminal()];
    for (const line of ['a', 'hunter2', 'hunter2 again', 'b']) one.type(line);
    other.store.refresh();
    expect(one.store.remove(({ line }) => line.includes('hunter2'))).toBe(2);
    other.store.refresh();
    other.type('c');
    one.store.refresh();
    const onDisk = readdirSync(join(directory, 'deep')).map((name) =>
      readFileSync(join(directory, 'deep', name), 'utf8'),
    );
    expect([one.lines, other.lines, onDisk.join('').includes('hunter2')]).toEqual([
      ['1 a', '4 b', '5 c'],
      ['1 a', '4 b', '5 c'],
      false,
    ]);
  });

  test('the last lines and all lines can go too', () => {
    const attached = new AttachedTerminal();
    for (const line of ['a', 'b', 'c']) attached.type(line);
    const last = [attached.store.remove(({ number }) => number === 3), attached.type('d') && attached.lines];
    const all = [
      attached.store.remove(() => true),
      attached.type('e') && attached.lines,
      attached.store.remove(() => false),
    ];
    expect([last, all]).toEqual([
      [1, ['1 a', '2 b', '4 d']],
      [3, ['5 e'], 0],
    ]);
  });

  test('a line that runs in another terminal keeps its end', () => {
    const [one, other] = [new AttachedTerminal(), new AttachedTerminal()];
    const id = other.type('sleep 9');
    one.type('a');
    one.store.remove(({ line }) => line === 'a');
    other.store.end({ id, exit: 3, durationMs: 9 });
    one.store.refresh();
    expect([one.lines, other.lines]).toEqual([['1 sleep 9 3'], ['1 sleep 9 3']]);
  });
});

describe('tidying up', () => {
  test('the newest lines stay, with their numbers and ends', () => {
    const attached = new AttachedTerminal(path, { maxLines: 4 });
    for (const at of Array.from({ length: 6 }, (_, one) => one)) {
      attached.store.end({ id: attached.type(`l${at}`), exit: at, durationMs: 1 });
    }
    const later = new AttachedTerminal();
    later.store.refresh();
    expect([attached.lines.slice(-3), later.lines]).toEqual([['4 l3 3', '5 l4 4', '6 l5 5'], attached.lines]);
    expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(10);
  });

  test('of a line in a row, or of all the same, the last stays where that is wanted', () => {
    const kept = (['keep', 'ignore', 'erase'] as const).map((duplicates) => {
      const at = join(directory, duplicates);
      const attached = new AttachedTerminal(at, { maxLines: 100, duplicates });
      for (const line of ['a', 'b', 'b', 'a']) attached.store.end({ id: attached.type(line), exit: 0, durationMs: 1 });
      const narrow = new AttachedTerminal(at, { maxLines: 3, duplicates });
      narrow.store.refresh();
      return narrow.lines;
    });
    expect(kept).toEqual([
      ['2 b 0', '3 b 0', '4 a 0'],
      ['1 a 0', '3 b 0', '4 a 0'],
      ['3 b 0', '4 a 0'],
    ]);
  });
});

describe('merging', () => {
  test('lines from elsewhere stand by their time, and are taken once', () => {
    const attached = new AttachedTerminal();
    attached.type('mine', { at: 50 });
    const lines = [foreign('old', 10), foreign('unknown', 0), foreign('new', 90)];
    const counts = [attached.store.merge(lines), attached.store.merge(lines)];
    expect([counts, attached.lines]).toEqual([
      [3, 0],
      ['1 old', '2 unknown', '3 mine', '4 new'],
    ]);
  });

  test('into an empty store only where that is asked, and not into one that was emptied', () => {
    const lines = [foreign('old', 10)];
    const [full, cleared, fresh] = [
      new AttachedTerminal(join(directory, 'full')),
      new AttachedTerminal(join(directory, 'cleared')),
      new AttachedTerminal(),
    ];
    full.type('a');
    cleared.type('a');
    cleared.store.remove(() => true);
    const counts = [full, cleared, fresh].map(({ store }) => store.merge(lines, { onlyIfEmpty: true }));
    expect(counts).toEqual([0, 0, 1]);
  });

  test('no more than are kept', () => {
    const attached = new AttachedTerminal(path, { maxLines: 2 });
    expect([attached.store.merge([1, 2, 3].map((at) => foreign(`l${at}`, at))), attached.lines]).toEqual([
      2,
      ['1 l2', '2 l3'],
    ]);
  });
});
