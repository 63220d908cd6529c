import type { Argument } from '../argument.ts';
import { type Invocation, isGiven, means } from '../parse.ts';
import { usePath } from '../path-use.ts';
import { locate } from '../place.ts';
import { type Call, type CommandSpec, rows, type SpecTable } from '../spec.ts';
import { type Effect, effect, taskEffect } from '../verdict.ts';
import { CHECKERS, isElsewhere, TESTERS, task } from './tasks.ts';

const LISTED = task({ single: true, options: 'f= json m deps test e find tags= versions retracted u compiled export mod=' });

const CONTENT: CommandSpec = { operands: 'content' };

/** Tools that build, test and check a project. */
export const DEVELOPMENT: SpecTable = {
  make: { any: true, options: '-C:f:j::l::o:W:I: file= makefile= directory= jobs? eval=', custom: classifyMake },
  'gmake bazelisk scons bazel': { any: true, effect: 'runs' },
  ninja: {
    options: '-C:f:j:k:l:nt:vd:w:h verbose quiet',
    stops: true,
    on: { w: 'starts' },
    custom: ({ options }) => {
      const tools = options.flatMap(({ name, value }) => (name === 't' ? [value?.value ?? ''] : []));
      const isQuery =
        tools.length === 1 &&
        /^(list|targets|query|deps|graph|commands|rules|inputs|multi-inputs|compdb|missingdeps)$/.test(tools[0] ?? '');
      return isQuery ? [] : [effect('runs', 'rules of the project')];
    },
  },
  // Without a configuration run it shows the result of the last one.
  cmake: {
    any: true,
    custom: ({ operands }, { words, scope }) =>
      words.some(({ value }) => value === '-N') && words.every(({ start }) => /^(?:-N|-L[AHR]{0,3}|[^-].*)$/.test(start))
        ? operands.flatMap((word) => usePath(word, 'content', scope))
        : [effect('runs', 'rules of the project')],
  },
  // The project's own files determine the list of tests.
  ctest: {
    single: true,
    options: 'N show-only? R= E= L= LE= V VV C= test-dir= tests-regex= exclude-regex= label-regex= preset= build-config=',
    custom: (given, call) =>
      isGiven(given, 'N', 'show-only') &&
      given.operands.length === 0 &&
      !given.options.some(({ value }) => value && isElsewhere(value, call))
        ? [effect('task')]
        : [effect('runs', 'tests of the project')],
  },
  jar: {
    any: true,
    options: '-f: file=',
    custom: ({ operands }, { words, scope }) => {
      const isList = /^-?(?=\w*t)[tvf]+$/.test(words[0]?.value ?? '') || words[0]?.value === '--list';
      if (!isList) return [effect('changes', 'an archive')];
      return operands.flatMap((word) => (word === words[0] ? [] : usePath(word, 'content', scope)));
    },
  },
  'ghc-pkg': {
    lenient: true,
    options: '-v:: user global no-user-package-db simple-output names-only ipid expand-pkgroot ignore-case',
    sub: { 'list describe field dump check find-module latest dot': { lenient: true, options: 'user global simple-output names-only' } },
    effect: 'changes',
  },
  ...TESTERS,
  ...CHECKERS,
  'gofmt goimports': {
    single: true,
    options: 'd l w s e r= local= v format-only srcdir=',
    custom: (given, call) => classifyFormat(given, call, isGiven(given, 'w')),
  },
  shfmt: {
    single: true,
    options: 'w write l list d diff i= ci bn s sr kp fn ln= f mn p',
    custom: (given, call) => classifyFormat(given, call, isGiven(given, 'w', 'write')),
  },
  'clang-format': {
    options: '-in style= dry-run Werror fallback-style= sort-includes verbose lines= assume-filename=',
    custom: (given, call) => classifyFormat(given, call, isGiven(given, 'i')),
  },
  rustfmt: {
    options: '-vqlh check edition= verbose quiet color= emit=',
    custom: (given, call) => classifyFormat(given, call, !isGiven(given, 'check')),
  },
  ...rows(CONTENT, {
    shellcheck: `-axs:f:e:i:o:S:P:W:C::V shell= format= exclude= include= severity= external-sources color? enable= source-path=
      list-optional check-sourced wiki-link-count= norc`,
    hadolint: '-f:t:V ignore= format= failure-threshold= no-fail no-color trusted-registry= verbose',
    yamllint: '-f:d:sv format= strict no-warnings list-files',
    codespell: '-L:S:fHq:C: ignore-words-list= skip= check-filenames check-hidden quiet-level= count context= summary',
    typos: 'format= diff files exclude= hidden no-ignore sort locale=',
  }),
  markdownlint: { options: '-i:jqs disable enable ignore= json dot quiet stdin fix', on: { fix: 'adds' }, operands: 'content' },
  actionlint: { single: true, options: 'color no-color verbose format= ignore= oneline stdin-filename=', operands: 'content' },
  cargo: {
    any: true,
    on: { 'config C manifest-path Z': 'runs' },
    sub: {
      'build b check c test t clippy doc bench fmt': task({
        options: `-p:j:vqrF: release workspace all all-targets all-features no-default-features features= package= bin= bins lib example=
          examples test= tests bench= benches doc no-run no-fail-fast jobs= profile= target= verbose quiet color= message-format= offline
          locked frozen keep-going exclude= ignore-rust-version timings? no-deps document-private-items fix allow-dirty allow-staged
          allow-no-vcs check`,
        named: 'target profile',
      }),
      nextest: task({
        verbs: 'run list',
        options: '-p:E:j:r release workspace all-features no-fail-fast package= filter-expr= no-capture retries= features=',
      }),
      // It starts the compiler that the project names, writes the lock file, and may fetch.
      'tree metadata': task({
        options: `-ip:e:d:fF:qv invert= package= edges= depth= prune= duplicates no-dedupe prefix= format= charset= features= all-features
          no-default-features target= manifest-path= frozen locked offline no-deps format-version= filter-platform= workspace exclude=
          quiet verbose color=`,
      }),
      'pkgid locate-project read-manifest verify-project version help': {
        lenient: true,
        options: '-p:qvV package= workspace message-format= verbose quiet offline locked frozen color= list',
      },
      'run r': { any: true, effect: 'runs' },
      clean: { any: true, effect: 'destroys' },
      install: { any: true, custom: (given) => (isGiven(given, 'list') && given.operands.length === 0 ? [] : [effect('network')]) },
      'add update fetch search vendor audit outdated': { any: true, effect: 'network' },
      'publish yank owner login': { any: true, effect: 'destroys' },
    },
    effect: 'runs',
  },
  go: {
    any: true,
    single: true,
    options: 'C=',
    on: { C: 'runs' },
    sub: {
      'build test vet': task({
        single: true,
        options: `v x n a race msan asan cover covermode= coverpkg= coverprofile= run= bench= benchmem benchtime= count= cpu= failfast
          list= parallel= short shuffle= timeout= tags= mod= trimpath json p= vet= fullpath skip= fuzz= fuzztime= work buildvcs= c
          toolexec= exec= vettool=`,
        on: { 'toolexec exec vettool': 'starts' },
        reports: 'coverprofile',
      }),
      list: {
        ...LISTED,
        // A module's versions are queried at its origin.
        on: { 'versions retracted u': 'network' },
        custom: (given, call) =>
          given.operands.some(({ value }) => value?.includes('@') !== false)
            ? [effect('network', 'modules')]
            : (LISTED.custom?.(given, call) ?? []),
      },
      version: { single: true, options: 'm v', operands: 'name' },
      doc: { single: true, options: 'all src short c cmd u' },
      help: { any: true },
      env: { any: true, on: { 'w u': 'plants' } },
      fmt: task({ single: true, options: 'n x' }),
      run: {
        any: true,
        stops: true,
        custom: ({ operands }) => [
          /^[\w-]+(\.[\w-]+)+\/\S*@/.test(operands[0]?.start ?? '')
            ? effect('remote code', operands[0]?.text ?? '')
            : effect('runs', 'a program of go'),
        ],
      },
      generate: { any: true, effect: 'runs' },
      mod: {
        any: true,
        sub: { 'graph why verify': task({ single: true, options: 'm go= vendor C=' }) },
        effect: 'network',
      },
      'get install work': { any: true, effect: 'network' },
      clean: { any: true, effect: 'destroys' },
      tool: {
        any: true,
        single: true,
        custom: ({ options, operands }) =>
          operands.length === 0 && options.length === 0
            ? []
            : operands[0]?.value === 'cover' && operands.length === 1 && options.every(({ name }) => name === 'func')
              ? []
              : [effect('runs', 'a tool of go')],
      },
    },
    effect: 'runs',
  },
  'mvn mvnw': {
    ...task({
      verbs: 'test',
      areGoals: true,
      single: true,
      options: `q quiet B batch-mode o offline e errors X ntp no-transfer-progress pl= am also-make fae ff V show-version T= DskipTests
        Dtest=`,
    }),
  },
  'gradle gradlew': {
    ...task({
      verbs: 'test tasks projects dependencies dependencyInsight help',
      areGoals: true,
      options: `-qwids info debug quiet warn stacktrace full-stacktrace offline parallel no-parallel no-daemon daemon all configuration=
        dependency= rerun-tasks continue console= build-cache no-build-cache tests= fail-fast`,
    }),
  },
  dotnet: {
    any: true,
    sub: {
      'build test': task({
        options: `-c:v:f:r: configuration= verbosity= no-restore no-build nologo framework= filter= no-incremental no-dependencies
          blame-hang list-tests`,
      }),
      list: { sub: { 'package reference': task({ options: '-v: framework= format= include-transitive' }) }, effect: 'network' },
      sln: {
        any: true,
        sub: {},
        custom: ({ operands }) =>
          /^(\S+\.slnx? )?list$/.test(operands.map(({ value }) => value).join(' ')) ? [] : [effect('changes', 'a solution')],
      },
      nuget: {
        any: true,
        sub: { list: { sub: { source: { lenient: true, options: 'format=' } }, effect: 'destroys' } },
        effect: 'destroys',
      },
      tool: { any: true, sub: { list: { lenient: true, options: '-g global local' } }, effect: 'network' },
      help: { any: true },
      'clean publish': { any: true, effect: 'destroys' },
      'add restore new workload': { any: true, effect: 'network' },
    },
  },
  mix: { ...task({ verbs: 'test compile', options: 'trace failed stale only= exclude= warnings-as-errors seed= max-failures= color' }) },
  'sbt lein rebar3 stack cabal': {
    any: true,
    custom: ({ operands }, { name }) =>
      /^(clean|publish|deploy|hex|release|upload)/.test(operands[0]?.start ?? '')
        ? [effect('destroys', `${name} ${operands[0]?.text ?? ''}`)]
        : [effect('runs', `${name} ${operands[0]?.text ?? ''}`)],
  },
  rustc: {
    any: true,
    custom: ({ options, operands }) =>
      operands.length === 0 && options.every(({ name }) => 'vV'.includes(name)) ? [] : [effect('runs', 'a compiler')],
  },
  'gcc g++ cc c++ clang clang++ ld as javac kotlinc scalac swiftc ocamlc nasm': { any: true, effect: 'runs' },
  'nm objdump readelf ldd addr2line c++filt otool size': { any: true, on: { plugin: 'starts' }, custom: classifyBinary },
  'pre-commit husky lint-staged changesets lerna nx turbo': { any: true, effect: 'runs' },
};

