import { expect, test } from 'bun:test';
import * as messages from './messages.ts';

test('every message', () => {
  const all = Object.values(messages).flatMap((message) =>
    typeof message === 'string' ? [message] : message('ONE', 'TWO'),
  );
  expect(`\n${all.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    Start \`aish\` for the prompt. It runs commands in your own shell. Begin a line with \`?\` to send it to the model. Type \`:help\` to list the rest. For a real model, start a local server (llama.cpp, Ollama, LM Studio) or export OPENAI_API_KEY.
    That was the demo.
    :norris 'make the total right' until 'sh check/total.sh' within 5 steps only shop
    Nothing was written, so there is nothing to undo.
    All right: I wrote nothing.
    aish demo needs git to show an undo, and git is not installed
    install git
    I see no command output in this request.
    make the temporary directory (TMPDIR) writable
    there is no terminal to ask at
    Which of these files is the longest?
      yes (the demo answers by itself)
    Start \`aish\` in a repository and type \`:norris\` with a goal and a check of yours. aish shows the contract first, and the run begins only if you type yes. \`:help norris\` has the details.
    2. Let the model change a file
    1. Run a command and ask about its output
    2. Read the receipt
    1. Let the model work alone until the check passes
    3. Undo the change
    3. Undo the run
    Your turn: press y to allow the write, or n to refuse it.
    Add "ship the release" to ONE.
      yes (the demo answers by itself: ONE)
      checkpoint ONE: aish saved the files as they are now in TWO
    aish demo: the model here is SCRIPTED, and nothing leaves this machine.

    The model answers from a script inside this process, at
      ONE
    Everything else is real: your shell, the session, the approval prompt, the checkpoint, the write and the undo. The demo runs in
      TWO
    and deletes this folder at the end. It does not touch your configuration or your sessions.
    **ONE** is the longest, with TWO lines. I read that in the output of your \`wc\`; I did not run anything.
    \`ONE\` adds the prices now instead of subtracting them.
    git cannot create a repository in ONE: TWO
    aish demo --norris: the model here is SCRIPTED, and nothing leaves this machine.

    The model answers from a script inside this process, at
      ONE
    Everything else is real: the contract, the check in the sandbox, the fences, the checkpoint, the receipt and the undo. The demo runs in
      TWO
    and deletes this folder at the end. It does not touch your configuration or your sessions.
    Done: \`ONE\` ends with a new task, **ship the release**.
    "
  `);
});
