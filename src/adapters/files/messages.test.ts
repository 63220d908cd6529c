import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

const DENIED = new Error("EACCES: permission denied, open '/a'");

test('every message', () => {
  const all = printMessages(messages, {
    formatOccurrences: [[2, '1, 3']],
    formatNearest: [[2, '"  return a + b;"', messages.COPY_EXACTLY]],
    formatPastEnd: [
      [1, 9],
      [7, 9],
    ],
    formatPage: [
      [1, 4, 4, null, null],
      [2, 3, 4, 3, 4],
    ],
    formatMoreEntries: [[20, 520]],
    formatDirectory: [['/w', 'a\nsub/']],
    formatChange: [
      ['/w/a', 'created'],
      ['/w/a', 'removed'],
      ['/w/a', 'changed'],
    ],
    formatWritten: [['created', '/w/a', '3 bytes']],
    formatEdited: [
      ['/w/a', [7]],
      ['/w/a', [7, 9]],
    ],
    formatBinaryChange: [['/w/a', '3 bytes', '5 bytes']],
    formatFailure: [['/w/a', messages.REASONS.EACCES ?? '']],
    formatPathMissing: [['aish.read_file']],
    formatUnknownTool: [['aish.no_file']],
    targetMoved: [
      ['read', 'a', '/srv/a', '/w/a'],
      ['wrote', 'a', '/srv/a', '/w/a'],
    ],
    fileChanged: [['/w/a changed after aish showed the diff']],
    isDirectory: [['/w']],
    notText: [['/w/a']],
    missingFile: [
      ['/w/a', '/w', null],
      ['/w/a', '/w', []],
      ['/w/a', '/w', ['b', 'c']],
    ],
    specialFile: [['/dev/null']],
    notAPath: [['']],
    tooManyLinks: [['/w/a']],
    unresolvable: [['/w/a', DENIED]],
    formatNotAttached: [['a.png']],
    formatAttached: [['a', '3 lines']],
    formatFolder: [[1], [2]],
    formatEnds: [[8_000_000]],
    formatPart: [
      [3, null, true],
      [3000, [1, 2000], false],
    ],
    tooManyFiles: [[21, 20]],
    imagesTooLarge: [[12_000_000]],
    noSuchFile: [['a', '/w/a']],
    looksSecret: [['.env']],
    neitherFileNorFolder: [['/dev/null']],
    imageTooLarge: [['a.png', 8_000_000]],
    tooLongToCount: [['a.log', 8_000_000, [1, 5]]],
    noSuchLines: [['a', 3, 9]],
    binaryFile: [['a.bin']],
    unreadableFile: [['a', DENIED]],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    the argument "all" of aish.edit_file must be true or false
    "limit" of aish.read_file must be a number of lines, 1 or more
    "offset" of aish.read_file must be a line number, 1 or more
    aish.write_file needs "content", the whole text of the file
    read the file and copy the text exactly
    [the file is empty]
    "old" of aish.edit_file is empty; call aish.write_file to write a whole file
    add lines around it to make it unique, or set "all" to true
    "old" was not found
    the file has no similar line; read the file and copy the text exactly
    the white space or the lines after it differ
    permission denied; ask the user to change the permissions | the system does not permit it | the file system is read-only | the disk is full | a part of the path is a file, not a directory | it is a directory | the name is too long
    "old" and "new" of aish.edit_file are the same
    aish.edit_file needs "old" and "new" as strings
    aish cannot search its arguments for paths, because there are too many of them or they are nested too deeply
    a.bin contains binary data, not text; aish sent nothing
      run a command that understands its format, then ask about the output
    aish wrote nothing: /w/a changed after aish showed the diff
      read the file, then call the tool again; the user can then allow the new change
    attached a, 3 lines
    binary file /w/a: 3 bytes before, 5 bytes after

    /w/a was created after aish showed the diff
    /w/a was removed after aish showed the diff
    /w/a changed after aish showed the diff
    /w is a directory. It contains:
    a
    sub/
    edited /w/a at line 7
    edited /w/a in 2 places
    both ends of 8.0 MB
    cannot access /w/a: permission denied; ask the user to change the permissions
    a directory of 1 entry
    a directory of 2 entries
    [20 more of 520 entries]
    the most similar line is 2: "  return a + b;"; read the file and copy the text exactly
    the model gets only the name of a.png: it takes no images; if it does, set images = true in its [models] section
    "old" occurs 2 times (lines 1, 3)
    [lines 1-4 of 4]
    [lines 2-3 of 4, line 3 cut; read on with offset 4]
    3 lines
    lines 1-2000 of 3000, shortened in the middle
    [the file has 1 line; line 9 is after its end]
    [the file has 7 lines; line 9 is after its end]
    aish.read_file needs "path", the path of a file as a string
    there is no file tool aish.no_file
    created /w/a: 3 bytes
    the image a.png has 8.0 MB, but models take at most 5 MB
      make it smaller first
    the images have 12.0 MB, but aish attaches at most 10 MB
      attach fewer or smaller images
    /w is a directory
      name a file in it
    .env looks like a secret; aish sent nothing
      to attach it anyway, write @!.env
    /w/a does not exist, nor does its directory
      check the path
    /w/a does not exist
      /w is empty
    /w/a does not exist
      /w contains: b, c
    /dev/null is not a file or directory
      write it without the @
    there is no file a to attach (aish looked for /w/a)
      correct the path, or write it without the @
    a has 3 lines, so it has no line 9
      mention lines that exist, or the file without line numbers
    "" is not a path
      give the path of a file
    /w/a contains binary data, not text
      run a command that understands its format
    /dev/null is not a regular file
      aish reads and writes only regular files
    aish read nothing: a now leads to /srv/a, but the user allowed /w/a
      call again, so that the user can allow the new path
    aish wrote nothing: a now leads to /srv/a, but the user allowed /w/a
      call again, so that the user can allow the new path
    a.log is too large to count its lines (8.0 MB)
      run sed -n 1,5p on it, then ask about the output
    your message mentions 21 files, but aish attaches at most 20
      send the files in several messages, or mention their directory: the model then gets a list of its files
    /w/a leads through too many symbolic links
      name the file itself
    cannot read a: EACCES: permission denied
      check its permissions
    cannot resolve /w/a: EACCES: permission denied
      check the path
    "
  `);
});