/** Recipes and substitutions of a makefile that the line shows. */
function classifyMakefile(text: string, call: Call): void {
  for (const [, command = ''] of text.matchAll(/\$\(shell\s((?:[^()]|\([^)]*(?:\)|$))*)(?:\)|$)|!=\s*(.*)/g)) call.classifyScript(command);
  for (const line of text.split('\n')) {
    const recipe = /^\t\s*[@+-]*(.*)$/s.exec(line)?.[1] ?? /^[^\t#:=]*:(?!=)[^;=]*;\s*[@+-]*(.*)$/s.exec(line)?.[1];
    if (recipe !== undefined && recipe !== '') call.classifyScript(recipe.replaceAll('$$', '$'));
  }
}

/** A variable of make, given as a word. */
const SETTING = /^[\w.-]+(?:[+?!]|:{1,3})?=/;

function classifyMake(given: Invocation, call: Call): readonly Effect[] {
  const { operands } = given;
  const shown = given.options.flatMap(({ name, value }) => (means(name, 'eval') && value?.value) || []);
  const isRead = given.options.some(({ name, value }) => /^f$|^(make)?file$/.test(name) && /^(-|\/dev\/stdin)$/.test(value?.value ?? ''));
  for (const text of [
    ...shown,
    ...operands.flatMap(({ value }) => (SETTING.test(value ?? '') ? [value ?? ''] : [])),
    ...(isRead ? [call.input.text ?? ''] : []),
  ])
    classifyMakefile(text, call);
  if (isGiven(given, ...'f file makefile eval E I include-dir C directory o old-file W what-if'.split(' ')))
    return [effect('runs', 'another makefile')];
  if (operands.some(({ start }) => SETTING.test(start))) return [effect('runs', 'variables that its commands use')];
  const isDry = isGiven(given, 'n', 'just-print', 'dry-run', 'recon', 'q', 'question');
  if (
    !isDry &&
    operands.some(
      ({ value }) =>
        value !== null &&
        /^(dist)?clean(-.*)?$|^uninstall$|^(deploy|publish|release|push|destroy|purge|nuke|reset|drop)(-.*)?$/.test(value),
    )
  )
    return [effect('destroys', 'a target that deletes or publishes')];
  if (!isDry && operands.some(({ value }) => value !== null && /^install(-.*)?$/.test(value)))
    return [effect('changes', 'installs what was built')];
  const strange = operands.find((word) => isElsewhere(word, call));
  if (strange !== undefined) return [effect('runs', strange.text)];
  return [taskEffect(call.scope, 'Makefile')];
}

