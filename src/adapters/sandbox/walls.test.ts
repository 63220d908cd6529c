import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import { python, SANDBOX_USERS, SANDBOX_WORKS, SandboxedUser } from '../../../test/support/in-sandbox.ts';

/** All that a sandboxed command can write to, no matter who it runs as; devices that keep nothing, and folders that are gone with it. */
const WRITABLE = [
  ...['/dev/full', '/dev/null', '/dev/pts', '/dev/random', '/dev/shm', '/dev/tty', '/dev/urandom', '/dev/zero'],
  ...['/run', '/tmp', '/var/run', '/var/tmp'],
];

describe.skipIf(!SANDBOX_WORKS).each(SANDBOX_USERS)('the walls around %s', (user) => {
  let own: SandboxedUser;
  beforeAll(() => {
    own = new SandboxedUser(user);
  });
  afterAll(() => own.close());

  test.each([false, true])(
    'no other mount can be written to than those listed (writes the project: %p)',
    async (writes) => {
      const files = { '.ssh/id_rsa': 'x', 'project/.env': 'x', 'project/.git/config': 'x' };
      const { output } = await own.run('cat /proc/self/mountinfo', { writes, files });
      const listed = new Set([...WRITABLE, ...(writes ? [own.at('project')] : [])]);
      expect(writableMounts(output).filter((path) => !listed.has(path))).toEqual([]);
      expect(writableMounts(output)).toContain('/tmp');
    },
  );

  test('nothing is written to a pipe of the project, which is read outside', async () => {
    const { output } = await own.run('(echo x > pipe) 2>/dev/null || echo no', { before: 'mkfifo project/pipe' });
    expect(output).toBe('no\n');
  });

  test.each([false, true])(
    'a secret is hidden where it cannot be listed, named or covered by itself, too (writes the project: %p)',
    async (writes) => {
      const long = 'd'.repeat(100);
      const before = [
        String.raw`cd project; odd=$(printf '\377'); mkdir -p closed in/$odd names`,
        'echo SECRET > closed/.env; chmod 0111 closed; echo SECRET > unread.pem; chmod 0 unread.pem',
        'echo SECRET > in/$odd/.env; echo SECRET > names/.env.$odd; echo fine > plain-$odd',
        `for i in $(seq 45); do mkdir ${long}; cd ${long}; done; echo SECRET > .env`,
      ].join('\n');
      const text = [
        'exec 2>/dev/null; chmod -R u+rwx closed unread.pem; cat closed/.env unread.pem in/*/.env names/.env.* plain-*',
        `for i in $(seq 45); do cd ${long} || break; done; cat .env`,
      ].join('\n');
      const { output } = await own.run(text, { before, writes });
      chmodSync(own.at('project/closed'), 0o755);
      expect(output).toBe('fine\n');
    },
  );

  test('a file cannot be kept from being written to outside', async () => {
    const lease = 'import fcntl; fcntl.fcntl(open("a"), fcntl.F_SETLEASE, fcntl.F_RDLCK)';
    const { output } = await own.run(python(lease), { files: { 'project/a': 'x' } });
    expect(output).toContain('PermissionError');
  });

  test('no setting of the kernel can be opened for writing', async () => {
    const code = [
      'import os',
      "found = ['/proc/sysrq-trigger']",
      "for top in ('/proc/sys', '/proc/irq', '/proc/self', '/sys/kernel', '/sys/module', '/sys/power', '/sys/fs'):",
      '  for folder, _, names in os.walk(top):',
      "    if folder.startswith('/proc/self/task') or folder.endswith('/fd'): continue",
      "    found += [folder + '/' + name for name in names]",
      'seen = 0',
      'for path in found:',
      '  seen += 1',
      '  try: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK)); print(path)',
      '  except OSError: pass',
      'print(seen > 100)',
    ].join('\n');
    expect((await own.run(python(code))).output).toBe('True\n');
  });

  test('what the kernel knows of keys and of its own memory cannot be read', async () => {
    // Files that are closed to others belong to the superuser, and nobody is that in here.
    const paths =
      '/proc/keys /proc/key-users /proc/timer_list /dev/mem /dev/kmsg $(find /proc -maxdepth 1 -type f ! -perm -004)';
    const { output } = await own.run(
      `for f in ${paths}; do head -c1 $f 2>/dev/null | grep -q . && echo read $f; done; echo end`,
    );
    expect(output).toBe('end\n');
  });

  /** Families and types of sockets, as the kernel counts them, and the calls that make them. */
  test('no socket that could reach a path or another machine is made, by whatever call', async () => {
    const code = [
      'import ctypes, os, platform',
      'c = ctypes.CDLL(None, use_errno=True)',
      "socket, pair = (41, 53) if platform.machine() == 'x86_64' else (198, 199)",
      'two = (ctypes.c_int * 2)()',
      'def made(call, family, type, *more):',
      '  ctypes.set_errno(0)',
      '  file = c.syscall(call, family, ctypes.c_long(type), 0, *more)',
      '  for one in (file, *(two if more and file == 0 else ())):',
      '    if one > 2: os.close(one)',
      '  return file >= 0',
      'def show(name, call, *more):',
      '  for family in list(range(46)):',
      '    for type in (1, 2, 3, 4, 5, 6, 10):',
      '      for flags in (0, 0o4000, 0o2000000, 0o2004000, 0x10, 0x100000000):',
      '        if made(call, family, type | flags, *more): print(name, family, type)',
      "show('socket', socket)",
      "show('pair', pair, two)",
    ].join('\n');
    const { output } = await own.run(python(code));
    const made = [...new Set(output.trim().split('\n'))];
    expect(made.filter((line) => line.startsWith('pair'))).toEqual(['pair 1 1', 'pair 1 5']);
    expect(
      [...new Set(made.filter((line) => line.startsWith('socket')).map((line) => line.split(' ')[1]))].sort(),
    ).toEqual(['10', '16', '2']);
  });

  test('a pair of sockets reaches nothing but each other', async () => {
    const code = [
      'import socket',
      "for name in ('SOCK_STREAM', 'SOCK_DGRAM', 'SOCK_RAW', 'SOCK_SEQPACKET'):",
      '  try: one, other = socket.socketpair(socket.AF_UNIX, getattr(socket, name))',
      '  except OSError as e: print(name, e.errno); continue',
      "  for path in ('letters', '\\0ABSTRACT'):",
      "    for act in (lambda: one.sendto(b'x', path), lambda: one.connect(path), lambda: one.bind('/tmp/x')):",
      '      try: act()',
      '      except OSError: pass',
      '  other.settimeout(0.2)',
      "  one.send(b'y')",
      '  while other.recv(1) != b"y": pass',
      '  print(name, "works")',
    ].join('\n');
    const { output, letters } = await own.run(python(code));
    expect([output, letters]).toEqual(['SOCK_STREAM works\nSOCK_DGRAM 13\nSOCK_RAW 13\nSOCK_SEQPACKET works\n', 0]);
  });

  test('the other ways to number calls are closed, and so is the ring that makes them', async () => {
    const code = [
      'import ctypes, os, platform',
      'c = ctypes.CDLL(None, use_errno=True)',
      'def errno(*call):',
      '  ctypes.set_errno(0); c.syscall(*call); return ctypes.get_errno()',
      'ring = [errno(number, 4, ctypes.create_string_buffer(256)) for number in (425, 426, 427)]',
      "x32 = errno(0x40000000 + 41, 1, 2, 0) if platform.machine() == 'x86_64' else 38",
      'log = errno(103 if platform.machine() == "x86_64" else 116, 10, 0, 0)',
      'print(ring, x32, log)',
    ].join('\n');
    expect((await own.run(python(code))).output).toBe('[38, 38, 38] 38 1\n');
  });

  test.skipIf(process.arch !== 'x64')('a call by the numbers of the older processor ends the program', async () => {
    // int 0x80, by number 20: the id of the process.
    const code = [
      'import ctypes, mmap',
      "m = mmap.mmap(-1, 4096, prot=7); m.write(b'\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3')",
      'print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))())',
    ].join('\n');
    expect(await own.run(python(code))).toMatchObject({ exit: 159, output: expect.not.stringMatching(/^\d+$/m) });
  });
});

interface Mount {
  readonly id: string;
  readonly parent: string;
  readonly at: string;
  readonly isWritable: boolean;
}

/** The writable mounts, among those that a path really leads to: one may lie over another. */
function writableMounts(text: string): readonly string[] {
  const mounts = text
    .trim()
    .split('\n')
    .map((line): Mount => {
      const [id = '', parent = '', , , at = '', options = ''] = line.split(' ');
      return { id, parent, at, isWritable: /(?:^|,)rw(?:,|$)/.test(options) };
    });
  const ids = new Set(mounts.map(({ id }) => id));
  const root = mounts.find(({ parent }) => !ids.has(parent));
  const reached = mounts.filter((mount) => mount.isWritable && leadsTo(mount.at, root, mounts) === mount);
  return reached.map(({ at }) => at).sort();
}

function leadsTo(path: string, root: Mount | undefined, mounts: readonly Mount[]): Mount | undefined {
  let current = root;
  for (;;) {
    const inside = mounts
      .filter(
        ({ parent, at }) => parent === current?.id && (path === at || path.startsWith(at === '/' ? '/' : `${at}/`)),
      )
      .sort((one, other) => one.at.length - other.at.length)[0];
    if (inside === undefined) return current;
    current = inside;
  }
}
