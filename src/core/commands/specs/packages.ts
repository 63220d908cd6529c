import type { Argument } from '../argument.ts';
import { effectsOf, looksLikeCommand } from '../effects.ts';
import { type Invocation, isGiven, means } from '../parse.ts';
import { usePath } from '../path-use.ts';
import { type Call, type CommandSpec, type SpecTable, variants } from '../spec.ts';
import { type Effect, effect, taskEffect } from '../verdict.ts';
import { classifyCode } from './interpreters.ts';
import { isElsewhere, task } from './tasks.ts';

const SCRIPT_DENIED = /(deploy|publish|release|destroy|drop|clean|purge|nuke|migrate|seed|reset|prod)/i;

/** Options that run another project, another shell or other code. */
const FOREIGN: readonly string[] =
  `script-shell prefix C cwd dir node-options userconfig globalconfig shell preload r require config eval e import
    filter w workspace cache logs-dir git registry proxy https-proxy http-proxy ca cafile strict-ssl no-strict-ssl
    store-dir modules-dir virtual-store-dir lockfile-dir`.split(/\s+/);

/** `bun build` writes to the given place. */
function classifyBundle(given: Invocation, call: Call): readonly Effect[] {
  const target = given.options.find(({ name, value }) => name.startsWith('out') && value !== null && isElsewhere(value, call));
  if (target !== undefined) return [effect('changes', `the option ${target.name}`)];
  return classifyScript(given, call, false);
}

/** Packages of the same project, by name. */
function isWorkspace(name: string, value: Argument | null, program: string): boolean {
  if (name === 'workspaces' || name === 'recursive' || (name === 'r' && program === 'pnpm')) return true;
  if (!['w', 'workspace', 'filter'].includes(name)) return false;
  return value === null || (value.value !== null && !/^[/~]|\.\./.test(value.value));
}

function classifyScript({ operands, options }: Invocation, call: Call, isNamed: boolean): readonly Effect[] {
  const { scope } = call;
  const program = call.name;
  const [script] = isNamed ? operands : [undefined];
  // If no script has the name, bun starts the program of that name.
  if (program === 'bun' && script !== undefined && looksLikeCommand(script.value) && !NAMES_OF_SCRIPTS.test(script.start))
    call.classifyCommand(call.words.slice(call.words.indexOf(script)));
  const bad = options.find(({ name, value }) => FOREIGN.some((one) => means(name, one)) && !isWorkspace(name, value, program));
  if (bad !== undefined) return [effect('runs', `the option ${bad.name}`)];
  if (isNamed && script === undefined) return [effect('task')];
  const strange = isNamed ? operands.slice(1).find((word) => isElsewhere(word, call)) : undefined;
  if (strange !== undefined) return [effect('runs', `${strange.text} is outside the project`)];
  // A scope may have its own registry: `--@scope:registry=…`, `--//host/:_authToken=…`.
  if (call.words.some(({ start }) => /^--(?:config[.=]|@|\/\/)/.test(start))) return [effect('runs', 'another setting')];
  if (script !== undefined && (script.value === null || /[./]/.test(script.value))) return [effect('runs', `the script ${script.text}`)];
  if (script !== undefined && SCRIPT_DENIED.test(script.start))
    return [effect('runs', `the script ${script.text}, whose name says more than a build`)];
  return [taskEffect(scope, 'package.json')];
}

/** Names that scripts have more often than the programs of the same name are meant. */
const NAMES_OF_SCRIPTS = /^(?:test|install|link|watch|build|format|check|time|make|clean|docs?|serve|start|code|env|at|up)$/;

const NAMED: CommandSpec = { any: true, custom: (given, call) => classifyScript(given, call, true) };
const TEST: CommandSpec = { any: true, custom: (given, call) => classifyScript(given, call, false) };

