/** A line that waits until the shell has started, because nobody knows before what it is. */
export class StartWait {
  #calledOff = Promise.withResolvers<true>();

  /** Another line is read. */
  begin(): void {
    this.#calledOff = Promise.withResolvers();
  }

  /** Settles when the shell has started, or the line is called off, which may have been before; the answer is whether it was. */
  until(started: Promise<void>): Promise<boolean> {
    return Promise.race([this.#calledOff.promise, started.then(() => false)]);
  }

  callOff(): void {
    this.#calledOff.resolve(true);
  }
}
