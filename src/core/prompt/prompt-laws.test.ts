import { expect, setDefaultTimeout, test } from 'bun:test';
import { PromptDesk, textOf } from '../../../test/support/prompt-desk.ts';
import fc from '../../../test/support/properties.ts';
import { STOP_KEYS, toMoment } from './ctrl-c.ts';
import type { PromptEffect } from './prompt-state.ts';
import { isScreenTaken } from './prompt-step.ts';

/** More of them, and others: `AISH_LAW_RUNS=5000 AISH_LAW_SEED=7`. */
const RUNS = Number(process.env.AISH_LAW_RUNS ?? 60);
const SEEDS = process.env.AISH_LAW_SEED === undefined ? [1, 20_261_122, 77] : [Number(process.env.AISH_LAW_SEED)];

setDefaultTimeout(RUNS > 100 ? 3_600_000 : 120_000);

const TURNS = [
  ...(['ask', 'ask', 'answer', 'lend', 'return', 'report', 'left-unread'] as const),
  ...(['command', 'foreign', 'program', 'program-ends', 'work', 'work', 'work-ends', 'broken-off', 'refused'] as const),
  ...(['read', 'read', 'read', 'lease-asked', 'lease-withdrawn', 'leased', 'lease-ends', 'timers'] as const),
] as const;

const PLAIN = [
  ...(['enter', 'enter', 'ctrl-s', 'up', 'alt-up', 'ctrl-c', 'ctrl-\\', 'ctrl-]'] as const),
  ...(['tab', 'tab', 'tab', 'return-key', 'doubt', 'offer', 'offer', 'directory', 'directory', 'back', 'forward'] as const),
  ...TURNS,
] as const;

/** The possible events; a history that breaks a law is printed as a list of these. */
type Happening =
  | { readonly what: 'key'; readonly after: number }
  | { readonly what: 'paste'; readonly pieces: number; readonly after: number }
  | { readonly what: (typeof PLAIN)[number]; readonly after: number };

const after = fc.constantFrom(0, 1, 50, 299, 300, 399, 400, 900, 1600);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('key' as const), after }) },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('paste' as const), pieces: fc.integer({ min: 1, max: 3 }), after }),
  },
  { weight: 12, arbitrary: fc.record({ what: fc.constantFrom(...PLAIN), after }) },
);
const histories = fc.array(happening, { minLength: 1, maxLength: 120, size: 'max' });

interface Shown {
  readonly line: string;
  readonly at: number;
}

/** A world around the machine that knows the truth by itself. After each step the test checks the machine against it. */
class World {
  readonly desk: PromptDesk;
  #count = 0;
  #lastKeyAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isPaste = false;
  #isLent = false;
  #inProgram = false;
  #isOpen = false;
  /** Lines that were entered while work went on, or were typed as those came back, and are somewhere still. */
  #waiting: string[] = [];
  readonly #ran: string[] = [];
  /** The line that may be a command or a message, and the one that is offered, with the time when each was shown. */
  #doubt: Shown | null = null;
  #offer: Shown | null = null;
  #here: string | null = null;
  readonly #visited = new Set<string>();
  /** The line that a key entered, until the host runs it. */
  readonly #entered: string[] = [];

  constructor(role: 'owner' | 'client') {
    this.desk = new PromptDesk(role);
    this.desk.onEffect = (effect) => this.#watch(effect);
  }

  happen(one: Happening): void {
    const { desk } = this;
    desk.at += one.after;
    switch (one.what) {
      case 'key':
        this.#press(this.#isOpen && this.#count % 2 === 0 ? 'y' : `<${this.#count++}>`);
        break;
      case 'paste':
        this.#paste(one.pieces);
        break;
      case 'enter':
      case 'ctrl-s':
      case 'up':
      case 'alt-up':
        this.#edit(one.what);
        break;
      case 'ctrl-c':
      case 'ctrl-\\':
      case 'ctrl-]':
        this.#press({ 'ctrl-c': '\x03', 'ctrl-\\': '\x1c', 'ctrl-]': '\x1d' }[one.what]);
        break;
      case 'tab':
      case 'return-key':
        this.#press(one.what === 'tab' ? '\t' : '\r');
        break;
      case 'doubt':
      case 'offer':
      case 'directory':
      case 'back':
      case 'forward':
        this.#see(one.what);
        break;
      default:
        this.#turn(one.what);
    }
    this.#enterAll();
    this.#check();
  }

