import { expect, test } from 'bun:test';
import { AishError, formatError } from '../../protocol/error.ts';
import * as messages from './messages.ts';

test('the room reports these texts', () => {
  const all = [
    ...Object.values(messages.CONFLICTS),
    messages.formatSetId(null, 'setuid', '4755'),
    messages.formatSetId('bin/s', 'setgid', '2755'),
    messages.formatMoreSetId(3),
    messages.formatGoverningFiles('config, hooks/post-commit'),
    messages.formatCopyStatus(1),
    messages.notApplied(null),
    messages.notApplied('cp: no space left on device'),
    messages.projectReplaced('/project'),
    messages.cannotLock('/views/one'),
    messages.tooManyFiles(20_000),
    messages.tooManyBytes(500),
    messages.tooLittleSpace(),
    messages.stoppedCopying(),
    messages.cannotCopy('cp: permission denied'),
    messages.containsOwnFiles('/home/ann'),
    messages.containsMount('/project/mnt'),
    messages.cannotOverlay(new Error('mount failed')),
  ];
  const shown = all.map((one) => (one instanceof AishError ? formatError(one) : one));
  expect(shown.join('\n')).toMatchInlineSnapshot(`
    "has another name (a hard link) that the dry run did not see
    changed in the project during the dry run
    changed since the dry run started
    the file to link to changed since the dry run started
    a parent folder was replaced
    runs with the rights of its owner (setuid, mode 4755)
    bin/s: runs with the rights of its group (setgid, mode 2755)
    3 more files run with the rights of their owner or group (setuid, setgid)
    config, hooks/post-commit (configures git)
    cp exited with status 1
    the dry run was stopped; nothing was applied
      run it again
    nothing was applied: cp: no space left on device
      free some disk space, then run it again
    /project was replaced since the dry run started
      run it again
    cannot lock the folder /views/one
    the project is too large to copy (more than 20000 files and folders)
    the project is too large to copy (more than 500 MiB)
    the project is too large to copy (more than half of the free disk space)
    the dry run was stopped while aish copied the project
    cannot copy the project: cp: permission denied
    /home/ann contains aish's own files
      change to the folder of one project
    another file system is mounted in the project: /project/mnt
    cannot make the overlay of the project: mount failed"
  `);
});
