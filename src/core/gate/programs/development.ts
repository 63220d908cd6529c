import { find } from '../findings.ts';
import { type GivenWords, isGiven, means } from '../options.ts';
import { usePath } from '../path-use.ts';
import type { Call, ProgramRule, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';

/** A task that the project declares; after a file was written it may be another one. */
function task(...harmful: readonly string[]): ProgramRule {
  return {
    any: true,
    judge: ({ options, operands }, { scope }) => {
      const bad = options.find(({ name }) => harmful.some((one) => means(name, one)));
      if (bad !== undefined) return [find('runs', `the option ${bad.name}`)];
      if (operands.some((word) => word.value === null && word.isSplit))
        return [find('runs', 'a task by an unknown name')];
      return [scope.hasWritten ? find('runs', 'a task, after files were written') : find('task')];
    },
  };
}

/** Tasks that also take files to write. */
function checker(writes: readonly string[], harmful: readonly string[]): ProgramRule {
  return {
    any: true,
    short: 'o:c:',
    judge: (given, call) => [
      ...(task(...harmful).judge?.(given, call) ?? []),
      ...outside(given, call),
      ...(isGiven(given, ...writes) ? [find('task')] : []),
    ],
  };
}

/** A formatter that is pointed elsewhere edits what is not the project's. */
function outside({ operands, options }: GivenWords, { scope }: Call): readonly Finding[] {
  const output = options
    .filter(({ name }) => ['o', 'output', 'output-file', 'outFile', 'outDir', 'out'].includes(name))
    .flatMap(({ value }) => (value === null ? [] : usePath(value, 'replace', scope)));
  return [
    ...output,
    ...operands.filter((word) => /^(\/|~|\.\.)/.test(word.start)).flatMap((word) => usePath(word, 'replace', scope)),
  ];
}

/** Tools that build, test and check a project. */
export const DEVELOPMENT: RuleTable = {
  make: { any: true, short: 'C:f:j::l::o:W:I:', long: 'file= makefile= directory= jobs? eval=', judge: judgeMake },
  'gmake ninja cmake meson bazel bazelisk scons just task rake invoke nox tox': { any: true, effect: 'runs' },
  'tsc vue-tsc': checker([], ['init', 'clean', 'generateTrace', 'generateCpuProfile']),
  'eslint prettier stylelint biome oxlint dprint': checker(
    ['fix', 'write'],
    [
      'parser',
      'format',
      'f',
      'rulesdir',
      'resolve-plugins-relative-to',
      'plugin',
      'config',
      'c',
      'config-path',
      'init',
    ],
  ),
  'black ruff isort flake8 pylint mypy pyright autopep8 yapf': checker(
    [],
    [
      'config',
      'load-plugins',
      'rcfile',
      'init-hook',
      'pythonpath',
      'python-executable',
      'install-types',
      'output-file',
      'output',
    ],
  ),
  'pytest py.test jest vitest mocha ava playwright': task(
    'p',
    'c',
    'config',
    'rootdir',
    'confcutdir',
    'basetemp',
    'junitxml',
    'junit-xml',
    'log-file',
    'outputFile',
    'coverageDirectory',
    'cacheDirectory',
    'clearCache',
    'pastebin',
    'globalSetup',
    'setupFiles',
    'require',
    'r',
    'import-mode',
    'override-ini',
    'runner',
    'reporters',
    'testRunner',
    'update',
    'u',
    'updateSnapshot',
  ),
  'gofmt goimports rustfmt clang-format shfmt': {
    any: true,
    short: 'w',
    on: { 'w i': 'edit', cpuprofile: 'replace' },
    judge: ({ operands, options }, { scope }) =>
      operands.flatMap((word) =>
        usePath(word, options.some(({ name }) => 'wi'.includes(name)) ? 'edit' : 'content', scope),
      ),
  },
  'shellcheck hadolint yamllint markdownlint codespell typos actionlint jsonschema': { any: true, operands: 'content' },
  cargo: {
    any: true,
    sub: {
      'build b check c test t clippy doc bench nextest': task('config', 'target-dir', 'manifest-path', 'open', 'C'),
      fmt: task('config', 'manifest-path'),
      'tree metadata pkgid locate-project read-manifest verify-project version help': { any: true },
      'run r': { any: true, effect: 'runs' },
      clean: { any: true, effect: 'destroys' },
      'install add update fetch search vendor audit outdated': { any: true, effect: 'network' },
      'publish yank owner login': { any: true, effect: 'destroys' },
    },
    effect: 'runs',
  },
  go: {
    any: true,
    single: true,
    sub: {
      'build test vet': task(
        'toolexec',
        'exec',
        'o',
        'modfile',
        'overlay',
        'vettool',
        'ldflags',
        'gccgoflags',
        'compiler',
        'C',
      ),
      'list version doc help': task('toolexec', 'modfile', 'overlay', 'export', 'm', 'u', 'mod'),
      env: { any: true, on: { 'w u': 'plants' }, effect: 'reads' },
      fmt: task('C'),
      'run generate': { any: true, effect: 'runs' },
      'get install mod work': { any: true, effect: 'network' },
      clean: { any: true, effect: 'destroys' },
      tool: { any: true, effect: 'runs' },
    },
    effect: 'runs',
  },
  'mvn mvnw gradle gradlew dotnet sbt lein mix rebar3 stack cabal': {
    any: true,
    short: 'c:v:',
    long: 'configuration= verbosity=',
    judge: judgeBuildTool,
  },
  rustc: {
    any: true,
    judge: ({ options, operands }) =>
      operands.length === 0 && options.every(({ name }) => 'vV'.includes(name)) ? [] : [find('runs', 'a compiler')],
  },
  'gcc g++ cc c++ clang clang++ ld as javac kotlinc scalac swiftc ghc ocamlc nasm': { any: true, effect: 'runs' },
  'nm objdump readelf size ldd addr2line c++filt otool': {
    any: true,
    judge: ({ operands }, call) =>
      call.name === 'ldd'
        ? [find('runs', 'ldd may start what it looks at')]
        : operands.flatMap((word) => usePath(word, 'content', call.scope)),
  },
  'gdb lldb valgrind perf rr': { any: true, effect: 'runs' },
  'pre-commit husky lint-staged semantic-release release-it changesets lerna nx turbo': { any: true, effect: 'runs' },
};

function judgeMake(given: GivenWords, call: Call): readonly Finding[] {
  const { operands } = given;
  if (
    isGiven(
      given,
      'f',
      'file',
      'makefile',
      'eval',
      'E',
      'I',
      'include-dir',
      'C',
      'directory',
      'o',
      'old-file',
      'W',
      'what-if',
    )
  )
    return [find('runs', 'another makefile')];
  if (operands.some(({ start }) => /^\w+[:+?]?=/.test(start))) return [find('runs', 'variables that its commands use')];
  if (
    operands.some(
      ({ value }) =>
        value !== null &&
        /^(dist)?clean(-.*)?$|^(un)?install$|^(deploy|publish|release|push|destroy|purge|nuke|reset|drop)(-.*)?$/.test(
          value,
        ),
    )
  )
    return [find('destroys', 'a target that deletes or publishes')];
  return task().judge?.(given, call) ?? [];
}

function judgeBuildTool(given: GivenWords, call: Call): readonly Finding[] {
  const [first] = given.operands;
  const goals: Readonly<Record<string, RegExp>> = {
    mvn: /^test$/,
    mvnw: /^test$/,
    gradle: /^test$/,
    gradlew: /^test$/,
    dotnet: /^(build|test)$/,
    mix: /^(test|compile)$/,
  };
  const isTask =
    given.operands.length > 0 &&
    given.operands.every(({ value }) => value !== null && goals[call.name]?.test(value) === true);
  const isPlain = call.words.every(({ start }) => !/^-(D|P|I|f|s|gs|b|p:|init-script|settings)/.test(start));
  if (isTask && isPlain) return task().judge?.(given, call) ?? [];
  if (/^(clean|nuget|publish|deploy|hex|release)/.test(first?.start ?? ''))
    return [find('destroys', `${call.name} ${first?.text ?? ''}`)];
  return [find('runs', `${call.name} ${first?.text ?? ''}`)];
}
