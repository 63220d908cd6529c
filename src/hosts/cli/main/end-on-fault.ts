/** A bug that nobody caught ends the program at once, in words of ours; `before` gives back what the program had taken. */
export function endOnFault(before: () => void = () => {}): void {
  const end = async (thrown: unknown): Promise<void> => {
    before();
    const { reportFatal } = await import('./fatal.ts');
    process.exit(await reportFatal(thrown));
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