const SETTING: CommandSpec = {
  any: true,
  on: { 'userconfig globalconfig prefix': 'runs' },
  custom: ({ operands }) => (operands.some(({ start }) => /auth|token|password/i.test(start)) ? [effect('secrets', 'a setting')] : []),
};

/** Package managers that run scripts of the project. */
const SCRIPTED: CommandSpec = {
  any: true,
  startsCommands: true,
  options: '-w:C:F: workspace= prefix= dir= cwd= filter= script-shell= userconfig= globalconfig= loglevel=',
  on: {
    [`script-shell prefix C dir cwd userconfig globalconfig node-options preload require import config c env-file
      use-yarnrc eval e shell`]: 'runs',
  },
  sub: {
    'run run-script': NAMED,
    'test t tst': TEST,
    build: { ...TEST, options: 'outdir= outfile= root=', custom: classifyBundle },
    'lint typecheck type-check check format fmt check-types': {
      any: true,
      custom: (given, call) => (call.name === 'npm' ? [effect('runs')] : classifyScript(given, call, false)),
    },
    'ls list ll la why explain root bin prefix pkg-get help help-search version -v licenses': {
      lenient: true,
      options: `-aglpwrDP all depth= json long parseable global omit= include= dev prod production only= link package-lock-only unicode
        no-unicode workspace= workspaces include-workspace-root recursive filter= no-color color? silent quiet pattern= lockfile-only
        optional no-optional peer exclude-peers exclude-links`,
      custom: ({ operands }, { words, name }) => {
        if (words[0]?.value === 'version' && operands.length > 0) return [effect('changes', 'another version')];
        // `.yarnrc.yml` selects the yarn program, and pnpm loads `.pnpmfile.cjs`.
        return name === 'npm' || name === 'bun' ? [] : [effect('task')];
      },
    },
    audit: {
      any: true,
      sub: { fix: { any: true, custom: () => [effect('network'), effect('runs', 'code of the packages that it installs')] } },
      effect: 'network',
    },
    'outdated view info show search v ping whoami fund repo docs bugs profile team org access dist-tag star': {
      any: true,
      effect: 'network',
    },
    'install i ci add update up upgrade dedupe prune rebuild link import fetch global patch-package install-test it cit clean-install': {
      any: true,
      effect: 'network',
    },
    'dlx exec x': { any: true, stops: true, options: '-p:c:w: package= call= workspace=', custom: classifyExecuted },
    'create init': { any: true, custom: classifyCreated },
    'uninstall remove rm un r': { any: true, effect: 'changes' },
    'publish unpublish deprecate adduser login logout token owner pack': { any: true, effect: 'destroys' },
    pkg: { any: true, sub: { get: { any: true } }, effect: 'changes' },
    get: SETTING,
    'config c': {
      any: true,
      sub: { get: SETTING, 'list ls': { any: true, on: { 'userconfig globalconfig prefix': 'runs' } } },
      effect: 'plants',
    },
    query: { any: true, on: { 'prefix C dir': 'runs' } },
    workspaces: {
      any: true,
      sub: { 'list info': task({ options: '-Rv recursive verbose json since? no-private' }) },
      effect: 'runs',
    },
    store: { any: true, sub: { path: {} }, effect: 'changes' },
    set: { any: true, effect: 'plants' },
    cache: { any: true, effect: 'changes' },
    'start dev serve preview stop restart': { any: true, effect: 'runs' },
    pm: { any: true, sub: { 'ls bin hash': { any: true } }, effect: 'changes' },
  },
  effect: 'runs',
};