  /** A key, and the laws about where it goes. */
  #press(keys: string): void {
    const { desk } = this;
    const { got } = desk;
    const before = got.length;
    const moment = toMoment(desk.state, desk.glance());
    const typed = desk.text;
    const effects = desk.press(keys);
    this.#lastKeyAt = desk.at;
    if (keys === '\x03') {
      const passed = {
        'to-borrower': 1,
        'to-approval': 1,
        'to-program': 1,
        'to-line': 1,
        interrupt: 0,
        'refuse-keyboard': 0,
      };
      const isStopped = effects.some(({ type }) => type === 'interrupt');
      const { ctrlC } = STOP_KEYS[moment];
      // Keys that the delay of an answer held back may come along with it.
      expect([moment, isStopped, got.length > before]).toEqual([moment, ctrlC === 'interrupt', passed[ctrlC] === 1]);
      if (ctrlC === 'to-line') this.#giveUp(typed);
    }
    for (const entry of got.slice(before)) {
      if (this.#isLent) expect(entry).toStartWith('borrower:');
      if (entry.startsWith('program:')) this.#forgotten(keys);
    }
    expect(effects.some(({ type }) => type === 'leave')).toBe(false);
  }

  /** The prompt shows something, or a key of the editor asks for another directory. */
  #see(what: 'doubt' | 'offer' | 'directory' | 'back' | 'forward'): void {
    const { desk } = this;
    const line = `line-${this.#count++}`;
    if (what === 'directory') {
      this.#here = `/d${this.#count % 3}`;
      this.#visited.add(this.#here);
      desk.send({ type: 'directory-shown', cwd: this.#here });
    } else if (what === 'back' || what === 'forward') {
      desk.send({ type: 'go', direction: what, home: undefined, glance: desk.glance() });
    } else if (!desk.isRead || desk.text !== '') return;
    else if (what === 'offer') {
      this.#offer = { line, at: desk.at };
      desk.send({ type: 'offer-shown', line, at: desk.at });
    } else {
      this.#doubt = { line, at: desk.at };
      this.#waiting.push(line);
      desk.text = line;
      desk.send({ type: 'doubt-shown', line, at: desk.at });
    }
  }

  /** The host runs each line that a key entered. */
  #enterAll(): void {
    for (const text of this.#entered.splice(0)) {
      this.#waiting.push(text);
      this.desk.send({ type: 'line-entered', text });
      this.#run(text);
    }
  }

