// A comment about Date.now() is no violation.
export function stamp(): string {
  return `${new Date().getTime()} ${Math.random()} ${import.meta.url}`;
}