/** Package managers of languages. */
export const PACKAGES: SpecTable = {
  'npm pnpm yarn yarnpkg': { ...SCRIPTED },
  bun: {
    interprets: { except: 'test run install pm' },
    any: true,
    stops: true,
    options: '-e:p:r:c: eval= print= preload= require= import= config= cwd= env-file= filter=',
    custom: classifyBun,
  },
  'npx bunx pnpx dlx uvx': { any: true, stops: true, interprets: true, custom: classifyRunner },
  pipx: {
    interprets: { except: 'list environment interpreter help' },
    any: true,
    sub: {
      'list environment help': { any: true },
      interpreter: { any: true, sub: { list: { any: true } }, effect: 'network' },
      run: { any: true, stops: true, custom: classifyRunner },
    },
    custom: classifyRunner,
  },
  deno: {
    interprets: true,
    any: true,
    sub: {
      eval: { any: true, custom: classifyShown },
      'run install serve test bench': { any: true, stops: true, custom: classifyFetchedScript },
      publish: { any: true, effect: 'destroys' },
      'types completions help': { any: true },
      // It fetches the imports of the module.
      'info doc': { any: true, custom: ({ operands }) => (operands.length > 0 ? [effect('network')] : []) },
    },
    effect: 'runs',
  },
  pipdeptree: {
    lenient: true,
    options: `-p:e:rlufad:w: packages= exclude= reverse local-only user-only freeze all depth= warn= json json-tree mermaid graph-output=
      license python=`,
    on: { python: 'runs' },
  },
  nodemon: { any: true, options: '-x:w:e:i:d:r: exec= watch= ext= ignore= delay= signal=', on: { 'x exec': 'runs' }, effect: 'runs' },
  'twine flit': {
    any: true,
    custom: ({ operands }) =>
      operands[0]?.value === 'check' || operands[0]?.value === 'build'
        ? [effect('runs', 'a check of packages')]
        : [effect('destroys', 'publishes a package'), effect('network')],
  },
  'goreleaser semantic-release release-it np vsce ovsx jsr pod': {
    any: true,
    custom: ({ operands, options }, { name }) =>
      /^(check|build|lint|init|ls|install|update)$/.test(operands[0]?.value ?? '') || isGiven({ options }, 'dry-run', 'snapshot')
        ? [effect('runs', name)]
        : [effect('destroys', 'publishes a release'), effect('network')],
  },
  'swc babel rollup esbuild parcel next nuxt astro gatsby remix storybook webpack vite ng expo': { any: true, effect: 'runs' },
  ...variants(
    {
      any: true,
      on: { 'python log C directory project config-file proxy': 'runs' },
      sub: {
        show: {
          lenient: true,
          options: `-fvqltoaTD files verbose quiet tree all latest outdated why top-level only= with= without= no-dev json format=
            no-pager no-ansi no-interaction log= path=`,
          on: { 'l latest o outdated': 'network', 'log path': 'changes' },
          custom: (_, call) => ownEnvironment(call),
        },
        'list freeze check help inspect info debug tree graph': {
          lenient: true,
          options: `-lef:vqouan:i:r: local user editable exclude-editable include-editable format= not-required exclude= verbose quiet all
            requirement= no-color tree pre isolated disable-pip-version-check json name= envs base outdated uptodate latest index-url=
            extra-index-url= find-links= log= path= graph fields= system depth= no-dedupe invert frozen locked offline package= prune=
            export full-name revisions canonical explicit md5`,
          on: {
            'r requirement': 'content',
            'o outdated u uptodate l latest index-url i extra-index-url f find-links': 'network',
            'log path': 'changes',
          },
          custom: ({ operands }, call) => [
            ...operands.flatMap((word) => usePath(word, 'text', call.scope)),
            ...(call.name === 'uv' && call.words.some(({ value }) => value === 'tree') ? [effect('task')] : []),
            ...ownEnvironment(call),
          ],
        },
        version: { any: true, custom: ({ operands }) => (operands.length === 0 ? [] : [effect('changes', 'the version')]) },
        pip: {
          any: true,
          sub: { 'list show freeze check tree': { any: true, options: '-p:', on: { outdated: 'network', 'p python': 'runs' } } },
          effect: 'network',
        },
        env: { any: true, sub: { 'list info': { any: true } }, effect: 'changes' },
        python: {
          sub: {
            'list find dir': {
              lenient: true,
              options: 'only-installed only-downloads all-versions all-platforms all-arches show-urls output-format= offline system',
            },
          },
          effect: 'network',
        },
        publish: { any: true, effect: 'destroys' },
        'install download wheel add update upgrade sync lock search index self': { any: true, effect: 'network' },
        tool: {
          any: true,
          sub: { 'list dir': { any: true, on: { outdated: 'network' } }, run: { any: true, effect: 'remote code' } },
          effect: 'network',
        },
        'uninstall remove': { any: true, effect: 'destroys' },
        cache: { any: true, sub: { 'dir info list size': { any: true } }, effect: 'destroys' },
        config: {
          any: true,
          sub: { 'get list debug': { any: true } },
          custom: ({ options }) =>
            options.length > 0 && options.every(({ name }) => /^(show|show-sources|describe|get|json|v|verbose)$/.test(name))
              ? []
              : [effect('plants', 'a setting of packages')],
        },
        source: { any: true, sub: { 'show list': { any: true } }, effect: 'plants' },
        'run shell exec': { any: true, options: '-n:p: name= prefix= cwd= with= python= env-file=', effect: 'runs' },
      },
      effect: 'runs',
    },
    {
      'pip pip3': {},
      uv: { startsCommands: true },
      'pipenv poetry conda mamba pdm rye': { startsCommands: true },
      'micromamba hatch': { startsCommands: true },
    },
  ),
  ...variants(
    {
      any: true,
      sub: {
        [`list ls show info which help version contents environment licenses current versions where platform validate why why-not
          depends prohibits specification dependency root env commands shims prefix`]: {
          lenient: true,
          options: `-aldrobvVqeitDTs local installed details versions all remote both outdated latest available verbose quiet exact
            prerelease paths name-only direct tree format= no-dev self platform path json no-ansi no-interaction short toolchain= long
            no-plugins no-check-publish no-check-lock no-check-all strict with-dependencies`,
          on: { 'r remote b both o outdated l latest a all available': 'network' },
          custom: classifyInstalled,
        },
        'toolchain component target plugin switch override': { any: true, sub: { list: { any: true } }, effect: 'network' },
        'outdated check': { any: true, effect: 'network' },
        exec: { any: true, effect: 'runs' },
        config: {
          any: true,
          custom: ({ operands }) =>
            operands.length < 2 || /^(get|list)$/.test(operands[0]?.value ?? '')
              ? [effect('runs', 'settings of packages')]
              : [effect('plants', 'a setting of packages')],
        },
        sources: {
          any: true,
          custom: ({ options, operands }) =>
            options.some(({ name }) => !['l', 'list'].includes(name)) || operands.length > 0
              ? [effect('plants', 'where packages come from')]
              : [],
        },
        'push upload publish yank owner': { any: true, effect: 'destroys' },
        'install update upgrade add require fetch': { any: true, effect: 'network' },
        'uninstall remove cleanup clean': { any: true, effect: 'destroys' },
      },
      effect: 'runs',
    },
    {
      'composer cpan cpanm luarocks ghcup corepack': {},
      'gem bundle bundler': { startsCommands: true },
      'opam mise': { startsCommands: true },
      rustup: { startsCommands: true },
      'nvm pyenv rbenv asdf volta fnm sdk nodenv goenv jenv tfenv': { startsCommands: true },
    },
  ),
};

