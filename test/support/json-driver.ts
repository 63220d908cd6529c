const NEWLINE = 10;

/** A program of this folder that answers each line of JSON with another one, until its input ends. It may run as another user. */
export class JsonDriver {
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'pipe'>;
  readonly #lines: AsyncIterator<string>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(command: readonly string[], env: Readonly<Record<string, string>>) {
    this.#child = Bun.spawn([...command], { env, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' });
    this.#lines = readLines(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** Settles when the program has ended. */
  get ended(): Promise<number> {
    return this.#child.exited;
  }

  /** The answer to a request, which waits for those before it. It throws what the program said last where that ended. */
  ask<Answer>(request: unknown): Promise<Answer> {
    const answer = this.#last.then(() => this.#ask<Answer>(request));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #ask<Answer>(request: unknown): Promise<Answer> {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    await this.#child.stdin.flush();
    const { value, done } = await this.#lines.next();
    if (done === true)
      throw new Error(`the driver ended (${await this.#child.exited}): ${await this.#child.stderr.text()}`);
    return JSON.parse(value);
  }

  /** Ends the program, with what it still does. */
  close(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Answers every line of this program's input until it ends: the other side of a `JsonDriver`. */
export async function answerLines<Request>(answer: (request: Request) => Promise<unknown>): Promise<void> {
  for await (const line of console) process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}

/** The lines of a stream. One may be many megabytes long, so it is put together once. */
async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let pieces: Uint8Array[] = [];
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...pieces, chunk.subarray(from, end)]).toString();
      pieces = [];
      from = end + 1;
    }
    pieces.push(chunk.slice(from));
  }
}