  /** A key answers only what could be seen, while nobody types, and where the keys are the line's. */
  #answers(shown: Shown | null): void {
    const { desk } = this;
    const isSeen = shown !== null && desk.at - shown.at >= 300 && desk.at - this.#lastKeyAt >= 400;
    expect([isSeen, this.#isOpen, this.#isLent, this.#isPaste, desk.isRead]).toEqual([true, false, false, false, true]);
  }

  /** A line is entered by one key only where nothing is typed: the one that is offered, or a way to a directory that was visited. */
  #watchEntered(text: string): void {
    expect([this.desk.isRead, this.desk.text]).toEqual([true, '']);
    this.#entered.push(text);
    const folder = /^cd (\S+)$/.exec(text)?.[1];
    if (folder === undefined) {
      expect(text).toBe(this.#offer?.line ?? 'no offer');
      this.#answers(this.#offer);
      expect([this.#inProgram, this.desk.state.isWorking]).toEqual([false, false]);
      this.#offer = null;
    } else expect([this.#visited.has(folder), folder === this.#here]).toEqual([true, false]);
  }

  /** A doubtful line gets its mark by one key only as it was shown. */
  #watchReplaced(text: string): void {
    const line = this.#doubt?.line;
    if (line === undefined || text.slice(1) !== line) return;
    this.#answers(this.#doubt);
    expect(this.desk.text).toBe(line);
    this.#doubt = null;
    this.#waiting[this.#waiting.indexOf(line)] = text;
  }

  /** Keys that a program got are kept nowhere. */
  #forgotten(keys: string): void {
    if (!keys.startsWith('<')) return;
    const kept = JSON.stringify(this.desk.state, (_, value) => (value instanceof Uint8Array ? textOf(value) : value));
    expect(kept).not.toContain(keys);
  }

  /** A paste in one read or several, all of which come at once. */
  #paste(pieces: number): void {
    const text = `\x1b[200~${'y'.repeat(pieces)}\r\x1b[201~`;
    const size = Math.ceil(text.length / pieces);
    this.#isPaste = true;
    for (let at = 0; at < text.length; at += size) this.#press(text.slice(at, at + size));
    this.#isPaste = false;
  }

  #edit(key: 'enter' | 'ctrl-s' | 'up' | 'alt-up'): void {
    const { desk } = this;
    if (desk.isRead || !desk.state.isWorking || desk.state.keys === 'program' || this.#isOpen || this.#isLent) return;
    const line = key === 'up' ? '' : `line-${this.#count++}`;
    const { text } = desk;
    // The text in the line counts as much as the waiting lines; a test that types over it would lose it itself.
    if (text !== '' && key !== 'alt-up') return;
    desk.press('k');
    this.#lastKeyAt = desk.at;
    if (key === 'enter' || key === 'ctrl-s') this.#waiting.push(line);
    desk.enter(key === 'alt-up' ? text : line, key, { hasTurn: desk.running === 'model' });
  }

  #turn(what: (typeof TURNS)[number]): void {
    const { desk } = this;
    switch (what) {
      case 'ask':
        this.#isOpen = true;
        this.#askedAt = desk.at;
        desk.ask();
        return;
      case 'answer':
        if (!this.#isOpen) return;
        this.#isOpen = false;
        desk.closeApproval();
        desk.send({ type: 'approval-answered', decision: { type: 'allow' }, at: desk.at, glance: desk.glance() });
        return;
      case 'lend':
      case 'return':
        this.#isLent = what === 'lend';
        desk.send({ type: what === 'lend' ? 'keys-lent' : 'keys-returned' });
        return;
      case 'report':
        desk.send({ type: 'reported', at: desk.at });
        return;
      case 'left-unread':
        this.#leaveUnread();
        return;
      case 'command':
      case 'foreign':
      case 'program':
      case 'program-ends':
        this.#program(what);
        return;
      case 'work':
      case 'work-ends':
      case 'broken-off':
      case 'refused':
      case 'read':
        this.#work(what);
        return;
      default:
        this.#lease(what);
        return;
    }
  }

  /** Keys that the user's own command leaves unread are entered behind the waiting lines. All other unread keys enter nothing. */
  #leaveUnread(): void {
    const { desk } = this;
    const { state } = desk;
    const isOwn = state.keys === 'program' && state.program === null && !state.hasForeignCommand;
    const line = `${isOwn ? 'ahead' : 'rm -rf'}-${this.#count++}`;
    if (isOwn) this.#waiting.push(line);
    desk.leftUnread(`${line}\r`);
  }

  #program(what: 'command' | 'foreign' | 'program' | 'program-ends'): void {
    const { desk } = this;
    this.#inProgram = what !== 'program-ends';
    if (what === 'command') desk.send({ type: 'command-entered' });
    else if (what === 'foreign') desk.send({ type: 'began', what: 'command', isForeign: true, at: desk.at });
    else if (what === 'program') desk.send({ type: 'program-began', callId: 'c', at: desk.at });
    else desk.send({ type: 'program-ended', glance: desk.glance() });
  }

