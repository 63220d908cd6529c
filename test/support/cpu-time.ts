/** The CPU that some work takes, in milliseconds: a machine that is busy with something else makes no work of it look slow. */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
