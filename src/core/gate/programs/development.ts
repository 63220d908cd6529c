import { find } from '../findings.ts';
import { type GivenWords, isGiven, means } from '../options.ts';
import { usePath } from '../path-use.ts';
import type { Call, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';
import { CHECKERS, isElsewhere, TESTERS, task } from './tasks.ts';

/** Tools that build, test and check a project. */
export const DEVELOPMENT: RuleTable = {
  make: { any: true, short: 'C:f:j::l::o:W:I:', long: 'file= makefile= directory= jobs? eval=', judge: judgeMake },
  'gmake ninja cmake meson bazel bazelisk scons just task rake invoke nox tox': { any: true, effect: 'runs' },
  ...TESTERS,
  ...CHECKERS,
  'gofmt goimports': {
    single: true,
    long: 'd l w s e r= local= v format-only srcdir=',
    judge: (given, call) => judgeFormat(given, call, isGiven(given, 'w')),
  },
  shfmt: {
    single: true,
    long: 'w write l list d diff i= ci bn s sr kp fn ln= f mn p',
    judge: (given, call) => judgeFormat(given, call, isGiven(given, 'w', 'write')),
  },
  'clang-format': {
    short: 'in',
    long: 'style= dry-run Werror fallback-style= sort-includes verbose lines= assume-filename=',
    judge: (given, call) => judgeFormat(given, call, isGiven(given, 'i')),
  },
  rustfmt: {
    short: 'vqlh',
    long: 'check edition= verbose quiet color= emit=',
    judge: (given, call) => judgeFormat(given, call, !isGiven(given, 'check')),
  },
  shellcheck: {
    short: 'axs:f:e:i:o:S:P:W:C::V',
    long: 'shell= format= exclude= include= severity= external-sources color? enable= source-path= list-optional check-sourced wiki-link-count= norc',
    operands: 'content',
  },
  hadolint: {
    short: 'f:t:V',
    long: 'ignore= format= failure-threshold= no-fail no-color trusted-registry= verbose',
    operands: 'content',
  },
  yamllint: { short: 'f:d:sv', long: 'format= strict no-warnings list-files', operands: 'content' },
  markdownlint: {
    short: 'i:jqs',
    long: 'disable enable ignore= json dot quiet stdin fix',
    on: { fix: 'adds' },
    operands: 'content',
  },
  codespell: {
    short: 'L:S:fHq:C:',
    long: 'ignore-words-list= skip= check-filenames check-hidden quiet-level= count context= summary',
    operands: 'content',
  },
  typos: { long: 'format= diff files exclude= hidden no-ignore sort locale=', operands: 'content' },
  actionlint: {
    single: true,
    long: 'color no-color verbose format= ignore= oneline stdin-filename=',
    operands: 'content',
  },
  cargo: {
    any: true,
    on: { 'config C manifest-path Z': 'runs' },
    sub: {
      'build b check c test t clippy doc bench fmt': task({
        short: 'p:j:vqrF:',
        long: 'release workspace all all-targets all-features no-default-features features= package= bin= bins lib example= examples test= tests bench= benches doc no-run no-fail-fast jobs= profile= target= verbose quiet color= message-format= offline locked frozen keep-going exclude= ignore-rust-version timings? no-deps document-private-items fix allow-dirty allow-staged allow-no-vcs check',
        named: 'target profile',
      }),
      nextest: task({
        verbs: 'run list',
        short: 'p:E:j:r',
        long: 'release workspace all-features no-fail-fast package= filter-expr= no-capture retries= features=',
      }),
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
    long: 'C=',
    on: { C: 'runs' },
    sub: {
      'build test vet': task({
        single: true,
        long: 'v x n a race msan asan cover covermode= coverpkg= coverprofile= run= bench= benchmem benchtime= count= cpu= failfast list= parallel= short shuffle= timeout= tags= mod= trimpath json p= vet= fullpath skip= fuzz= fuzztime= work buildvcs= c',
        on: { 'toolexec exec vettool': 'starts' },
      }),
      list: task({ single: true, long: 'f= json m deps test e find tags=' }),
      version: { single: true, long: 'm v', operands: 'name' },
      doc: { single: true, long: 'all src short c cmd u' },
      help: { any: true },
      env: { any: true, on: { 'w u': 'plants' } },
      fmt: task({ single: true, long: 'n x' }),
      run: {
        any: true,
        stops: true,
        judge: ({ operands }) => [
          /^[\w-]+(\.[\w-]+)+\/\S*@/.test(operands[0]?.start ?? '')
            ? find('remote code', operands[0]?.text ?? '')
            : find('runs', 'a program of go'),
        ],
      },
      generate: { any: true, effect: 'runs' },
      'get install mod work': { any: true, effect: 'network' },
      clean: { any: true, effect: 'destroys' },
      tool: {
        any: true,
        single: true,
        judge: ({ options, operands }) =>
          operands[0]?.value === 'cover' && operands.length === 1 && options.every(({ name }) => name === 'func')
            ? []
            : [find('runs', 'a tool of go')],
      },
    },
    effect: 'runs',
  },
  'mvn mvnw': task({
    verbs: 'test',
    single: true,
    long: 'q quiet B batch-mode o offline e errors X ntp no-transfer-progress pl= am also-make fae ff V show-version T= DskipTests Dtest=',
  }),
  'gradle gradlew': task({
    verbs: 'test',
    short: 'qwids',
    long: 'info debug quiet warn stacktrace full-stacktrace offline parallel no-parallel no-daemon daemon rerun-tasks continue console= build-cache no-build-cache tests= fail-fast',
  }),
  dotnet: {
    any: true,
    sub: {
      'build test': task({
        short: 'c:v:f:r:',
        long: 'configuration= verbosity= no-restore no-build nologo framework= filter= no-incremental no-dependencies blame-hang list-tests',
      }),
      'clean publish nuget': { any: true, effect: 'destroys' },
      'add restore new tool workload': { any: true, effect: 'network' },
    },
  },
  mix: task({
    verbs: 'test compile',
    long: 'trace failed stale only= exclude= warnings-as-errors seed= max-failures= color',
  }),
  'sbt lein rebar3 stack cabal': {
    any: true,
    judge: ({ operands }, { name }) =>
      /^(clean|publish|deploy|hex|release|upload)/.test(operands[0]?.start ?? '')
        ? [find('destroys', `${name} ${operands[0]?.text ?? ''}`)]
        : [find('runs', `${name} ${operands[0]?.text ?? ''}`)],
  },
  rustc: {
    any: true,
    judge: ({ options, operands }) =>
      operands.length === 0 && options.every(({ name }) => 'vV'.includes(name)) ? [] : [find('runs', 'a compiler')],
  },
  'gcc g++ cc c++ clang clang++ ld as javac kotlinc scalac swiftc ghc ocamlc nasm': { any: true, effect: 'runs' },
  'nm objdump readelf size ldd addr2line c++filt otool': {
    any: true,
    on: { plugin: 'starts' },
    judge: ({ operands }, call) =>
      call.name === 'ldd'
        ? [find('runs', 'ldd may start what it looks at')]
        : operands.flatMap((word) =>
            word.start.startsWith('@')
              ? [find('runs', `options from ${word.text}`)]
              : usePath(word, 'content', call.scope),
          ),
  },
  'pre-commit husky lint-staged changesets lerna nx turbo': { any: true, effect: 'runs' },
};

/** Recipes and substitutions of a makefile that the line shows. */
function judgeMakefile(text: string, call: Call): void {
  for (const [, command = ''] of text.matchAll(/\$\(shell\s+((?:[^()]|\([^)]*\))*)\)|!=\s*(.*)/g))
    call.judgeScript(command);
  for (const line of text.split('\n')) {
    const recipe = /^\t\s*[@+-]*(.*)$/.exec(line)?.[1] ?? /^[^\t#:=]*:(?!=)[^;=]*;\s*[@+-]*(.*)$/.exec(line)?.[1];
    if (recipe !== undefined && recipe !== '') call.judgeScript(recipe.replaceAll('$$', '$'));
  }
}

function judgeMake(given: GivenWords, call: Call): readonly Finding[] {
  const { operands } = given;
  const shown = given.options.flatMap(({ name, value }) => (means(name, 'eval') && value?.value) || []);
  const isRead = given.options.some(
    ({ name, value }) => /^f$|^(make)?file$/.test(name) && /^(-|\/dev\/stdin)$/.test(value?.value ?? ''),
  );
  for (const text of [
    ...shown,
    ...operands.flatMap(({ value }) => (/^\w+[:+?]?=/.test(value ?? '') ? [value ?? ''] : [])),
    ...(isRead ? [call.input.text ?? ''] : []),
  ])
    judgeMakefile(text, call);
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
  const isDry = isGiven(given, 'n', 'just-print', 'dry-run', 'recon', 'q', 'question');
  if (
    !isDry &&
    operands.some(
      ({ value }) =>
        value !== null &&
        /^(dist)?clean(-.*)?$|^uninstall$|^(deploy|publish|release|push|destroy|purge|nuke|reset|drop)(-.*)?$/.test(
          value,
        ),
    )
  )
    return [find('destroys', 'a target that deletes or publishes')];
  if (!isDry && operands.some(({ value }) => value !== null && /^install(-.*)?$/.test(value)))
    return [find('changes', 'installs what was built')];
  const strange = operands.find((word) => isElsewhere(word, call));
  if (strange !== undefined) return [find('runs', strange.text)];
  return [call.scope.hasWritten ? find('runs', 'a task, after files were written') : find('task')];
}

/** A formatter prints, or edits what it is given. */
function judgeFormat({ operands }: GivenWords, { scope }: Call, edits: boolean): readonly Finding[] {
  return operands.flatMap((word) =>
    word.value === '.' && edits ? [find('task')] : usePath(word, edits ? 'edit' : 'content', scope),
  );
}
