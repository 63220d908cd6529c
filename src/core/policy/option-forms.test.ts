import { expect, test } from 'bun:test';
import { classifyLine } from './classify-line.ts';

const CONTEXT = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

/** Calls that only read or are declared, with an option that writes, starts or loads, and the fewest letters that mean it. */
const HARMFUL: readonly (readonly [call: string, option: string, beginning: string])[] = [
  ['sort f', 'compress-program', 'comp'],
  ['sort f', 'output', 'ou'],
  ['shuf f', 'output', 'o'],
  ['tar tf a.tar', 'to-command', 'to-c'],
  ['tar tf a.tar', 'use-compress-program', 'use'],
  ['tar tf a.tar', 'checkpoint-action', 'checkpoint-'],
  ['tar tf a.tar', 'index-file', 'index'],
  ['man ls', 'pager', 'pag'],
  ['rg x', 'pre', 'pre'],
  ['git diff', 'output', 'outp'],
  ['git log', 'ext-diff', 'ext'],
  ['git grep x', 'open-files-in-pager', 'open'],
  ['less f', 'log-file', 'log'],
  ['pytest', 'rootdir', 'rootd'],
  ['pytest', 'junitxml', 'junitx'],
  ['jest', 'config', 'conf'],
  ['eslint .', 'output-file', 'output-f'],
  ['cargo build', 'config', 'config'],
  ['go test', 'exec', 'exec'],
  ['npm test', 'script-shell', 'script-s'],
  ['npm test', 'node-options', 'node-o'],
  ['gradle test', 'init-script', 'init'],
  ['docker compose config --services', 'output', 'output'],
  ['journalctl', 'vacuum-size', 'vacuum-s'],
  ['nm f', 'plugin', 'plug'],
  ['zstdcat f', 'output-dir-flat', 'output-dir-f'],
];

function isAsked(line: string): boolean {
  return classifyLine(line, CONTEXT).decision !== 'allow';
}

test.each(HARMFUL)('%s is asked with --%s in whatever form it is written', (call, option, beginning) => {
  const names = [option, beginning, option.slice(0, -1)].filter((name) => name.length >= beginning.length);
  const forms = names.flatMap((name) => [`--${name}=../v`, `--${name} ../v`, `--${name}`]);
  const quoted = forms.flatMap((form) => [form, form.replace(/^(-+\w)(\w*)/, '"$1"$2'), form.replace('-', '\\-')]);
  const allowed = quoted.map((form) => `${call} ${form}`).filter((line) => !isAsked(line));
  expect(allowed).toEqual([]);
});

test('the call without the option runs', () => {
  expect(HARMFUL.filter(([call]) => isAsked(call))).toEqual([]);
});