/** Runs code given as an option, and otherwise acts like a package manager. */
function classifyBun({ options }: Invocation, call: Call): readonly Effect[] {
  const code = options.filter(({ name }) => /^(e|p|eval|print)$/.test(name)).flatMap(({ value }) => value ?? []);
  if (code.length === 0) return effectsOf(SCRIPTED, call);
  return code.flatMap(({ value, text }) => (value === null ? [effect('unclear', text)] : classifyCode(value, call)));
}

function classifyShown({ operands }: Invocation, call: Call): readonly Effect[] {
  return operands.flatMap(({ value, text }) => (value === null ? [effect('unclear', text)] : classifyCode(value, call)));
}

/** A script given by address is unknown code. */
function classifyFetchedScript({ operands }: Invocation): readonly Effect[] {
  const [script] = operands;
  const isForeign = script !== undefined && /^(https?|npm|jsr|data):/.test(script.start);
  return [isForeign ? effect('remote code', script.text) : effect('runs', script?.text ?? 'a script')];
}

/** Lists installed packages. Some programs query a registry, or run code of the project. */
function classifyInstalled({ operands, options }: Invocation, { name, words }: Call): readonly Effect[] {
  if ((name === 'sdk' && !/^(current|version)$/.test(words[0]?.value ?? '')) || operands[0]?.value === 'all')
    return [effect('network', 'looks up what is available')];
  // A Gemfile is a program, and composer loads plugins of the project.
  if (name === 'composer' && isGiven({ options }, 'd', 'working-dir')) return [effect('runs', 'another project')];
  const isTask = /^bundler?$/.test(name) || (name === 'composer' && !isGiven({ options }, 'no-plugins'));
  return isTask ? [effect('task')] : [];
}

