import { expect, test } from 'bun:test';
import type { CommandRecord } from '../../../protocol/command.ts';
import type { KnownShell } from './line-facts.ts';
import { ASK_MODEL, formatMeant } from './messages.ts';
import { UnknownCommand } from './unknown-command.ts';

const record: CommandRecord = {
  line: 'frobnicate',
  driver: 'user',
  exit: 127,
  cwd: '/',
  output: '',
  bytes: 0,
  durationMs: 1,
};

/** A shell that knows these commands. */
function shellWith(...names: string[]): KnownShell {
  const list: KnownShell['lookups']['list'] = (isWanted) =>
    Promise.resolve(new Map(names.filter(isWanted).map((name) => [name, 'file'])));
  return { lookups: { list } } as KnownShell;
}

async function offered(line: string, { hasModel = true, names = ['git', 'kubectl', 'cat'] } = {}) {
  const unknown = new UnknownCommand({ hasModel: () => hasModel, shell: () => shellWith(...names) });
  const said = await unknown.offer({ ...record, line });
  return [said, unknown.complete('')?.[0]?.text];
}

test('a line whose command was not found is offered as a question, and never where no model is there', async () => {
  expect(await offered('frobnicate')).toEqual([ASK_MODEL, '?frobnicate']);
  expect(await offered('frobnicate', { hasModel: false })).toEqual([null, undefined]);
});

test('a command with a name that is one edit away is offered instead, with or without a model', async () => {
  expect(await offered('gti  log -1', { hasModel: false })).toEqual([formatMeant('git  log -1', true), 'git  log -1']);
  expect(await offered('kubeclt get pods')).toEqual([formatMeant('kubectl get pods', true), 'kubectl get pods']);
  // A script that the line ran found no command, and a short word is near to too many.
  expect(await offered('git x')).toEqual([ASK_MODEL, '?git x']);
  expect(await offered('ct x')).toEqual([ASK_MODEL, '?ct x']);
  expect(await offered('qgit log', { names: ['_git', 'git'] })).toEqual([formatMeant('git log', true), 'git log']);
  expect(await offered('sudo ls', { names: ['_sudo'] })).toEqual([ASK_MODEL, '?sudo ls']);
  expect(await offered('why is it so', { names: ['who'] })).toEqual([ASK_MODEL, '?why is it so']);
});

test('one key runs a line only where it takes nothing away and what it runs is known', async () => {
  const ready = async (line: string, names: string[]) => {
    const unknown = new UnknownCommand({ hasModel: () => true, shell: () => shellWith(...names) });
    await unknown.offer({ ...record, line });
    return [unknown.complete('')?.[0]?.text, unknown.ready];
  };
  expect(await ready('gti push', ['git'])).toEqual(['git push', 'git push']);
  for (const [line, name, meant] of [
    ['gti push --force', 'git', 'git push --force'],
    ['gti status; rm -rf x', 'git', 'git status; rm -rf x'],
    ['mdkir x > y', 'mkdir', 'mkdir x > y'],
    ['suod ls', 'sudo', 'sudo ls'],
    ['delpoy', 'deploy', 'deploy'],
  ] as const)
    expect(await ready(line, [name])).toEqual([meant, null]);
  expect(await ready('frobnicate', [])).toEqual(['?frobnicate', null]);
});
