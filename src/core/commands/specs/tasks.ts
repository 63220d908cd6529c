import type { Argument } from '../argument.ts';
import type { Invocation, OptionGrammar } from '../parse.ts';
import { locate } from '../place.ts';
import type { Call, CommandSpec, Meaning, SpecTable } from '../spec.ts';
import { type Effect, effect, taskEffect } from '../verdict.ts';

/** The options of a project task that load no outside code and write nowhere else. */
interface TaskGrammar extends OptionGrammar {
  /** Options that take a name; a path there would be code to load. */
  readonly named?: string;
  readonly on?: Readonly<Record<string, Meaning>>;
  /** Options that name an output file. A name that does not look like a report may be a source file. */
  readonly reports?: string;
  /** Allowed verbs as the first operand. */
  readonly verbs?: string;
  /** Every operand is a verb. */
  readonly areGoals?: true;
}

/** A task declared by the project. After a file was written, or another file was named, it may be a different task. */
export function task(grammar: TaskGrammar): CommandSpec {
  return { ...grammar, custom: (given, call) => classifyTask(grammar, given, call) };
}

function classifyTask({ named, verbs, areGoals, reports }: TaskGrammar, { options, operands }: Invocation, call: Call): readonly Effect[] {
  const isOther = (verb: Argument | undefined) => !verbs?.split(' ').includes(verb?.value ?? '');
  const other = operands.slice(0, areGoals === true ? undefined : 1).find(isOther);
  if (verbs !== undefined && (operands.length === 0 || other !== undefined)) return [classifyVerb(call.name, other)];
  const strange = operands.find((word) => isElsewhere(word, call));
  if (strange !== undefined) return [effect('runs', `${strange.text} is outside the project`)];
  const plants = options.find(
    ({ value }) => value !== null && locate(value.value ?? value.start, call.scope.cwd, call.scope.context).isGuarded,
  );
  if (plants !== undefined) return [effect('plants', `the option ${plants.name}`)];
  const loads = options.find(
    ({ name, value }) =>
      value !== null && (isElsewhere(value, call) || (named?.split(' ').includes(name) && !/^[\w,=-]+$/.test(value.value ?? '/'))),
  );
  if (loads !== undefined) return [effect('runs', `the option ${loads.name}`)];
  const written = options.find(({ name, value }) => reports?.split(' ').includes(name) && !REPORT.test(value?.value ?? ''));
  if (written !== undefined) return [effect('changes', `the option ${written.name}`)];
  return [taskEffect(call.scope)];
}

function classifyVerb(name: string, verb: Argument | undefined): Effect {
  const isSent = /^(?:.*:)?(?:deploy|publish|upload|release)/.test(verb?.start ?? '');
  return isSent ? effect('destroys', 'publishes a package') : effect('runs', `${name} ${verb?.text ?? ''}`);
}

const REPORT = /\.(out|cov|coverprofile|prof|txt|log|html|xml)$|(^|\/)(c|cover|coverage|profile)$/;

/** A path outside the project, a file of further words, or an unknown word. */
export function isElsewhere(word: Argument, { scope }: Call): boolean {
  if (word.value === null) return word.isSplit || word.start === '' || word.start.startsWith('/');
  const path = word.value.replace(/^--?[\w-]+=/, '');
  if (path.startsWith('@')) return true;
  if (!/^[/~]|(^|\/)\.\.(\/|$)/.test(path)) return false;
  return locate(path, scope.cwd, scope.context, word.isGlob).zone !== 'project';
}

const JEST: TaskGrammar = {
  options: `-t:iw:obfh testNamePattern= testPathPattern= testPathPatterns= testPathIgnorePatterns= runInBand maxWorkers= coverage
    no-coverage collectCoverage collectCoverageFrom= watch watchAll? bail? verbose silent ci onlyChanged changedSince= passWithNoTests
    detectOpenHandles forceExit no-cache listTests findRelatedTests selectProjects= shard= colors color json logHeapUsage runTestsByPath
    testTimeout= errorOnDeprecated expand showConfig randomize seed= lastCommit onlyFailures noStackTrace detectLeaks workerThreads`,
};

