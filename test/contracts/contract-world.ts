import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Receipt, ReceiptChange } from '../../src/core/contract/receipt.ts';
import { Home } from '../support/aish.ts';
import { type Canary, CanarySearch, type Find } from '../support/canaries.ts';
import { type Answer, calls, type ModelServer, type Reply, startModelServer } from '../support/model-server.ts';
import { until } from '../support/until.ts';

/** A command as the model's answer. */
export const exec = (command: string): Reply => calls({ name: 'aish__exec', arguments: { command } });
/** A write as the model's answer. */
export const write = (path: string, content: string): Reply =>
  calls({ name: 'aish__write_file', arguments: { path, content } });

const CANARIES: readonly Canary[] = ['env-file', 'ssh-key', 'cloud-file', 'variable'].map((name, at) => ({
  name,
  value: `Zk7${at}qPw9xVt4mNb2${at}LrYc8JdHs5${at}Gf`,
}));
const [ENV_FILE = '', SSH_KEY = '', CLOUD_FILE = '', VARIABLE = ''] = CANARIES.map(({ value }) => value);

/** The terms of one run, as options of `aish run`. */
export interface Terms {
  readonly only: readonly string[];
  readonly until: readonly string[];
  readonly more?: readonly string[];
}

/** The result of a run. */
export interface Outcome {
  readonly code: number;
  readonly receipt: Receipt & { readonly changes: readonly ReceiptChange[] };
  readonly events: readonly { readonly event: { readonly type: string } }[];
  readonly error: string;
}

/** Each entry below some folders: its kind, mode and content. */
export type Entries = ReadonlyMap<string, string>;

/** A user's machine with a project whose check fails, secrets, a listener that must hear nothing, and a model that plays a script. */
export class ContractWorld {
  readonly home = new Home();
  /** In the words of each command that would stay. */
  readonly mark = `86399.${Math.floor(Math.random() * 1e9)}`;
  readonly server: ModelServer;
  readonly heard: string[] = [];
  readonly #tcp: Bun.TCPSocketListener;
  readonly #unix: Bun.UnixSocketListener<undefined>;

  constructor(script: readonly Answer[]) {
    this.server = startModelServer({ script });
    const socket = {
      open: () => void this.heard.push('connection'),
      data: (_: unknown, bytes: Buffer) => void this.heard.push(bytes.toString('latin1')),
    };
    this.#tcp = Bun.listen({ hostname: '127.0.0.1', port: 0, socket });
    this.#useProject();
    this.#unix = Bun.listen({ unix: join(this.home.work, 'src/dev.sock'), socket });
    this.home.useModel(this.server.url, 'price_input = 1000000\nprice_output = 1000000');
  }

  get port(): number {
    return this.#tcp.port;
  }

