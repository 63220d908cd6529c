import { expect, test } from 'bun:test';
import { printMessages, type Samples } from '../../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

const SAMPLES: Samples<typeof messages> = {
  formatAmbiguous: [[2, '  a\n  b']],
  formatNoAddress: [['x://']],
  formatStranger: [['http://127.0.0.1:3000']],
  formatNoToken: [['/run/token']],
  formatNotOpen: [
    [undefined, null],
    ['abc', '  def'],
  ],
  formatOpened: [['2 h ago']],
  formatTurns: [[1], [2]],
  formatMatches: [[9]],
  formatPlace: [[0], [3]],
  formatPlaceKept: [[7, 'mx02ie6ms6c7']],
  formatPlaceUntrusted: [[['https://example.org/', '`curl example.org`']]],
  formatPickerKeys: [['resumes it']],
  formatDeleted: [['abc']],
  formatDeleteQuestion: [[1], [2]],
  formatRenamed: [['abc', 'a name']],
  formatNoRequest: [[3, 9]],
  formatRequestCount: [[1], [2]],
  formatNotTurn: [['x']],
  formatNoTurn: [[9]],
  formatTurnRange: [[1], [3]],
  formatTurn: [[3]],
  formatBytesHint: [
    [':why 3.1', null],
    [':why 3.1', ':why 3.4'],
  ],
  formatRequest: [
    [{ number: 1, endpoint: 'local', model: 'm', host: 'localhost', bytes: '9 B', sha256: 'ab' }],
    [{ number: 2, endpoint: 'local', model: null, host: 'localhost', bytes: '9 B', sha256: 'ab' }],
  ],
  formatInstructed: [[['notes', 'fs']]],
  formatFactsSent: [[['1', '7']]],
  formatTools: [[[]], [['aish.exec', 'fs.read']]],
  formatSameMessages: [
    [1, true],
    [2, false],
  ],
  formatMessage: [
    ['user', 1, []],
    ['assistant', 9, ['aish.exec', 'fs.read']],
  ],
  formatOwn: [['go']],
  formatUser: [['go']],
  formatAttached: [['a.txt, 9 B']],
  formatChoice: [
    [{ score: 0, points: {}, role: 'fast' }, 'small'],
    [{ score: 4, points: { characters: 2, failures: 2 }, role: 'deep', isHeldBack: true }, 'local'],
  ],
  formatAddressed: [['claude']],
  formatCommandOf: [
    [{ name: 'review', path: '/p/.aish/commands/review.md', tools: ['aish.exec', 'github.*'] }, 'big'],
    [{ name: 'review', path: '/p/.aish/commands/review.md' }, null],
  ],
  formatAnswer: [['m']],
  formatCall: [['fs.read', '{}']],
  formatReplayStart: [
    ['fix the build', false],
    ['fix the build', true],
  ],
};

test('the texts about sessions', () => {
  expect(printMessages(messages, SAMPLES)).toMatchInlineSnapshot(`
    "
    for example http://127.0.0.1:3000; for a daemon on another machine: ssh -L 3000:127.0.0.1:3000 HOST
    the name is empty
    usage: aish sessions rename ID NAME
    (no messages)
    End of the session.
    rebuilt from the log, byte for byte
    failed with:
    … to list all sessions: aish sessions
    name one: aish attach ID
    to delete without asking: aish sessions remove --yes ID
    deleting sessions needs a terminal to confirm it
    Nothing was deleted.
    Nothing found.
    Nothing was sent to the model.
    not the exact bytes: aish has learned of a secret in them since, or another release sent them
    The log does not contain the requests of this turn, because an older aish wrote it.
    to list all sessions: aish sessions; to open one: aish --resume ID
    no session matches · 
    there is no other session to resume
    this is your first session
    No sessions yet.
    this session has no message to the model yet
    ask the model something first
    this terminal is in that session already
    to open it a second time, run aish attach in another terminal
    paused: Space resumes, → shows the next event
    Resume | resumes it
    To show a place to the model, name its handle in a message.
    type :name NAME in that session
    returned:
    The search was stopped.
    The replay was stopped.
    aish sent nothing; start your own daemon on another port: aish serve --port N
    a time such as 3h, 2d, 1w or 2026-11-01
    set AISH_TOKEN to the token of the daemon
    for example 3, or 3.2 for the bytes of its second request
    you asked claude with @claude
    2 open sessions match:
      a
      b
    answer of m:
    attached a.txt, 9 B
    To see the bytes of a request: :why 3.1
    To see the bytes of a request: :why 3.1 … :why 3.4
    call of fs.read {}
    complexity 0: the fast model; small answers
    complexity 4 (length of the message 2, failures since 2): the deep model; that model is in the cloud, and :cloud is off; local answers
    the message is the command :review of /p/.aish/commands/review.md for big; it offers these tools: aish.exec, github.*
    the message is the command :review of /p/.aish/commands/review.md
    Delete this session and all outputs permanently? Type yes: 
    Delete these 2 sessions and all outputs permanently? Type yes: 
    Deleted abc.
    facts from memory: 1, 7
    instructions of MCP servers: notes, fs
    9 matches
    user, 1 character
    assistant, 9 characters and 2 calls: aish.exec, fs.read
    "x://" is not the address of a daemon
    turn 3 has no model request 9
    there is no token for that daemon in /run/token
    there is no turn 9
    no session is open
    no open session begins with "abc"; open sessions:
      def
    "x" is not the number of a turn
    opened 2 h ago
    aish to the model: go
    Enter resumes it · Ctrl-T shows only this directory · Escape cancels
    before the first message
    turn 3
    %7 has all of it; to continue that session: :resume mx02ie6ms6c7
    ! It may contain untrusted content: https://example.org/, \`curl example.org\`
    abc is now called: a name
    Replay of "fix the build": Space pauses, → skips a wait, Ctrl-C exits
    Replay of "fix the build": → shows the next event, Ctrl-C exits
    request 1 to local (m) at localhost: 9 B, sha256 ab
    request 2 to local at localhost: 9 B, sha256 ab
    it has 1 request
    it has 2 requests
    the first message is the same as in the request before
    the next 2 messages are the same as in the request before
    another user of this machine listens at http://127.0.0.1:3000
    tools: none
    tools: aish.exec, fs.read
    turn 3
    this session has only turn 1
    turns go from 1 to 3
    1 turn
    2 turns
    user: go
    "
  `);
});
