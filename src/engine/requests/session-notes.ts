import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { findNotes, type NotesFile } from '../../adapters/config/find-notes.ts';
import { findProjectFile } from '../../adapters/config/load.ts';
import { TrustStore } from '../../adapters/config/trust.ts';
import {
  formatNotes,
  formatNotesRead,
  type NotesShare,
  notesRoom,
  shareNotes,
} from '../../core/context/format-notes.ts';
import { escapeForDisplay } from '../../core/text/sanitize.ts';
import type { SessionSkills } from '../extend/session-skills.ts';
import { formatUntrustedNotes } from './messages.ts';

export interface NotesContext {
  /** Directory the session began in. */
  readonly cwd: string;
  readonly config: string;
  readonly state: string;
  readonly home: string;
  /** More folders with skills. */
  readonly folders: readonly string[];
}

export interface NotesNotice {
  readonly level: 'info' | 'warning';
  readonly text: string;
}

/**
 * The notes in every request of a session: the user's notes, and those of the project whose exact content the user trusts. They stay as
 * they were read, so that servers can cache the messages after them, and change only with a file or its trust.
 */
export class SessionNotes {
  readonly #places: NotesContext;
  readonly #trust: TrustStore;
  #files: readonly NotesFile[] = [];
  /** The last notices, which appear only once. */
  #notified = '';
  #room = notesRoom(null);
  #skills: SessionSkills | null = null;

  constructor(places: NotesContext) {
    this.#places = places;
    this.#trust = new TrustStore(places.state);
  }

  /** Their part of the system message; null for nothing. */
  get text(): string | null {
    const parts = [formatNotes(this.#files, this.#room), this.#skills?.text ?? null].filter((part) => part !== null);
    return parts.length === 0 ? null : parts.join('\n\n');
  }

  /** Looks for skills, and returns new notices. Without any folder of skills it loads nothing. */
  async lookForSkills(windowTokens: number | null): Promise<readonly NotesNotice[]> {
    const { config, cwd, folders } = this.#places;
    const isThere = existsSync(`${config}/skills`) || findProjectFile(cwd, 'skills') !== null || folders.length > 0;
    if (!isThere && this.#skills === null) return [];
    const { SessionSkills } = await import('../extend/session-skills.ts');
    this.#skills ??= new SessionSkills(this.#places);
    return this.#skills.look(windowTokens);
  }

  /** Whether a path is a file of a skill of this session, which the model may read without asking. */
  isFileOfSkill(path: string): boolean {
    return this.#skills?.has(path) === true;
  }

  /** The files in a request, with the share of each. */
  get shares(): readonly NotesShare[] {
    return shareNotes(this.#files, this.#room);
  }

  /** Reads the notes again, for a context window of this size, and returns new notices. */
  look(windowTokens: number | null): readonly NotesNotice[] {
    const found = findNotes(this.#places);
    const looked = found.map((file) => ({
      file,
      state: file.origin === 'user' ? 'trusted' : this.#trust.look(file.path, file.text).state,
    }));
    this.#room = notesRoom(windowTokens);
    this.#files = looked.filter(({ state }) => state === 'trusted').map(({ file }) => file);
    const notices = [
      ...(this.#files.length === 0 ? [] : [{ level: 'info' as const, text: this.#formatRead() }]),
      ...looked.filter(({ state }) => state !== 'trusted').map(({ file, state }) => this.#formatUntrusted(file, state)),
    ];
    const key = JSON.stringify(notices);
    if (key === this.#notified) return [];
    this.#notified = key;
    return notices;
  }

  #formatRead(): string {
    return formatNotesRead(this.shares, (path) => this.#shorten(path));
  }

  #formatUntrusted({ path }: NotesFile, state: string): NotesNotice {
    return { level: 'warning', text: formatUntrustedNotes(this.#shorten(path), state === 'changed') };
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
