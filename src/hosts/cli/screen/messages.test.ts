import { expect, test } from 'bun:test';
import * as messages from './messages.ts';

/** Sample arguments of the messages that take some. */
const SAMPLES: { readonly [Name in keyof typeof messages]?: readonly (readonly unknown[])[] } = {
  toSentence: [['deletes or overwrites: build'], ['aish asks']],
  formatRuleText: [
    ['npm test', 'mutating'],
    ['git log', 'read-only'],
  ],
  formatMoreReasons: [[1], [2]],
  formatAskingRule: [['git push']],
  formatHeldRule: [['mkdir']],
  formatSandboxRun: [['read-only'], ['mutating']],
  formatUnsandboxedRun: [['bubblewrap is missing']],
  formatAskedAgain: [['the shell is in /tmp now']],
  formatSecretGrant: [
    [['A'], 'gh', 'gh'],
    [['A', 'B'], 'curl (example.com)', undefined],
  ],
  formatRealPath: [
    ['/srv/a', true],
    ['/w/a', false],
  ],
  formatNewFile: [['/w/a']],
  formatProblem: [['README: "old" was not found']],
  formatNotUndoable: [['checkpoints are off']],
  formatMovedDefinition: [['notes']],
  formatUnreviewed: [['notes']],
  formatFolded: [
    [101, true],
    [101, false],
  ],
  formatApprovalKeys: [
    [true, 'aish.exec'],
    [false, 'fs.write_file'],
  ],
  formatLineCount: [[1], [2]],
  formatSpacesAtEnd: [[1], [2]],
  formatConnections: [['example.com']],
  formatUnknownEffects: [
    ['make', '[r] dry run'],
    ['make', undefined],
  ],
};

function print([name, message]: readonly [string, unknown]): readonly string[] {
  if (typeof message !== 'function') return [toText(message)];
  const samples: Readonly<Record<string, readonly (readonly unknown[])[] | undefined>> = SAMPLES;
  return (samples[name] ?? []).map((given) => toText(Reflect.apply(message, null, given)));
}

const toText = (message: unknown): string =>
  typeof message === 'string' ? message : Object.values(Object(message)).join(' | ');

test('every message', () => {
  const all = Object.entries(messages).sort(([one], [other]) => (one < other ? -1 : 1));
  expect(all.filter((message) => print(message).length === 0)).toEqual([]);
  expect(`\n${all.flatMap(print).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    Changes nothing.
    change:
    Only reads and prints. | May change files. | Opens a connection. | Needs more rights than you have. | May delete or overwrite files. | aish can't tell what this would run.
    only reads | deletes nothing and opens no connection | deletes nothing and needs no more rights | deletes nothing | runs nothing that aish cannot read | is a command
    The model wants to run:
    The answer suggests running:
    The model wants to call
    lines end with CRLF
    a newline at the end
    This cannot be undone.
    This cannot be undone here.
    (no arguments)
    no newline at the end
    The server says that this tool only reads.
    Still counting …
    each tab shows as 4 spaces
    [y] run once | [n] no | [a] always allow | [e] edit | [r] dry run | [d] deny with a reason | [v] view all
    [y] allow once | [n] no | [a] always allow fs.write_file (this session) | [e] edit | [r] dry run | [d] deny with a reason | [v] view all
    aish asks again: the shell is in /tmp now.
    The rule "git push" requires your approval.
    Connects to example.com.
    … Press v to view all 101 lines. Then y can run the command.
    … Press v to view all 101 lines.
    The rule "mkdir" covers only commands that aish can undo.
    1 line
    2 lines
    And 1 more reason.
    And 2 more reasons.
    This tool has changed since a rule for it began to apply. ":mcp review notes" shows the change.
    creates /w/a
    This cannot be undone: checkpoints are off.
    This would fail: README: "old" was not found.
    real path: /srv/a (outside the project)
    real path: /w/a
    "npm test …" runs without asking in this session, with any arguments, as long as it deletes nothing and opens no connection
    "git log …" runs without asking in this session, with any arguments, as long as it only reads
    [y] runs it in the sandbox: it cannot change files or use the network.
    [y] runs it in the sandbox: it can change only the project and cannot use the network.
    gives the secret A to gh (rule "gh")
    gives the secrets A, B to curl (example.com)
    1 space at the end
    2 spaces at the end
    Unknown effects: make. [r] dry run may show them.
    Unknown effects: make.
    You have not reviewed the tools of this server. ":mcp review notes" shows them.
    [y] runs it outside the sandbox: bubblewrap is missing.
    Deletes or overwrites: build.
    aish asks.
    "
  `);
});
