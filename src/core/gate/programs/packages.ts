import type { Argument } from '../argument.ts';
import { find } from '../findings.ts';
import { looksLikeCommand } from '../looks-like-command.ts';
import { type GivenWords, isGiven, means } from '../options.ts';
import { applyRule, type Call, type ProgramRule, type RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';
import { judgeCode } from './interpreters.ts';
import { judgeCreated, judgeExecuted, judgeRunner } from './package-runners.ts';
import { isElsewhere } from './tasks.ts';

const SCRIPT_DENIED = /(deploy|publish|release|destroy|drop|clean|purge|nuke|migrate|seed|reset|prod)/i;

/** Options that make another project, another shell or other code run. */
const FOREIGN: readonly string[] = [
  'script-shell',
  'prefix',
  'C',
  'cwd',
  'dir',
  'node-options',
  'userconfig',
  'globalconfig',
  'shell',
  'preload',
  'r',
  'require',
  'config',
  'eval',
  'e',
  'import',
  'filter',
  'w',
  'workspace',
  'cache',
  'logs-dir',
  'git',
];

/** `bun build` writes where it is told. */
function judgeBundle(given: GivenWords, call: Call): readonly Finding[] {
  const target = given.options.find(
    ({ name, value }) => name.startsWith('out') && value !== null && isElsewhere(value, call),
  );
  if (target !== undefined) return [find('changes', `the option ${target.name}`)];
  return judgeScript(given, call, false);
}

/** Packages of the same project, by name. */
function isWorkspace(name: string, value: Argument | null, program: string): boolean {
  if (name === 'workspaces' || name === 'recursive' || (name === 'r' && program === 'pnpm')) return true;
  if (!['w', 'workspace', 'filter'].includes(name)) return false;
  return value === null || (value.value !== null && !/^[/~]|\.\./.test(value.value));
}

function judgeScript({ operands, options }: GivenWords, call: Call, isNamed: boolean): readonly Finding[] {
  const { scope } = call;
  const program = call.name;
  const bad = options.find(
    ({ name, value }) => FOREIGN.some((one) => means(name, one)) && !isWorkspace(name, value, program),
  );
  if (bad !== undefined) return [find('runs', `the option ${bad.name}`)];
  const [script] = isNamed ? operands : [undefined];
  if (isNamed && script === undefined) return [find('task')];
  if (call.words.some(({ start }) => /^--config[.=]/.test(start))) return [find('runs', 'another setting')];
  if (script !== undefined && (script.value === null || /[./]/.test(script.value)))
    return [find('runs', `the script ${script.text}`)];
  if (script !== undefined && SCRIPT_DENIED.test(script.start))
    return [find('runs', `the script ${script.text}, whose name says more than a build`)];
  return [scope.hasWritten ? find('runs', 'a task, after files were written') : find('task')];
}

const NAMED: ProgramRule = { any: true, judge: (given, call) => judgeScript(given, call, true) };
const TEST: ProgramRule = { any: true, judge: (given, call) => judgeScript(given, call, false) };

const SETTING: ProgramRule = {
  any: true,
  judge: ({ operands }) =>
    operands.some(({ start }) => /auth|token|password/i.test(start)) ? [find('secrets', 'a setting')] : [],
};

/** Package managers that start scripts of the project. */
const SCRIPTED: ProgramRule = {
  any: true,
  short: 'w:C:F:',
  long: 'workspace= prefix= dir= cwd= filter= script-shell= userconfig= globalconfig= loglevel=',
  on: {
    'script-shell prefix C dir cwd userconfig globalconfig node-options preload require import config c env-file use-yarnrc eval e shell':
      'runs',
  },
  sub: {
    'run run-script': NAMED,
    'test t tst': TEST,
    build: { ...TEST, long: 'outdir= outfile= root=', judge: judgeBundle },
    'lint typecheck type-check check format fmt check-types': {
      any: true,
      judge: (given, call) => (call.name === 'npm' ? [find('runs')] : judgeScript(given, call, false)),
    },
    'ls list ll la why explain root bin prefix pkg-get help help-search version -v licenses': {
      any: true,
      judge: ({ operands }, { words }) =>
        words[0]?.value === 'version' && operands.length > 0 ? [find('changes', 'another version')] : [],
    },
    'outdated view info show search v ping whoami audit fund repo docs bugs profile team org access dist-tag star': {
      any: true,
      effect: 'network',
    },
    'install i ci add update up upgrade dedupe prune rebuild link import fetch global patch-package install-test it cit clean-install':
      { any: true, effect: 'network' },
    'dlx exec x': { any: true, stops: true, short: 'p:c:w:', long: 'package= call= workspace=', judge: judgeExecuted },
    'create init': { any: true, judge: judgeCreated },
    'uninstall remove rm un r': { any: true, effect: 'changes' },
    'publish unpublish deprecate adduser login logout token owner pack': { any: true, effect: 'destroys' },
    pkg: { any: true, sub: { get: { any: true } }, effect: 'changes' },
    get: SETTING,
    'config c': { any: true, sub: { get: SETTING, 'list ls': { any: true } }, effect: 'plants' },
    set: { any: true, effect: 'plants' },
    cache: { any: true, effect: 'changes' },
    'start dev serve preview stop restart': { any: true, effect: 'runs' },
    pm: { any: true, sub: { 'ls bin hash': { any: true } }, effect: 'changes' },
  },
  effect: 'runs',
};

/** Package managers of languages. */
export const PACKAGES: RuleTable = {
  'npm pnpm yarn': SCRIPTED,
  bun: {
    any: true,
    stops: true,
    short: 'e:p:r:c:',
    long: 'eval= print= preload= require= import= config= cwd= env-file= filter=',
    judge: judgeBun,
  },
  'npx bunx pnpx dlx uvx pipx yarnpkg': { any: true, judge: judgeRunner },
  deno: {
    any: true,
    sub: {
      eval: { any: true, judge: judgeShown },
      'run install serve test bench': { any: true, stops: true, judge: judgeFetchedScript },
      publish: { any: true, effect: 'destroys' },
      'info types doc completions help': {
        any: true,
        judge: ({ operands }) => (operands.some(({ start }) => /^\w+:/.test(start)) ? [find('network')] : []),
      },
    },
    effect: 'runs',
  },
  'tsx ts-node esno': {
    any: true,
    stops: true,
    short: 'e:p:r:',
    long: 'eval= print= require= import= loader=',
    judge: ({ options }, call) =>
      options.some(({ name }) => /^(e|p|eval|print)$/.test(name))
        ? options.flatMap(({ name, value }) =>
            /^(e|p|eval|print)$/.test(name) && value?.value ? judgeCode(value.value, call) : [find('runs', 'code')],
          )
        : [find('runs', 'a script')],
  },
  nodemon: {
    any: true,
    short: 'x:w:e:i:d:r:',
    long: 'exec= watch= ext= ignore= delay= signal=',
    on: { 'x exec': 'runs' },
    effect: 'runs',
  },
  'twine flit': {
    any: true,
    judge: ({ operands }) =>
      operands[0]?.value === 'check' || operands[0]?.value === 'build'
        ? [find('runs', 'a check of packages')]
        : [find('destroys', 'publishes a package'), find('network')],
  },
  'goreleaser semantic-release release-it np vsce ovsx jsr pod': {
    any: true,
    judge: ({ operands, options }, { name }) =>
      /^(check|build|lint|init|ls|install|update)$/.test(operands[0]?.value ?? '') ||
      isGiven({ options }, 'dry-run', 'snapshot')
        ? [find('runs', name)]
        : [find('destroys', 'publishes a release'), find('network')],
  },
  'swc babel webpack vite rollup esbuild parcel next nuxt astro gatsby remix ng expo storybook': {
    any: true,
    effect: 'runs',
  },
  'pip pip3 pipenv poetry uv conda mamba micromamba pdm hatch rye': {
    any: true,
    on: { 'python log C directory project config-file proxy': 'runs' },
    sub: {
      show: {
        any: true,
        short: 'fvqlt',
        long: 'files verbose quiet tree all latest outdated why',
        on: { 'l latest o outdated': 'network', 'log path': 'changes' },
      },
      'list freeze check help inspect info debug tree': {
        any: true,
        on: {
          'o outdated u uptodate l latest index-url i extra-index-url f find-links': 'network',
          'log path': 'changes',
        },
      },
      version: { any: true, judge: ({ operands }) => (operands.length === 0 ? [] : [find('changes', 'the version')]) },
      pip: {
        any: true,
        sub: { 'list show freeze check tree': { any: true, on: { outdated: 'network' } } },
        effect: 'network',
      },
      env: { any: true, sub: { 'list info': { any: true } }, effect: 'changes' },
      publish: { any: true, effect: 'destroys' },
      'install download wheel add update upgrade sync lock search index self tool': {
        any: true,
        effect: 'network',
      },
      'uninstall remove': { any: true, effect: 'destroys' },
      cache: { any: true, sub: { 'dir info list size': { any: true } }, effect: 'destroys' },
      config: { any: true, sub: { 'get list debug': { any: true } }, effect: 'plants' },
      source: { any: true, sub: { 'show list': { any: true } }, effect: 'plants' },
      'run shell exec': { any: true, effect: 'runs' },
    },
    effect: 'runs',
  },
  'gem bundle bundler composer cpan cpanm luarocks opam rustup nvm pyenv rbenv asdf mise volta fnm sdk ghcup corepack':
    {
      any: true,
      sub: {
        'list ls show info which help version contents environment licenses current versions where platform': {
          any: true,
          on: { 'r remote b both o outdated l latest a all available': 'network', 'doctor alien': 'destroys' },
          judge: ({ operands }) => (operands[0]?.value === 'all' ? [find('network', 'what there is')] : []),
        },
        toolchain: { any: true, sub: { list: { any: true } }, effect: 'network' },
        'outdated check': { any: true, effect: 'network' },
        exec: { any: true, effect: 'runs' },
        config: {
          any: true,
          judge: ({ operands }) =>
            operands.length < 2 || /^(get|list)$/.test(operands[0]?.value ?? '')
              ? [find('runs', 'settings of packages')]
              : [find('plants', 'a setting of packages')],
        },
        sources: {
          any: true,
          judge: ({ options, operands }) =>
            options.some(({ name }) => !['l', 'list'].includes(name)) || operands.length > 0
              ? [find('plants', 'where packages come from')]
              : [],
        },
        'push upload publish yank owner': { any: true, effect: 'destroys' },
        'install update upgrade add require fetch': { any: true, effect: 'network' },
        'uninstall remove cleanup clean': { any: true, effect: 'destroys' },
      },
      effect: 'runs',
    },
  'apt apt-get aptitude dnf yum zypper apk pacman yay paru emerge xbps-install snap flatpak brew port nix nix-env nix-shell guix pkg rpm dpkg':
    { any: true, judge: judgeSystemPackages },
  'apt-mark': {
    sub: { 'showmanual showauto showhold showinstall': { any: true, on: { 'o option c config-file': 'runs' } } },
    effect: 'privileged',
  },
  'update-alternatives': {
    any: true,
    judge: (_, { words }) =>
      /^--(display|list|query|get-selections)$/.test(words[0]?.value ?? '') && words.length <= 2
        ? []
        : [find('privileged', 'which program a name stands for')],
  },
  'apt-file': { sub: { 'search list show find': { any: true } }, effect: 'network' },
  'xbps-query equery': { any: true, effect: 'runs' },
  'apt-key add-apt-repository dpkg-reconfigure debconf-set-selections': {
    any: true,
    effect: 'privileged',
  },
};

/** It runs code that it is given as an option, and does what package managers do. */
function judgeBun({ options }: GivenWords, call: Call): readonly Finding[] {
  const code = options.filter(({ name }) => /^(e|p|eval|print)$/.test(name)).flatMap(({ value }) => value ?? []);
  if (code.length === 0) return applyRule(SCRIPTED, call);
  return code.flatMap(({ value, text }) => (value === null ? [find('unclear', text)] : judgeCode(value, call)));
}

/** Code as an operand. */
function judgeShown({ operands }: GivenWords, call: Call): readonly Finding[] {
  return operands.flatMap(({ value, text }) => (value === null ? [find('unclear', text)] : judgeCode(value, call)));
}

/** A script by its address has been seen by nobody. */
function judgeFetchedScript({ operands }: GivenWords): readonly Finding[] {
  const [script] = operands;
  const isForeign = script !== undefined && /^(https?|npm|jsr|data):/.test(script.start);
  return [isForeign ? find('remote code', script.text) : find('runs', script?.text ?? 'a script')];
}

const QUERIES: Readonly<Record<string, RegExp>> = {
  apt: /^(list|show|search|policy|depends|rdepends|--installed)$/,
  'apt-get': /^check$/,
  dnf: /^(list|info|search|repolist|provides)$/,
  yum: /^(list|info|search|repolist|provides)$/,
  brew: /^(list|ls|info|deps|leaves|config|doctor|--prefix|--version|outdated|uses|cat|desc)$/,
  pacman: /^(-Q[a-z]*|-S[si]+|-F[lx]?)$/,
  snap: /^(list|version|services|connections|changes)$/,
  port: /^(installed|list|info|contents|provides)$/,
  guix: /^(show|describe)$/,
  pkg: /^(info|query|which)$/,
  'nix-env': /^(-q|--query)$/,
  emerge: /^(--search|-s|--info)$/,
  flatpak: /^(list|info)$/,
  apk: /^(list|info|search)$/,
  zypper: /^(se|search|info|lr|repos)$/,
  rpm: /^-q[a-z]*$/,
  dpkg: /^(-l|-L|-s|-S|-c|-I|-V|--contents|--info|--verify|--compare-versions|--print-foreign-architectures|--list|--status|--listfiles|--search|--get-selections|--print-architecture)$/,
};

/** Options of queries that start nothing and set nothing that is read: the words behind the verb have no others. */
const PLAIN_OPTION =
  /^(-[aclifdqvsknu]+|-[0-9]+|-f=[^%]*|--(all|installed|upgradable|upgradeable|manual-installed|all-versions|names-only|full|available|updates|extras|enabled|disabled|formula|formulae|cask|casks|versions|json(=v[12])?|installed-only|qf|queryformat|list|changelog|scripts|requires|provides|last|info|tree|no-pager|quiet|verbose|columns=[\w,:]+|app|runtime|system|user|include-deps|topological|recursive|leaves|upgrades|explicit|foreign|deps|unrequired|orphans|duplicates|showduplicates|search|description|whatrequires|whatprovides|package|file))$/;

function isHarmless(words: Call['words']): boolean {
  return words
    .slice(1)
    .every(
      ({ value }) => value !== null && (!value.startsWith('-') || PLAIN_OPTION.test(value)) && !/:\/\/|%\(/.test(value),
    );
}

function judgeSystemPackages(_: GivenWords, { name, words, judgeScript }: Call): readonly Finding[] {
  const [first, second] = words;
  if (['dnf', 'yum'].includes(name) && first?.value === 'history' && /^(list|info)?$/.test(second?.value ?? ''))
    return [];
  if (first?.value !== null && first !== undefined && QUERIES[name]?.test(first.value) === true && isHarmless(words))
    return [];
  const hook = words.find(({ start }) => /Invoke|::Pre-|::Post-|Proxy-Auto/i.test(start));
  if (hook !== undefined) {
    const command = hook.value?.replace(/^-?-?o?[\w:-]*=/, '');
    if (looksLikeCommand(command)) judgeScript(command ?? '');
    return [find('starts', hook.text), find('privileged')];
  }
  const removes = words.some(
    ({ value }) =>
      value !== null && /^(remove|purge|autoremove|erase|uninstall|-R\w*|-r|-P|--remove|--purge|-e|del)$/.test(value),
  );
  return [
    removes ? find('destroys', 'packages of the system') : find('privileged', 'packages of the system'),
    find('privileged'),
  ];
}