/** Options that fetch source information from a named server. */
const FETCHES_SOURCES: Readonly<Record<string, readonly string[]>> = {
  objdump: ['dwarf', 'W', 'source', 'source-comment', 'S', 'line-numbers', 'l', 'debugging', 'g', 'process-links'],
  readelf: ['debug-dump', 'w', 'process-links', 'P'],
};

function classifyBinary({ options, operands }: Invocation, call: Call): readonly Effect[] {
  if (call.name === 'ldd' && !operands.every((word) => isOfSystem(word, call))) return [effect('runs', 'ldd may start what it looks at')];
  const names = FETCHES_SOURCES[call.name] ?? [];
  const isKept = call.words.some(({ start }) => /^(-[wW]E|--(dwarf|debug-dump)=do-not-use-debuginfod)$/.test(start));
  const fetching = isKept ? undefined : options.find((one) => isGiven({ options: [one] }, ...names));
  const files = operands.flatMap((word) =>
    word.start.startsWith('@') ? [effect('runs', `options from ${word.text}`)] : usePath(word, 'content', call.scope),
  );
  return fetching === undefined ? files : [...files, effect('network', `the option ${fetching.name} of ${call.name}`)];
}

function isOfSystem({ value }: Argument, { scope }: Call): boolean {
  return value !== null && locate(value, scope.cwd, scope.context).zone === 'system';
}

function classifyFormat({ operands }: Invocation, { scope }: Call, edits: boolean): readonly Effect[] {
  return operands.flatMap((word) => (word.value === '.' && edits ? [effect('task')] : usePath(word, edits ? 'edit' : 'content', scope)));
}
