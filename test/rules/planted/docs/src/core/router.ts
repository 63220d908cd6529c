/** Tells a command from a question. The person can turn it over. */
export function router(): string {
  return '/home/somebody/aish'; // TODO: ask the shell
}