  #work(what: 'work' | 'work-ends' | 'broken-off' | 'refused' | 'read'): void {
    const { desk } = this;
    if (what === 'work') {
      desk.isRead = false;
      desk.running = this.#count % 2 === 0 ? 'model' : 'tool';
      desk.send({ type: 'work-began' });
    } else if (what === 'broken-off') desk.send({ type: 'work-broken-off', glance: desk.glance() });
    else if (what === 'refused') {
      const line = `line-${this.#count++}`;
      this.#waiting.push(line);
      desk.send({ type: 'line-returned', line, glance: desk.glance() });
    } else {
      desk.running = 'nothing';
      desk.send({ type: 'work-ended' });
      if (what === 'read') this.#read();
    }
  }

  /** The next line: the queued one that is first, or one that is typed. */
  #read(): void {
    const { desk } = this;
    const { length } = desk.ran;
    desk.send({ type: 'next-line' });
    desk.isRead = desk.ran.length === length;
    const next = desk.ran[length];
    if (next !== undefined) this.#run(next);
    else if (desk.text !== '') {
      desk.send({ type: 'line-entered', text: desk.text });
      this.#run(desk.text);
      desk.text = '';
    }
  }

  #lease(what: string): void {
    const { desk } = this;
    const isClient = desk.state.role === 'client';
    if (what === 'lease-asked' && !isClient) desk.send({ type: 'lease-asked', client: 'pts/9' });
    else if (what === 'lease-withdrawn') desk.send({ type: 'lease-withdrawn' });
    else if (what === 'leased') desk.send({ type: 'lease-changed', holder: 'pts/9', isOurs: isClient });
    else if (what === 'lease-ends') desk.send({ type: 'lease-changed', holder: null, isOurs: false });
    else if (what === 'timers') for (const timer of [...desk.timers.keys()]) desk.expire(timer as 'lease');
  }

  /** A line ran: only one that was entered, and that once. */
  #run(line: string): void {
    this.#ran.push(line);
    const at = this.#waiting.indexOf(line);
    expect([line, at >= 0]).toEqual([line, true]);
    this.#waiting.splice(at, 1);
  }

  #giveUp(line: string): void {
    const at = this.#waiting.indexOf(line);
    if (at >= 0) this.#waiting.splice(at, 1);
    this.desk.text = '';
  }

  #watch(effect: PromptEffect): void {
    if (effect.type === 'to-line' && textOf(effect.bytes).includes('rm -rf')) expect(effect.mayEnter).toBe(false);
    if (effect.type === 'enter-line') this.#watchEntered(effect.text);
    if (effect.type === 'replace-line') this.#watchReplaced(effect.text);
    if (effect.type !== 'to-approval') return;
    const keys = textOf(effect.bytes);
    // A piece of a paste is never a key alone that came when the approval could be seen: an answer is.
    const mayAnswer = this.desk.at - this.#askedAt >= 300 && this.desk.at - this.#lastKeyAt >= 400;
    if (keys !== '\x03') expect([keys, this.#isOpen, mayAnswer]).toEqual([keys, true, true]);
    if (this.#isPaste && keys !== '\x03') expect([keys, keys.length > 1]).toEqual([keys, true]);
    expect(keys).not.toContain('\x1b[200~');
  }

  #check(): void {
    const { desk } = this;
    const { state } = desk;
    // Anyone who had the keyboard has it, and gets it back on every way out.
    expect([state.keys, state.isLent, state.approval !== null]).toEqual([this.#inProgram ? 'program' : 'line', this.#isLent, this.#isOpen]);
    if (!this.#inProgram && !this.#isOpen) expect(isScreenTaken(state)).toBe(false);
    // A waiting line is never lost, doubled or merged: each is in the queue, among the returned ones, or in the typed line.
    const { returned, queue, ahead } = state;
    const shown = desk.text === '' || returned.lines.includes(desk.text) ? [] : [desk.text];
    expect([...queue.lines, ...ahead.lines, ...returned.lines, ...shown].sort()).toEqual([...this.#waiting].sort());
  }
}

test.each(SEEDS)('the laws of the prompt hold in every history, seed %d', (seed) => {
  for (const role of ['owner', 'client'] as const) {
    const property = fc.property(histories, (history) => {
      const world = new World(role);
      for (const one of history) world.happen(one);
    });
    fc.assert(property, { numRuns: RUNS, seed });
  }
});
