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
