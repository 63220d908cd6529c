import { cutTo } from './edit.ts';
import { CHANGES, KILLS, MOVES } from './key-bindings.ts';
import type { Line } from './line.ts';

/** Carries keys out as emacs and every shell do. */
export class EmacsKeys {
  readonly #line: Line;

  constructor(line: Line) {
    this.#line = line;
  }

  handle(key: string): void {
    const { buffer } = this.#line;
    if (this.#acceptGhost(key)) return;
    const move = MOVES[key];
    const change = CHANGES[key];
    const kill = KILLS[key];
    if (move !== undefined) buffer.moveTo(move(buffer.state));
    else if (change !== undefined) buffer.apply(change(buffer.state));
    else if (kill !== undefined) buffer.kill(cutTo(buffer.state, kill.to(buffer.state)), kill.direction);
    else this.#handleCommand(key);
  }

  #acceptGhost(key: string): boolean {
    const all = key === 'right' || key === 'end' || key === 'ctrl-f' || key === 'ctrl-e';
    if (all) return this.#line.acceptGhost('all');
    const word = key === 'alt-f' || key === 'ctrl-right' || key === 'alt-right';
    return word && this.#line.acceptGhost('word');
  }

  #handleCommand(key: string): void {
    const line = this.#line;
    switch (key) {
      case 'enter':
        line.enter();
        return;
      case 'alt-enter':
      case 'shift-enter':
      case 'ctrl-enter':
        line.buffer.type('\n');
        return;
      case 'ctrl-c':
        line.interrupt();
        return;
      case 'ctrl-d':
        line.deleteOrEnd();
        return;
      case 'ctrl-l':
        line.clearScreen();
        return;
      case 'ctrl-r':
        line.startSearch();
        return;
      case 'up':
      case 'ctrl-p':
        line.walk.step('up');
        return;
      case 'down':
      case 'ctrl-n':
        line.walk.step('down');
        return;
      case 'ctrl-y':
        line.buffer.yank();
        return;
      case 'alt-y':
        line.buffer.yankPop();
        return;
      case 'ctrl-_':
      case 'ctrl-z':
        line.buffer.undo();
        return;
      case 'alt-_':
      case 'ctrl-shift-z':
      case 'alt-/':
        line.buffer.redo();
        return;
      case 'tab':
        line.completing.ask();
        return;
      case 'shift-tab':
        line.flip();
        return;
    }
  }
}
