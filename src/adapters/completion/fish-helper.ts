import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scanLine } from '../../core/completion/scan-line.ts';
import { quote } from '../shell/integration/integration.ts';
import { killGroup } from '../system/processes.ts';
import {
  type HelperMatch,
  type HelperOptions,
  type HelperProcess,
  type HelperRequest,
  MOST_MATCHES,
} from './helper-protocol.ts';

/** Ends each field of a request, and each answer. */
const END = '\0';

/**
 * A fish that completes as the user's does, by `complete -C`. It has a session of its own and no terminal; requests come over its standard
 * input, in fields that end with NUL.
 */
export class FishHelper implements HelperProcess {
  readonly pid: number;
  readonly ready: Promise<void>;
  readonly #input: Bun.FileSink;
  #rest = '';
  #asked: ReturnType<typeof Promise.withResolvers<string>>;

  constructor(options: HelperOptions) {
    const script = join(options.folder, 'complete.fish');
    writeFileSync(script, fishScript, { mode: 0o600 });
    const startup = options.withStartupFiles ? [] : ['--no-config'];
    const child = Bun.spawn([options.program, ...startup, '-c', `source ${quote(script)}`], {
      cwd: options.cwd,
      env: { ...options.env },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
      detached: true,
    });
    this.pid = child.pid;
    this.#input = child.stdin;
    this.#asked = Promise.withResolvers();
    this.ready = this.#asked.promise.then(() => undefined);
    this.ready.catch(() => undefined);
    void this.#read(child.stdout);
    void child.exited.then(() => this.#asked.reject(new Error('the helper shell has ended')));
  }

  async ask(request: HelperRequest): Promise<readonly HelperMatch[] | null> {
    await this.ready;
    this.#asked = Promise.withResolvers();
    const { promise } = this.#asked;
    const fields = [request.cwd, request.exportsFile ?? '', request.line];
    this.#input.write(fields.map((field) => `${field.replaceAll('\0', '')}${END}`).join(''));
    await this.#input.flush();
    const matches = toMatches(await promise, request.line);
    return matches.length === 0 ? null : matches;
  }

  kill(): void {
    killGroup(this.pid);
  }

  async #read(output: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of output) {
      this.#rest += decoder.decode(bytes, { stream: true });
      const end = this.#rest.indexOf(END);
      if (end < 0) continue;
      const answer = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 1);
      this.#asked.resolve(answer);
    }
  }
}

/** Each row is what takes the place of the word, and what it is behind a tab. */
function toMatches(answer: string, line: string): readonly HelperMatch[] {
  const start = scanLine(line, line.length)?.word.start ?? line.length;
  const rows = answer.split('\n').filter((row) => row !== '');
  return rows.slice(0, MOST_MATCHES).map((row) => {
    const [text = '', description = ''] = row.split('\t');
    const match = { text, start, isPath: text.includes('/'), isQuoted: false };
    return description === '' ? match : { ...match, description };
  });
}

const fishScript = String.raw`# Completion asks git for names; no watcher that a repository names is started for that.
set -gx GIT_OPTIONAL_LOCKS 0
set -gx GIT_CONFIG_COUNT 1
set -gx GIT_CONFIG_KEY_0 core.fsmonitor
set -gx GIT_CONFIG_VALUE_0 false
# Without startup files fish does not know where its own completions are.
if not builtin set -q fish_complete_path[1]
    builtin set -g fish_complete_path $__fish_data_dir/vendor_completions.d $__fish_data_dir/completions
end
function __aish_field
    builtin read -z -d \x01 field; or exit
    builtin string collect -N -- $field
end
builtin printf '\0'
while true
    set -l cwd (__aish_field)
    set -l exports (__aish_field)
    set -l line (__aish_field)
    builtin test -r "$exports"; and builtin source $exports 2>/dev/null
    builtin cd $cwd 2>/dev/null
    complete -C "$line" 2>/dev/null </dev/null
    builtin printf '\0'
end
`;
