import { basename } from 'node:path';
import { findNotes, type NotesFile } from '../../adapters/config/find-notes.ts';
import { TrustStore } from '../../adapters/config/trust.ts';
import {
  formatNotes,
  formatNotesRead,
  type NotesShare,
  notesRoom,
  shareNotes,
} from '../../core/context/format-notes.ts';
import { escapeForDisplay } from '../../core/text/sanitize.ts';

/** Where the notes of a session are looked for. */
interface NotesContext {
  /** Directory the session began in. */
  readonly cwd: string;
  readonly config: string;
  readonly state: string;
  readonly home: string;
}

/** What a look at the notes is told as. */
interface NotesTold {
  readonly level: 'info' | 'warning';
  readonly text: string;
}

/**
 * The notes that go with every request of a session: the user's own, and those of a project whose exact content they trust. They stand at
 * one
 * place and stay as they were read, so that a server need not read what follows them again; they change only where a file or the word on it
 * does.
 */
export class SessionNotes {
  readonly #places: NotesContext;
  readonly #trust: TrustStore;
  #files: readonly NotesFile[] = [];
  /** What was said last, so that it is said once. */
  #told = '';
  #room = notesRoom(null);

  constructor(places: NotesContext) {
    this.#places = places;
    this.#trust = new TrustStore(places.state);
  }

  /** What the system message holds of them; null for nothing. */
  get text(): string | null {
    return formatNotes(this.#files, this.#room);
  }

  /** The files that are sent, with how much of each. */
  get shares(): readonly NotesShare[] {
    return shareNotes(this.#files, this.#room);
  }

  /** Looks what holds now. A window that is known leaves them their share of it. What is new is to be told. */
  look(windowTokens: number | null): readonly NotesTold[] {
    const found = findNotes(this.#places);
    const looked = found.map((file) => ({
      file,
      state: file.origin === 'user' ? 'trusted' : this.#trust.look(file.path, file.text).state,
    }));
    this.#room = notesRoom(windowTokens);
    this.#files = looked.filter(({ state }) => state === 'trusted').map(({ file }) => file);
    const told = [
      ...(this.#files.length === 0 ? [] : [{ level: 'info' as const, text: this.#formatRead() }]),
      ...looked.filter(({ state }) => state !== 'trusted').map(({ file, state }) => this.#formatUntrusted(file, state)),
    ];
    const key = JSON.stringify(told);
    if (key === this.#told) return [];
    this.#told = key;
    return told;
  }

  #formatRead(): string {
    return formatNotesRead(this.shares, (path) => this.#shorten(path));
  }

  #formatUntrusted({ path }: NotesFile, state: string): NotesTold {
    const why = state === 'changed' ? 'has changed since you trusted it' : 'is not trusted yet';
    const text = `${this.#shorten(path)} ${why}, so it is not sent to the model; to read it and decide: aish config trust`;
    return { level: 'warning', text };
  }

  #shorten(path: string): string {
    const { cwd, home } = this.#places;
    const shown = path.startsWith(`${cwd}/`)
      ? basename(path)
      : path.startsWith(`${home}/`)
        ? `~${path.slice(home.length)}`
        : path;
    return escapeForDisplay(shown);
  }
}
