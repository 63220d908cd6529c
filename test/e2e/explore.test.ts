import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, tell } from '../support/at-prompt.ts';
import { answered, ask } from '../support/conversation.ts';
import { type Answer, calls, held, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';
import { startRoutedModel } from '../support/routed-model.ts';

const EXPLORE = '[explore]\noffer = "always"\n';
const ALLOWED = `${EXPLORE}[mcp.auto_approve]\n"aish.explore" = true\n`;
const explore = (...questions: readonly string[]): Answer => calls({ name: 'aish__explore', arguments: { questions } });
const read = (path: string): Answer => calls({ name: 'aish__read_file', arguments: { path } });

describe('explorers', () => {
  test('[explore.rows] each explorer has a row while it works, and a line with its tokens when it is done', async () => {
    using home = new Home();
    const gate = Promise.withResolvers<void>();
    await using model = startRoutedModel({
      'what is there': [explore('look at the readme', 'look at the rest'), text('All is known.')],
      'look at the readme': [read('README'), held(text('It greets.'), gate.promise)],
      'look at the rest': [held(text('Nothing else.'), gate.promise)],
    });
    home.useModel(model.url, ALLOWED);
    await using terminal = home.open();
    await ask(terminal, 'what is there');
    await terminal.waitFor(
      /explorer 1 · look at the readme · aish\.read_file README · 1\d tokens\n {2}explorer 2 · look at the rest · thinking · 0 tokens\n/,
      PATIENCE,
    );
    gate.resolve();
    const screen = await answered(terminal, 'All is known.');
    expect(screen).toMatch(/\n {2}explorer 1 · look at the readme · 2\d tokens\n/);
    expect(screen).toMatch(/\n {2}explorer 2 · look at the rest · 1\d tokens\n/);
    expect(screen).not.toContain('thinking');
    expect(await tell(terminal, ':cost', /this session +5 /)).toContain('this session');
    await tell(terminal, ':why', /explorer 1: aish\.read_file \{"path":"README"\}/);
  });

  test('[explore.interrupt] Ctrl-C ends the explorers with the turn', async () => {
    using home = new Home();
    const forever = new Promise<void>(() => {});
    await using model = startRoutedModel({
      'what is there': [explore('look at the readme', 'look at the rest')],
      'look at the readme': [held(text('late'), forever)],
      'look at the rest': [held(text('late'), forever)],
    });
    home.useModel(model.url, ALLOWED);
    await using terminal = home.open();
    await ask(terminal, 'what is there');
    const hanging = [await model.requested(2), await model.requested(3)];
    await terminal.waitFor('explorer 2 · ', PATIENCE);
    terminal.press('ctrl-c');
    await Promise.all(hanging.map(({ left }) => left));
    expect(await prompted(terminal)).not.toContain('explorer 2 · ');
  });

  test('[explore.headless] a script gets the answer, and the log shows the work; without an approval the call is denied', async () => {
    using home = new Home();
    const look = { 'look at the readme': [read('README'), text('It greets.')] };
    const main = [explore('look at the readme'), text('It greets you.')];
    await using model = startRoutedModel({ 'what is there': [...main, ...main], ...look });
    home.useModel(model.url, EXPLORE);
    expect((await home.run(['what is there'])).code).toBe(3);
    const { code, out } = await home.run(['--approve', 'read-only', '--output', 'json', 'what is there']);
    const answer = JSON.parse(out);
    expect([code, answer.text, answer.usage.prompt_tokens]).toEqual([0, 'It greets you.', 40]);
    const exported = (await home.run(['sessions', 'export', answer.session_id])).out;
    expect(exported).toContain('explorer 1: look at the readme');
    expect(exported).toContain('explorer 1: aish.read\\_file {"path":"README"}');
    expect(exported).toContain('explorer 1: reported: It greets.');
    const replayed = (await home.run(['sessions', 'replay', answer.session_id])).out;
    expect(replayed).toContain('explorer 1 · look at the readme · ');
    expect(model.failures).toEqual([]);
  });
});

describe.skipIf(!hasProgram('bwrap'))('explorers of an autonomous run', () => {
  test('[explore.contract] in an autonomous run explorers only read, and count in its limits', async () => {
    using home = new Home();
    mkdirSync(join(home.work, 'src'));
    mkdirSync(join(home.work, 'test'));
    writeFileSync(join(home.work, 'src/sum.sh'), 'echo $(($1 - $2))\n');
    writeFileSync(join(home.work, 'test/sum.sh'), '[ "$(sh src/sum.sh 2 3)" = 5 ]\n');
    home.git('add', '.');
    home.git('commit', '-qm', 'begin');
    const fix = { path: 'src/sum.sh', content: 'echo $(($1 + $2))\n' };
    await using model = startRoutedModel({
      'make the sum right': [
        explore('read the source'),
        calls({ name: 'aish__write_file', arguments: fix }),
        text('Fixed.'),
      ],
      'read the source': [
        calls(
          { name: 'aish__exec', arguments: { command: 'rm src/sum.sh' } },
          { name: 'aish__read_file', arguments: { path: 'src/sum.sh' } },
        ),
        text('It subtracts.'),
      ],
    });
    home.useModel(model.url, EXPLORE);
    const { code, out, error } = await home.run([
      'run',
      '--goal',
      'make the sum right',
      '--until',
      'sh test/sum.sh',
      '--output',
      'json',
    ]);
    expect([code, error]).toEqual([0, expect.any(String)]);
    const receipt = JSON.parse(out);
    expect(receipt).toMatchObject({
      reason: 'achieved',
      steps: 5,
      changes: [{ path: 'src/sum.sh', kind: 'changed' }],
    });
    expect(receipt.calls.map(({ what }: { readonly what: string }) => what)).toEqual([
      'aish.explore',
      'rm src/sum.sh',
      'aish.read_file src/sum.sh',
      'aish.write_file src/sum.sh',
    ]);
    expect(model.failures).toEqual([]);
  });
});
