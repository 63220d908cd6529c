const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'];

/** The environment a server starts with: a short list of harmless names and what its configuration adds. Secrets of other programs stay here. */
export function toServerEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && (INHERITED.includes(name) || name.startsWith('LC_'))) environment[name] = value;
  }
  return { ...environment, ...configured };
}
