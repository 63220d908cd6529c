import { Database } from 'bun:sqlite';
import { chmodSync, closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../protocol/error.ts';

/** A change of the tables raises it: an index of another number is thrown away and made anew. */
const SCHEMA = 2;

/** How long another process may hold the index before what is in it has to do. */
const BUSY_MS = 500;

const TABLES = `
  CREATE TABLE sessions (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, inode INTEGER NOT NULL, size INTEGER NOT NULL, changed_at REAL NOT NULL,
    offset INTEGER NOT NULL, seq INTEGER NOT NULL, version INTEGER, seal TEXT NOT NULL,
    cwd TEXT, created_at REAL NOT NULL, first_text TEXT, first_command TEXT, name TEXT, named_by TEXT,
    turns INTEGER NOT NULL, commands INTEGER NOT NULL
  );
  PRAGMA user_version = ${SCHEMA};
`;

/** Why a database is no good: its file is damaged, or this place takes none. */
type DatabaseFault = 'damaged' | 'unusable' | 'busy';

/** The file of the index in a folder. */
export function indexPath(folder: string): string {
  return join(folder, 'sessions.sqlite');
}

/** Opens the index in a folder, made where it is missing and made anew where it is of another release. Throws what SQLite throws. */
export function openIndexFile(folder: string): Database {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = indexPath(folder);
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const database = new Database(path);
  try {
    database.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
    if (schemaOf(database) === SCHEMA) return prepared(database);
    if (schemaOf(database) === 0 && isEmpty(database)) return create(database);
  } catch (thrown) {
    database.close();
    throw thrown;
  }
  database.close();
  removeIndexFile(folder);
  return openIndexFile(folder);
}

/** An index that lasts as long as this process. */
export function openIndexInMemory(): Database {
  const database = new Database(':memory:');
  database.run(TABLES);
  return database;
}

/** Takes the index away; it is made again of the logs. */
export function removeIndexFile(folder: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(indexPath(folder) + suffix, { force: true });
}

/** Tells what is wrong where SQLite could not do its work; null for any other error. */
export function faultOf(thrown: unknown): DatabaseFault | null {
  const code = errorCode(thrown);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy';
  if (/^SQLITE_(CORRUPT|NOTADB|ERROR|SCHEMA|MISMATCH)/.test(code)) return 'damaged';
  return /^(SQLITE_|E[A-Z]+$)/.test(code) ? 'unusable' : null;
}

/** Two processes may find it empty at once: the second one waits, and finds it made. */
function create(database: Database): Database {
  prepared(database);
  database.run('BEGIN IMMEDIATE');
  if (schemaOf(database) !== SCHEMA) database.run(TABLES);
  database.run('COMMIT');
  return database;
}

/** Readers do not wait for a writer; what a power cut takes is made again. */
function prepared(database: Database): Database {
  database.run('PRAGMA journal_mode = WAL');
  database.run('PRAGMA synchronous = NORMAL');
  // A session that is removed leaves nothing behind here either.
  database.run('PRAGMA secure_delete = ON');
  return database;
}

function schemaOf(database: Database): number {
  const row = database.query<{ user_version: number }, []>('PRAGMA user_version').get();
  return row?.user_version ?? 0;
}

function isEmpty(database: Database): boolean {
  return database.query('SELECT 1 FROM sqlite_master LIMIT 1').get() === null;
}