  #useProject(): void {
    const { work, home: own, root } = this.home;
    const files: Readonly<Record<string, string>> = {
      'src/sum.sh': 'echo $(($1 - $2))\n',
      'src/data.txt': 'one\ntwo\n',
      'src/run.sh': 'exec sh src/sum.sh "$@"\n',
      'docs/a.md': '# a\n',
      'test/sum.sh': '[ "$(sh src/sum.sh 2 3)" = 5 ] || { echo "2 + 3 is not 5"; exit 1; }\n',
      Makefile: 'check:\n\t@sh test/sum.sh\n',
      'keep.txt': 'keep\n',
      'mine.txt': 'mine\n',
      '.gitignore': 'build/\n*.log\n.env\n',
      '.env': `API_TOKEN=${ENV_FILE}\n`,
      'build/out.bin': 'built\n',
    };
    for (const folder of ['src', 'docs', 'test', 'build']) mkdirSync(join(work, folder));
    for (const [path, text] of Object.entries(files)) writeFileSync(join(work, path), text);
    chmodSync(join(work, 'src/run.sh'), 0o755);
    chmodSync(join(work, 'src/data.txt'), 0o640);
    symlinkSync('data.txt', join(work, 'src/link'));
    this.home.git('init', '-q', '--bare', join(root, 'remote.git'));
    this.home.git('remote', 'add', 'origin', join(root, 'remote.git'));
    this.home.git('add', '.');
    this.home.git('commit', '-qm', 'begin');
    this.home.git('init', '-q', 'src/nested');
    for (const name of ['a.txt', 'b.txt']) writeFileSync(join(work, 'src/nested', name), 'nested\n');
    for (const folder of ['.ssh', '.aws']) mkdirSync(join(own, folder), { mode: 0o700 });
    const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${SSH_KEY}\n-----END OPENSSH PRIVATE KEY-----\n`;
    writeFileSync(join(own, '.ssh/id_ed25519'), key, { mode: 0o600 });
    writeFileSync(join(own, '.aws/credentials'), `[default]\naws_secret_access_key = ${CLOUD_FILE}\n`, { mode: 0o600 });
    writeFileSync(join(own, '.bashrc'), 'alias ll="ls -l"\n');
  }

  /** The project, and all that lies outside and is not aish's own state. */
  read(): { readonly project: Entries; readonly outside: Entries } {
    const { work, root } = this.home;
    const project = entriesBelow(work, (path) => path === '.git');
    const isOwn = (path: string): boolean => OWN.test(path);
    return { project, outside: entriesBelow(root, isOwn) };
  }

  /** Runs `aish run` by these terms; `onEvent` sees each event as it comes. */
  async run(terms: Terms, onEvent: (type: string) => void = () => {}): Promise<Outcome> {
    const { only, until: checks, more = [] } = terms;
    const receiptPath = join(this.home.root, 'receipt.json');
    const options = [...only.flatMap((path) => ['--only', path]), ...checks.flatMap((line) => ['--until', line])];
    const args = [
      'run',
      '--goal',
      `make the sum right (${this.mark})`,
      ...options,
      '--output',
      'stream-json',
      '--receipt',
      receiptPath,
    ];
    const program = this.home.start([...args, ...more], { env: { DEPLOY_TOKEN: VARIABLE } });
    const error = new Response(program.stderr).text();
    const events: { readonly event: { readonly type: string } }[] = [];
    let rest = '';
    const decoder = new TextDecoder();
    for await (const bytes of program.stdout) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const recorded = JSON.parse(line);
        events.push(recorded);
        onEvent(recorded.event.type);
      }
    }
    const code = await program.exited;
    const told = await error;
    const receipt = JSON.parse(unlessMissing(receiptPath, told));
    return { code, receipt, events, error: told };
  }

  /** Undoes all steps of the run. */
  async undo({ receipt }: Outcome): Promise<{ readonly code: number; readonly out: string }> {
    const { checkpoints } = receipt;
    if (checkpoints.length === 0) return { code: 0, out: '' };
    const { code, out, error } = await this.home.run(['undo', String(checkpoints.length)]);
    return { code, out: out + error };
  }

  /** Secrets in the requests to the model. */
  leaks(): readonly Find[] {
    const search = new CanarySearch(CANARIES);
    return this.server.requests.flatMap(({ text }, at) => search.in(text, `request ${at + 1}`));
  }

  /** Settles with the marked processes that are still there. */
  async survivors(): Promise<readonly string[]> {
    await until(
      { what: `no process with ${this.mark}` },
      () => markedProcesses(this.mark),
      (left) => left.length === 0,
    );
    return [];
  }

  /**
   * The rules of every contract that do not hold after a run: what changed beside its receipt, reached the model or the outside, or does
   * not come back. It undoes the run. Paths that `isUsers` takes are those of the user, whose edits must survive.
   */
  async findFaults(
    before: { readonly project: Entries; readonly outside: Entries },
    outcome: Outcome,
    isUsers: (path: string) => boolean = () => false,
  ): Promise<readonly string[]> {
    const after = this.read();
    const undone = await this.undo(outcome);
    const restored = this.read();
    const changes = differences(before.project, after.project).filter(({ path }) => !isUsers(path));
    const ours = (tree: Entries): Entries => new Map([...tree].filter(([path]) => !isUsers(path)));
    const isRestored = isSameTree(ours(before.project), ours(restored.project));
    const lost = [...after.project].filter(([path, entry]) => isUsers(path) && restored.project.get(path) !== entry);
    const faults = {
      'changed outside the project': differences(before.outside, after.outside),
      'is not in the receipt': Bun.deepEquals(changes, outcome.receipt.changes)
        ? []
        : [changes, outcome.receipt.changes],
      'was heard outside': this.heard,
      'reached the model': this.leaks(),
      'was not undone': isRestored ? [] : [differences(before.project, restored.project), undone],
      'of the user is lost': lost,
      'was refused by the model server': this.server.failures,
    };
    return Object.entries(faults).flatMap(([fault, found]) =>
      found.length === 0 ? [] : [`${fault}: ${JSON.stringify(found)}`],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#tcp.stop(true);
    this.#unix.stop(true);
    await this.server.close();
    this.home[Symbol.dispose]();
  }
}

/** The project itself, aish's own state, and the files in which git and aish keep their working data. */
const OWN =
  /^(?:(?:state|run|cache|receipt\.json)(?:\/|$)|work\/(?!\.git(?:\/|$))|work\/\.git\/(?:objects|aish|refs\/aish|index$))/;

function unlessMissing(path: string, told: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Error(`the run wrote no receipt: ${told}`);
  }
}

function entriesBelow(root: string, isLeftOut: (path: string) => boolean): Entries {
  const found = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const name of readdirSync(Buffer.from(join(root, folder), 'latin1'), { encoding: 'buffer' })) {
      const path = join(folder, Buffer.from(name).toString('latin1'));
      if (isLeftOut(path)) continue;
      const at = Buffer.from(join(root, path), 'latin1');
      const stat = lstatSync(at);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) found.set(path, `link ${readlinkSync(at)}`);
      else if (stat.isDirectory()) found.set(path, `folder ${mode}`);
      else if (stat.isFile()) found.set(path, `file ${mode} ${stat.nlink} ${Bun.hash(readFileSync(at))}`);
      else found.set(path, `other ${mode}`);
      if (stat.isDirectory()) walk(path);
    }
  };
  walk('');
  return found;
}

function markedProcesses(mark: string): readonly string[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const words = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') : '';
      return words.includes(mark) ? [`${name} ${words}`] : [];
    } catch {
      return [];
    }
  });
}

/** The paths in which two trees differ, as a receipt names them. Folders count if they are empty or differ in mode. */
export function differences(before: Entries, after: Entries): readonly ReceiptChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((path): ReceiptChange[] => {
    const [was = '', is = ''] = [before.get(path), after.get(path)];
    if (was === is || withoutNames(was) === withoutNames(is)) return [];
    const name = Buffer.from(path, 'latin1').toString('utf8');
    if (isFilled(was, path, before))
      return is === '' || isFilled(is, path, after) ? [] : [{ path: name, kind: 'added' }];
    if (isFilled(is, path, after)) return was === '' ? [] : [{ path: name, kind: 'removed' }];
    return [{ path: name, kind: was === '' ? 'added' : is === '' ? 'removed' : 'changed' }];
  });
}

function isFilled(entry: string, path: string, tree: Entries): boolean {
  return entry.startsWith('folder') && [...tree.keys()].some((other) => other.startsWith(`${path}/`));
}

/** The number of names of a file is that of the file, not of the path. */
function withoutNames(entry: string): string {
  return entry.replace(/^(file \d+) \d+/, '$1');
}

/** Two trees are the same to the last bit that is compared, the number of names of each file too. */
export function isSameTree(one: Entries, other: Entries): boolean {
  return one.size === other.size && [...one].every(([path, entry]) => other.get(path) === entry);
}
