import { expect, setDefaultTimeout, test } from 'bun:test';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine, tell } from '../support/at-prompt.ts';
import { answered, ask } from '../support/conversation.ts';
import { type ModelServer, startModelServer, text } from '../support/model-server.ts';

setDefaultTimeout(120_000);

/** The message with the facts, as the server got it. */
function firstMessage(server: ModelServer, at: number): string {
  return String(server.requests.at(at)?.body.messages[1]?.content);
}

test('[memory.recall] [memory.forget] a fact reaches the next session, is shown there, and is in no request after the user forgets it', async () => {
  using home = new Home();
  const script = [text('Hi.'), text('With Docker.'), text('As before.')];
  await using server = startModelServer({ script });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'hello');
  await answered(terminal, 'Hi.');
  await tell(terminal, ":remember the tests don't pass without Docker", /aish keeps this as fact 1 \(project/);
  await tell(terminal, ':new', /new session/i);
  await ask(terminal, 'how do I run the tests?');
  await answered(terminal, 'With Docker.');
  expect(firstMessage(server, 0)).not.toContain('Docker');
  expect(firstMessage(server, 1)).toContain("\n- the tests don't pass without Docker\n");
  await tell(terminal, ':context', "Fact 1: the tests don't pass without Docker");
  await tell(terminal, ':why', 'facts from memory: 1');
  await tell(terminal, ':memory forget 1', /It was in session \w+, turn 1/);
  await ask(terminal, 'and now?');
  await answered(terminal, 'As before.');
  expect([firstMessage(server, 2).includes('Docker'), server.failures]).toEqual([false, []]);
});

test('[memory.inbox] after a session of three turns the fast model proposes facts from it, behind the prompt of the next session', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('One.'), text('Two.'), text('Three.')] });
  await using fast = startModelServer({ script: [text('REMEMBER: The release branch is stable.')] });
  home.configure(
    `[models.main]\nbase_url = "${server.url}"\n[models.small]\nbase_url = "${fast.url}"\nrole = "fast"\n`,
  );
  await using terminal = home.open();
  // A session with a name needs none of the fast model.
  await tell(terminal, ':name three words', /three words[\s\S]*three words/);
  for (const [message, shown] of [
    ['one', 'One.'],
    ['two', 'Two.'],
    ['three', 'Three.'],
  ] as const) {
    await ask(terminal, message);
    await answered(terminal, shown);
  }
  await tell(terminal, ':new', /new session/i);
  await fast.requested(1);
  await runLine(terminal, 'true');
  await terminal.waitForHistory(/the\s+model\s+proposes\s+to\s+remember:\s+The\s+release\s+branch/, PATIENCE);
  terminal.type(':memory inbox\n');
  await terminal.waitFor(/\+ 1: The release branch is stable\.[\s\S]*Keep them\? /, PATIENCE);
  expect([server.failures, fast.failures]).toEqual([[], []]);
});

test('[memory.inbox] a fact that the model proposes waits in the inbox until the user keeps it', async () => {
  using home = new Home();
  const script = [text('Done.\n\nREMEMBER: The release branch is stable.'), text('One.'), text('Two.')];
  await using server = startModelServer({ script });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'look around');
  await answered(terminal, /the\s+model\s+proposes\s+to\s+remember/);
  expect((await home.run(['-p', 'which branch?'])).code).toBe(0);
  await prompted(terminal);
  terminal.type(':memory inbox\n');
  await terminal.waitFor(/\+ 1: The release branch is stable\.[\s\S]*Keep them\? [\s\S]*$/, PATIENCE);
  terminal.type('yes\n');
  await terminal.waitForHistory('aish keeps: 1', PATIENCE);
  expect((await home.run(['-p', 'which branch?'])).code).toBe(0);
  expect([1, 2].map((at) => firstMessage(server, at).includes('The release branch is stable.'))).toEqual([false, true]);
  const list = await home.run(['memory', 'search', 'branches']);
  expect([list.code, list.out]).toEqual([
    0,
    expect.stringMatching(/^1 {2}project \S+ {2}The release branch is stable\. \(used in 1 session, /),
  ]);
  expect((await home.run(['memory', 'forget', '1'])).out).toMatch(/^Fact 1 is in no later request/);
  expect((await home.run(['memory'])).out).toBe('aish keeps no facts. To add one: :remember the tests need Docker\n');
});