/** pdm loads plugins of the project, and poetry creates an environment for the project if it is missing. */
function ownEnvironment({ name, scope }: Call): readonly Effect[] {
  if (name !== 'pdm' && name !== 'poetry') return [];
  return [taskEffect(scope)];
}

/** Tools that projects declare, by the names of their packages. */
const DECLARED: ReadonlySet<string> = new Set('tsc eslint prettier jest vitest mocha biome stylelint oxlint'.split(' '));

/** A declared tool is that tool; any other is fetched and started. */
function classifyRunner({ options }: Pick<Invocation, 'options'>, call: Call, isLocalFirst = true): readonly Effect[] {
  const isForeign = isGiven({ options }, 'p', 'package', 'c', 'call', 'from', 'with', 'spec');
  const at = call.words.findIndex((word) => !word.start.startsWith('-'));
  const program = call.words[at];
  if (
    !isForeign &&
    program?.value !== null &&
    program !== undefined &&
    DECLARED.has(program.value) &&
    call.name !== 'uvx' &&
    call.name !== 'pipx' &&
    isLocalFirst
  ) {
    call.classifyCommand(call.words.slice(at));
    return [];
  }
  return [effect('remote code', `${call.name} fetches and starts ${program?.text ?? 'a package'}`)];
}

/** `npm exec` fetches missing packages, as npx does; in other programs `dlx` fetches, and `exec` starts installed ones. */
function classifyExecuted(given: Invocation, call: Call): readonly Effect[] {
  const at = call.words.findIndex(({ value }) => /^(dlx|exec|x)$/.test(value ?? ''));
  const words = call.words.slice(at + 1).filter(({ value }) => value !== '--');
  const typed = given.options.filter(({ name }) => name === 'c' || name === 'call').flatMap(({ value }) => value?.value ?? []);
  for (const line of typed) call.classifyScript(line);
  if (given.operands.length === 0 && !isGiven(given, 'p', 'package')) return [effect('runs', `a shell of ${call.name}`)];
  const isInstalled = call.name !== 'npm' && call.words[at]?.value === 'exec';
  if (!isInstalled) return classifyRunner(given, { ...call, words }, call.words[at]?.value !== 'dlx');
  if (call.name === 'bun') call.classifyScript(given.operands.map(({ value, text }) => value ?? text).join(' '));
  else call.classifyCommand(given.operands);
  return [effect('runs', 'a program of a package')];
}

/** `npm create vite` fetches and runs create-vite; without a name npm only writes a package description. */
function classifyCreated({ operands }: Invocation, { name }: Call): readonly Effect[] {
  const [what] = operands;
  return what === undefined ? [effect('network')] : [effect('remote code', `${name} fetches and starts create-${what.text}`)];
}
