import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

const FILE = '~/w/.aish/config.toml';

test('every message', () => {
  const all = printMessages(messages, {
    configNotFound: [['/w/gone.toml', '--config']],
    unreadableConfig: [[FILE, messages.NOT_REGULAR]],
    formatBadProjectFile: [[`${FILE}:1:3: unknown key x`]],
    formatChangedProjectFile: [[FILE]],
    formatLooserKeys: [[FILE, 'model, safety.approve and 1 more']],
    formatOwnersKeys: [[FILE, 'secrets.allow']],
    formatUnmatched: [['"git log"', '"git push"']],
    formatMatched: [['"git log"', '"git log -1"']],
    noFolder: [['/run/user/1/aish', '/tmp']],
    failedFolder: [['/run/user/1/aish', new Error('the disk is full')]],
    relativeHome: [['home']],
    unsafeFolder: [['/run/user/1/aish', messages.OPEN_TO_OTHERS]],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    it is not a regular file
    is not a folder
    is open to other users
    belongs to another user
    it is larger than 1 MiB
    there is no configuration file /w/gone.toml
      --config names this file; to create it, run: aish config init
    cannot make the folder /run/user/1/aish: the disk is full
      set XDG_RUNTIME_DIR to a folder of your own
    ~/w/.aish/config.toml:1:3: unknown key x; aish ignores this project file
    ~/w/.aish/config.toml has changed since you trusted it, so it can only make settings stricter; to see the changes, run: aish config trust
    ~/w/.aish/config.toml: aish ignores model, safety.approve and 1 more, because an untrusted project file can only make settings stricter; to trust it, run: aish config trust
    "git log" matches "git log -1", but no_match lists it
    ~/w/.aish/config.toml: aish ignores secrets.allow, because only your own configuration can set them
    "git log" does not match its example "git push"
    cannot make the folder /run/user/1/aish, nor one in /tmp instead
      set XDG_RUNTIME_DIR to a folder of your own
    HOME is home, but it must be an absolute path
      set HOME to the full path of your home directory
    cannot read the configuration ~/w/.aish/config.toml: it is not a regular file
      make sure that you can read it, or name another file with --config
    /run/user/1/aish is open to other users, so aish does not use it
      remove it, or make it private with: chmod 700
    "
  `);
});
