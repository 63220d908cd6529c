/** Names of folders and files that test runners collect by themselves, or read for their setup. */
const TEST_FOLDERS = /(?:^|\/)(?:tests?|__tests__|specs?)\//;
const TEST_NAMES = /(?:^|\/)(?:test_[^/]*\.py|conftest\.py|[^/]*[._-](?:test|spec)s?\.[^/]+|[^/]*Tests?\.(?:java|kt|cs|php|swift))$/;

/** Whether a path, relative to the project, is that of a test. */
export function isTestFile(path: string): boolean {
  return TEST_FOLDERS.test(path) || TEST_NAMES.test(path);
}

/** Settings at the top of a project, by the forms of their names: they decide what a check runs. */
const SETTINGS: readonly RegExp[] = [
  /^[^/]+\.(?:toml|cfg|ini|xml|mod|jsonc?|gradle(?:\.kts)?)$/,
  /^[^/]*\.config\.[^/]+$/,
  /^[^/]*[Ff]ile(?:\.[^/]+)?$/,
  /^\.[^/]+rc(?:\.[^/]+)?$/,
  /^(?:CMakeLists\.txt|setup\.py|build\.rs)$/,
];

/**
 * The files of a project, relative to it, that its checks depend on: tests, settings that decide what a check runs, and the files that the
 * checks name. `named` are the words and scripts of the checks.
 */
export function findPinned(files: readonly string[], named: readonly string[]): readonly string[] {
  const known = new Set(named);
  return files.filter((path) => isTestFile(path) || SETTINGS.some((form) => form.test(path)) || known.has(path));
}