const VITEST: TaskGrammar = {
  options: `-t:wh run watch coverage? coverage.enabled coverage.reporter= testNamePattern= reporter= silent? bail= retry= maxWorkers=
    minWorkers= passWithNoTests changed? no-color hideSkippedTests allowOnly shard= project= testTimeout= hookTimeout= pool= threads
    no-threads logHeapUsage no-file-parallelism isolate no-isolate globals dom expandSnapshotDiff exclude=`,
  named: 'reporter coverage.reporter pool',
};

/** Test runners. */
export const TESTERS: SpecTable = {
  'pytest py.test': task({
    options: `-vqxslk:m:n:r:hW: verbose quiet exitfirst maxfail= capture= showlocals last-failed lf failed-first ff new-first nf stepwise
      sw collect-only co tb= durations= durations-min= strict-markers strict-config cov? cov-report= cov-branch no-cov cov-fail-under=
      no-header no-summary color= disable-warnings disable-pytest-warnings ignore= ignore-glob= deselect= numprocesses= dist= timeout=
      reruns= reruns-delay= asyncio-mode= benchmark-only benchmark-skip doctest-modules runxfail markers fixtures setup-show full-trace`,
    named: 'cov-report W',
  }),
  jest: task(JEST),
  vitest: {
    ...task(VITEST),
    custom: (given, call) =>
      ['init', 'standalone'].includes(given.operands[0]?.value ?? '')
        ? [effect('changes', 'settings of the project')]
        : classifyTask(VITEST, given, call),
  },
  mocha: task({
    options: `-g:f:t:bR:wh grep= fgrep= timeout= bail reporter= recursive exit watch parallel forbid-only slow= retries= check-leaks
      full-trace colors color no-color jobs= extension= ignore= dry-run list-reporters`,
    named: 'R reporter',
  }),
  ava: task({ options: '-vsm:wc:T:t verbose serial fail-fast match= watch concurrency= timeout= tap color no-color' }),
  playwright: task({
    options: `-g:j:x project= grep= grep-invert= headed workers= reporter= retries= timeout= list max-failures= repeat-each= shard=
      forbid-only last-failed pass-with-no-tests quiet trace=`,
    named: 'reporter',
    verbs: 'test',
  }),
};

