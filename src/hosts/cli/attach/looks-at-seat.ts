import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpSessionClient } from '../../../adapters/daemon/http-client.ts';
import { sanitizeColoured } from '../../../core/sanitize.ts';
import type { LookTheme } from '../../../protocol/look.ts';
import { pagerLine } from '../outputs.ts';
import { runOnTerminal, type TerminalLent } from '../run-on-terminal.ts';
import type { Appearance } from '../screen/appearance.ts';
import type { Tty } from '../screen/tty.ts';
import { runtimeFolder, type Setup } from '../setup.ts';

/** What looks at a session from a seat work with. */
export interface LooksAtSeatParts extends Pick<TerminalLent, 'lendKeys'> {
  readonly client: Pick<HttpSessionClient, 'look'>;
  readonly tty: Pick<Tty, 'size' | 'write'>;
  readonly setup: Setup;
  readonly appearance: Appearance;
  readonly print: (text: string) => void;
}

/** Shows at a seat what a meta-command says that only looks: on the screen where it fits, else in the person's pager. */
export class LooksAtSeat {
  readonly #parts: LooksAtSeatParts;

  constructor(parts: LooksAtSeatParts) {
    this.#parts = parts;
  }

  /** Asks the owner of the session, and shows the answer. */
  async ask(line: string): Promise<void> {
    const { client, tty } = this.#parts;
    await this.show(await client.look({ line, columns: tty.size().columns, theme: this.#theme }));
  }

  /** Shows a text, which may be a long one. */
  async show(text: string): Promise<void> {
    const { tty, appearance, print } = this.#parts;
    const clean = `${sanitizeColoured(text).trimEnd()}\n`;
    if (clean.trim() === '') return;
    if (appearance.isPlain || clean.split('\n').length <= tty.size().rows) print(clean);
    else await this.#page(clean);
  }

  get #theme(): LookTheme {
    const { appearance, setup } = this.#parts;
    const { theme, name, capabilities } = appearance;
    const exact = /^(?:truecolor|24bit)$/.test(setup.env.COLORTERM ?? '');
    return { colour: theme.enabled, name, background: capabilities.background, exact, words: theme.words };
  }

  async #page(text: string): Promise<void> {
    const { setup, tty, lendKeys } = this.#parts;
    const path = join(runtimeFolder(setup), `look-${process.pid}-${Date.now()}`);
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    await runOnTerminal(['/bin/sh', '-c', pagerLine(path, { isRemoved: true })], {
      env: setup.env,
      cwd: () => setup.cwd,
      size: () => tty.size(),
      write: (shown) => tty.write(shown),
      lendKeys,
    });
  }
}
