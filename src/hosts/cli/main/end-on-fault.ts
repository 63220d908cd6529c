/** Ends the program with a report on an uncaught error; `before` releases the terminal. */
export function endOnFault(before: () => void = () => {}): void {
  const end = async (thrown: unknown): Promise<void> => {
    before();
    const { reportFatal } = await import('./fatal.ts');
    process.exit(await reportFatal(thrown));
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/** The exit status that shells give a program which this signal ended. */
export function statusOf(signal: NodeJS.Signals): number {
  return 128 + process.getBuiltinModule('node:os').constants.signals[signal];
}