/** Code checkers, and formatters, which edit the files they are given. */
export const CHECKERS: SpecTable = {
  'tsc vue-tsc': task({
    single: true,
    on: { clean: 'destroys' },
    options: `noEmit p= project= b build clean watch w v h all strict pretty? listFiles listFilesOnly listEmittedFiles showConfig
      incremental force f dry d verbose diagnostics extendedDiagnostics traceResolution skipLibCheck target= module= t= m= lib= jsx=
      outDir= declaration emitDeclarationOnly noUnusedLocals noUnusedParameters esModuleInterop allowJs checkJs strictNullChecks
      noImplicitAny isolatedModules moduleResolution= rootDir= sourceMap resolveJsonModule types= preserveWatchOutput explainFiles
      noErrorTruncation noCheck`,
  }),
  eslint: task({
    options: `-f:h ext= fix fix-dry-run fix-type= quiet max-warnings= cache cache-strategy= color no-color no-error-on-unmatched-pattern
      report-unused-disable-directives report-unused-disable-directives-severity= rule= env= global= ignore-pattern= no-ignore
      no-inline-config debug print-config= stdin stdin-filename= env-info exit-on-fatal-error no-eslintrc pass-on-no-patterns stats
      no-warn-ignored concurrency= format=`,
    named: 'f format',
  }),
  prettier: task({
    options: `-lcwuh write check list-different config-precedence= ignore-path= ignore-unknown log-level= loglevel= no-color cache
      no-config no-editorconfig tab-width= print-width= single-quote no-semi trailing-comma= prose-wrap= end-of-line= parser=
      stdin-filepath= use-tabs no-error-on-unmatched-pattern find-config-path= file-info= support-info bracket-same-line arrow-parens=
      html-whitespace-sensitivity= quote-props= jsx-single-quote debug-check`,
    named: 'parser',
  }),
  stylelint: task({
    options: `-f:q fix quiet max-warnings= cache allow-empty-input color no-color ignore-path= ignore-pattern= formatter=
      report-needless-disables validate`,
    named: 'f formatter',
  }),
  biome: task({
    verbs: 'check lint format ci version explain search rage',
    options: `write apply apply-unsafe fix unsafe staged changed since= no-errors-on-unmatched max-diagnostics= diagnostic-level=
      error-on-warnings reporter= verbose colors= skip= only= formatter-enabled? linter-enabled? indent-style= indent-width= line-width=
      quote-style= stdin-file-path=`,
  }),
  oxlint: task({ options: '-D:A:W:f: fix quiet deny-warnings type-aware ignore-path= format= max-warnings= threads= silent' }),
  dprint: task({ verbs: 'check fmt output-file-paths', options: 'incremental? verbose diff staged' }),
  black: task({
    options: `-ql:t:Svhc: check diff color quiet verbose line-length= target-version= fast safe skip-string-normalization include=
      exclude= extend-exclude= force-exclude= workers= preview pyi ipynb stdin-filename= skip-magic-trailing-comma code=`,
  }),
  ruff: task({
    verbs: 'check format version rule linter config help',
    options: `-enqvsh fix unsafe-fixes fix-only diff watch select= ignore= extend-select= extend-ignore= show-source output-format=
      statistics exit-zero exit-non-zero-on-fix quiet verbose silent line-length= target-version= preview no-preview check exclude=
      extend-exclude= force-exclude no-cache show-files show-settings add-noqa per-file-ignores= range= stdin-filename= isolated
      show-fixes no-fix fixable= unfixable= respect-gitignore all`,
  }),
  isort: task({
    options: `-cdqvl:w:m:p:o:s: check check-only diff profile= quiet verbose line-length= atomic float-to-top color show-files skip=
      skip-glob= extend-skip= filter-files known-first-party= known-third-party= src= multi-line= trailing-comma stdout`,
  }),
  flake8: task({
    options: `-qvj: max-line-length= max-complexity= select= ignore= extend-ignore= extend-select= exclude= extend-exclude= filename=
      statistics count show-source format= per-file-ignores= quiet verbose jobs= isolated exit-zero benchmark`,
  }),
  pylint: task({
    options: `-Ed:e:f:r:s:j:v disable= enable= errors-only output-format= reports= score= jobs= fail-under= fail-on= exit-zero
      max-line-length= ignore= ignore-patterns= ignore-paths= recursive= msg-template= list-msgs help-msg= verbose good-names=
      min-similarity-lines=`,
    named: 'f output-format',
  }),
  mypy: task({
    options: `-p:m:vh strict ignore-missing-imports no-incremental show-error-codes pretty package= module= exclude= python-version=
      platform= disallow-untyped-defs check-untyped-defs no-error-summary show-column-numbers no-color-output color-output
      explicit-package-bases namespace-packages follow-imports= warn-unused-ignores warn-return-any warn-unreachable no-implicit-optional
      disallow-any-generics hide-error-context show-error-context no-site-packages non-interactive verbose disable-error-code=
      enable-error-code= scripts-are-modules no-strict-optional`,
  }),
  pyright: task({
    options: '-p:w project= pythonversion= pythonplatform= warnings outputjson stats verbose skipunannotated level= dependencies watch',
  }),
  autopep8: task({
    options: `-idravj:p: in-place diff recursive aggressive max-line-length= list-fixes verbose exit-code ignore= select= jobs=
      indent-size= experimental`,
  }),
  yapf: task({ options: '-idrpvql:e: in-place diff recursive parallel verbose quiet lines= exclude= style=' }),
};
