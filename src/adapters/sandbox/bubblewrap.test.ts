import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { python, SANDBOX_USERS, SANDBOX_WORKS, SandboxedUser } from '../../../test/support/in-sandbox.ts';
import { until } from '../../../test/support/until.ts';

describe.skipIf(!SANDBOX_WORKS).each(SANDBOX_USERS)('a sandbox of %s', (user) => {
  let own: SandboxedUser;
  beforeAll(() => {
    own = new SandboxedUser(user);
  });
  afterAll(() => own.close());
  const read = (name: string): string | null => own.read(name);
  const run: SandboxedUser['run'] = (text, given) => own.run(text, given);

  test('a command runs as bash reads exactly its text', async () => {
    const text = `x='a  b'\nshopt expand_aliases; echo "$x" '$HOME' \\\n  "\\"" ; exit 7`;
    expect(await run(text)).toMatchObject({ exit: 7, ended: null, output: 'expand_aliases \toff\na  b $HOME "\n' });
  });

  test('both streams come in the order in which they were written', async () => {
    expect((await run('echo 1; echo 2 >&2; echo 3; echo 4 >&2')).output).toBe('1\n2\n3\n4\n');
  });

  test('there is nothing to read on its input', async () => {
    expect((await run('cat; read -r x; echo "$?"')).output).toBe('1\n');
  });

  test('what only looks writes nowhere but to its own temporary files', async () => {
    const places = [
      'here',
      '../beside',
      '~/home',
      '/etc/aish-was-here',
      '/usr/aish-was-here',
      '/var/lib/aish-was-here',
      '/aish-was-here',
    ];
    const tries = places.map((path) => `echo x 2>/dev/null > ${path} && echo reached ${path}`).join('\n');
    const { output } = await run(`exec 2>/dev/null\n${tries}\necho x > /tmp/mine && cat /tmp/mine`);
    expect(output).toBe('x\n');
    expect([read('project/here'), read('beside'), read('home'), existsSync('/tmp/mine')]).toEqual([
      null,
      null,
      null,
      false,
    ]);
  });

  test('what works may write to its project and nowhere else', async () => {
    const { output } = await run('echo x > here; (echo x > ../beside) 2>/dev/null || echo no', { writes: true });
    expect([output, read('project/here'), read('beside')]).toEqual(['no\n', 'x\n', null]);
  });

  test('no file gets rights that it would hand to anyone who starts it, and other modes are given as ever', async () => {
    const code = [
      'import os',
      'def give(what):',
      '  try: what()',
      '  except OSError as e: print(e.errno)',
      "give(lambda: os.chmod('here', 0o4755))",
      "give(lambda: os.chmod('here', 0o2755))",
      "give(lambda: os.close(os.open('made', os.O_CREAT | os.O_WRONLY, 0o4755)))",
      "give(lambda: os.mknod('node', 0o106755))",
      "give(lambda: os.chmod('here', 0o755))",
      "print(open('here').read(), oct(os.stat('here').st_mode)[-4:])",
    ].join('\n');
    const { output } = await run(python(code), { writes: true, files: { 'project/here': 'x' } });
    expect([output, read('project/made'), read('project/node')]).toEqual(['1\n1\n1\n1\nx 0755\n', null, null]);
  });

  test('no connection is made by TCP', async () => {
    const { output, reached } = await run('(exec 3<>/dev/tcp/127.0.0.1/PORT) 2>/dev/null && echo reached');
    expect([output, reached]).toEqual(['', 0]);
  });

  test('no datagram arrives', async () => {
    const code =
      "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.sendto(b'x', ('127.0.0.1', UDP))";
    expect((await run(`${python(code)} 2>/dev/null`)).datagrams).toEqual(['from outside']);
  });

  test('no name server is reached, and no address beyond the machine', async () => {
    const code =
      "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nfor a in ('192.0.2.1', '127.0.0.53'):\n" +
      "  try:\n    s.connect((a, 53)); s.send(b'x'); s.settimeout(0.2); s.recv(1); print('reached')\n  except OSError: pass";
    expect((await run(python(code))).output).toBe('');
  });

  test('no unix socket is reached, with a path or without', async () => {
    const code =
      "import socket\nfor a in ('door', '\\0ABSTRACT'):\n  try:\n    s = socket.socket(socket.AF_UNIX)\n    s.connect(a); print('reached')\n" +
      '  except OSError as e: print(e.errno)';
    expect(await run(python(code))).toMatchObject({ output: '13\n13\n', reached: 0 });
  });

  test('other processes and their environment are not seen', async () => {
    const { output } = await run(
      'cat /proc/VICTIM/environ 2>/dev/null; cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep CANARY',
    );
    expect(output).toBe('');
  });

  test('what the caller exports beyond harmless names is not there', async () => {
    const { output } = await run('env | cut -d= -f1 | sort | tr "\\n" " "');
    expect(output).toBe(
      'GIT_OPTIONAL_LOCKS GIT_PAGER GIT_TERMINAL_PROMPT HOME LANG LC_ALL PAGER PATH PWD SHLVL TMPDIR _ ',
    );
  });

  test('no process is traced', async () => {
    const code =
      'import ctypes\nc = ctypes.CDLL(None, use_errno=True)\nprint(c.ptrace(0, 0, 0, 0), ctypes.get_errno())\n' +
      'print(c.ptrace(16, 1, 0, 0), ctypes.get_errno())';
    expect((await run(python(code))).output).toBe('-1 1\n-1 1\n');
  });

  test('no keys are put into a terminal, and there is none', async () => {
    const code =
      "import fcntl, os\nm, s = os.openpty()\ntry:\n  fcntl.ioctl(s, 0x5412, b'x'); print('reached')\nexcept OSError as e: print(e.errno)\n" +
      "try:\n  os.open('/dev/tty', os.O_RDWR); print('reached')\nexcept OSError as e: print(e.errno)";
    expect((await run(python(code))).output).toBe('1\n6\n');
  });

  test('no signal goes out', async () => {
    expect((await run('kill -9 VICTIM 2>/dev/null; kill -9 -1; sleep 0')).isVictimAlive).toBe(true);
  });

  test('no rights are gained', async () => {
    const { output } = await run(
      'grep -E "^(CapPrm|CapEff|NoNewPrivs)" /proc/self/status | tr "\\t" " "; unshare -Ur true 2>/dev/null && echo reached; ' +
        'setpriv --reuid=1234 true 2>/dev/null && echo reached; mount -t tmpfs x /tmp 2>/dev/null && echo reached',
    );
    expect(output).toBe('CapPrm: 0000000000000000\nCapEff: 0000000000000000\nNoNewPrivs: 1\n');
  });

  const bomb =
    'import os, time\ncount = 0\ntry:\n  while count < 2000:\n    if os.fork() == 0: time.sleep(60); os._exit(0)\n    count += 1\n' +
    'except OSError: print(count > 8, count < 64, flush=True)\nelse: time.sleep(60)';

  test('a fork bomb in the project comes to its bound, and goes', async () => {
    const outcome = await run(python(bomb), { writes: true, limits: { processes: 64 } });
    expect(outcome).toMatchObject({ exit: 0, ended: null, output: 'True True\n' });
  });

  test('a fork bomb in what only looks is refused or ended', async () => {
    const { exit, ended, output } = await run(python(bomb), { limits: { processes: 64 } });
    const isCounted = user === 'the superuser';
    expect({ exit, ended, output }).toEqual(
      isCounted ? { exit: 137, ended: 'processes', output: '' } : { exit: 0, ended: null, output: 'True True\n' },
    );
  });

  test('memory comes to its bound', async () => {
    const code = "try:\n  x = bytearray(1 << 30); print('reached')\nexcept MemoryError: print('no')";
    expect((await run(python(code), { limits: { memory: 512 * 1024 * 1024 } })).output).toBe('no\n');
  });

  test('the memory of all processes together comes to its bound', async () => {
    const each = "x = bytearray(60 << 20); print('held', flush=True); time.sleep(60)";
    const code = `import os, time\nfor _ in range(8):\n  if os.fork() == 0: ${each}\ntime.sleep(60)`;
    // Shared memory of the whole machine counts, too, and other tests have some: the bound is far from both.
    const limits = { memory: 320 * 1024 * 1024 };
    expect(await run(python(code), { limits })).toMatchObject({ exit: 137, ended: 'memory' });
    const fewer = code.replace('range(8)', 'range(2)').replaceAll('sleep(60)', 'sleep(0.5)');
    expect(await run(python(fewer), { limits })).toMatchObject({ exit: 0, ended: null });
  });

  // Memory of no process is told for the whole machine, where other tests give theirs back meanwhile: the bound is far below what is taken,
  // and all of it is held until the bound is noticed.
  test.each([
    ['a mapping of several processes', 'import mmap; put = mmap.mmap(-1, 40 << 20).write'],
    ['a file without a name', "held = os.memfd_create('x'); put = lambda part: os.write(held, part)"],
  ])('memory that belongs to no process alone counts as well: %s', async (_, code) => {
    const fork = 'for _ in range(9):\n  if os.fork() == 0: break';
    const fill = "for _ in range(40): put(b'x' * (1 << 20))";
    const text = python(`import os, time\n${fork}\n${code}\n${fill}\ntime.sleep(60)`);
    expect(await run(text, { limits: { memory: 160 << 20 } })).toMatchObject({ exit: 137, ended: 'memory' });
  });

  test('no disk is filled: neither by one file nor by many, wherever files can be made', async () => {
    const { output } = await run(
      'exec 2>/dev/null\nhead -c 3M /dev/zero > /tmp/large\nstat -c %s /tmp/large\n' +
        'for i in 1 2 3 4 5 6 7 8 9; do head -c 900K /dev/zero > /tmp/$i; done\ndu -xsk /tmp | cut -f1\n' +
        'head -c 900K /dev/zero > /dev/shm/x; head -c 900K /dev/zero > /run/x; stat -c %s /dev/shm/x /run/x; echo x > /dev/x && echo reached',
      { limits: { fileSize: 1024 * 1024, temporary: 4 * 1024 * 1024 } },
    );
    const [large, all, ...rest] = output.trim().split('\n');
    expect([large, Number(all) < 5000]).toEqual(['1048576', true]);
    expect(rest.filter((size) => !(Number(size) <= 65_536))).toEqual([]);
  });

  test('a command that takes too long is ended', async () => {
    expect(await run('echo begun; sleep 600', { limits: { wallSeconds: 0.5 } })).toMatchObject({
      ended: 'time',
      output: 'begun\n',
    });
  });

  test('computing comes to its bound', async () => {
    expect(await run('while :; do :; done', { limits: { cpuSeconds: 1 } })).toMatchObject({ exit: 137, ended: null });
  });

  test('links lead to nothing that could be written outside', async () => {
    const { output } = await run(
      'exec 2>/dev/null; ln ../outside hard && echo reached; ln -s ../outside soft; echo x > soft && echo reached; ' +
        'ln .git/config inner && echo reached; echo done',
      { writes: true, files: { outside: 'as it was', 'project/.git/config': '' } },
    );
    expect([output, read('outside')]).toEqual(['done\n', 'as it was']);
  });

  test('what governs the project cannot be changed, moved or removed', async () => {
    const files = {
      'project/.git/config': 'a',
      'project/.git/hooks/x': 'b',
      'project/.envrc': 'c',
      'project/deep/.mcp.json': 'd',
    };
    const { output } = await run(
      'exec 2>/dev/null; for f in .git/config .git/hooks/x .git/hooks/new .envrc deep/.mcp.json; do echo x > $f && echo reached $f; done; ' +
        'mv .git other && echo reached; mv .git/hooks other && echo reached; rm .envrc && echo reached; echo x > free; echo done',
      { writes: true, files },
    );
    expect([output, read('project/free')]).toEqual(['done\n', 'x\n']);
    expect(Object.keys(files).map(read)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('secrets of the project and of the home directory are not to be read', async () => {
    const names = [
      'project/.env',
      'project/deep/server.key',
      '.ssh/id_ed25519',
      '.aws/credentials',
      '.netrc',
      '.bash_history',
      'private/session',
    ];
    const { output } = await run(
      'cat .env deep/server.key ~/.ssh/* ~/.aws/* ~/.netrc ~/.bash_history ~/private/*; grep -r CANARY ~; echo end',
      {
        files: Object.fromEntries(names.map((name) => [name, 'CANARY'])),
      },
    );
    expect(output.split('\n').filter((line) => line.endsWith(': CANARY') || line === 'CANARY')).toEqual([]);
    expect(output).toContain('cat: .env: Permission denied');
    expect(output).toEndWith('end\n');
  });

  test('a command sees nothing of the one before it: neither files nor processes, memory or sockets', async () => {
    const seconds = `602.${process.pid}${user.length}`;
    const earlier = [
      `for d in /tmp /var/tmp /run /dev/shm; do echo left > $d/left; done; (setsid sleep ${seconds} &)`,
      python('import ctypes; ctypes.CDLL(None).shmget(77, 4096, 0o1666)'),
      python("import socket; s = socket.socket(socket.AF_INET); s.bind(('127.0.0.1', 7077)); s.listen()"),
    ].join('\n');
    const text = [
      'cat /tmp/left /var/tmp/left /run/left /dev/shm/left 2>/dev/null; ls /tmp /dev/shm; cat /proc/[0-9]*/comm | grep -c sleep',
      'wc -l </proc/sysvipc/shm; set -- /proc/$$/fd/*; echo $#; (echo x > /dev/tcp/127.0.0.1/7077) 2>/dev/null && echo reached; echo $$',
    ].join('\n');
    const fresh = await run(text);
    expect(await run(text, { earlier })).toEqual(fresh);
    expect(commandsWith(seconds)).toEqual([]);
  });

  test.each([false, true])(
    'a project that was replaced since an earlier command is the new one (writes: %p)',
    async (writes) => {
      const meanwhile = 'mv project old; mkdir -p project/.git/hooks; echo new > project/which';
      const text = '(echo x > .git/hooks/x) 2>/dev/null || echo no; cat which';
      const files = { 'project/.git/config': '', 'project/which': 'old\n' };
      expect(await run(text, { earlier: text, meanwhile, files, writes })).toMatchObject({ output: 'no\nnew\n' });
    },
  );

  test('commands that run at once get a sandbox each', async () => {
    const { output } = await run('echo x > /tmp/x; sleep 0.3; ls /tmp/x', {
      besides: 'ls /tmp/x 2>/dev/null || echo apart',
    });
    expect(output.split('\n').sort()).toEqual(['', '/tmp/x', 'apart']);
  });

  test('when its program is killed, it is gone', async () => {
    const seconds = `603.${process.pid}${user.length}`;
    await own.die(`echo begun; sleep ${seconds}`, { writes: true, dieAt: 'begun' });
    await gone(seconds);
  });

  test('nothing outlives it, whatever it did to stay', async () => {
    const seconds = `600.${process.pid}${user.length}`;
    await run(
      `sleep ${seconds} & disown; (setsid sleep ${seconds} &) ; nohup sleep ${seconds} >/dev/null 2>&1 & echo done`,
    );
    expect(commandsWith(seconds)).toEqual([]);
  });

  test('called off, it is gone with all it started', async () => {
    const seconds = `601.${process.pid}${user.length}`;
    const outcome = await run(`trap '' TERM INT HUP; (setsid sleep ${seconds} &); echo begun; sleep ${seconds}`, {
      stopAt: 'begun',
    });
    expect(outcome).toMatchObject({ ended: 'stopped', output: 'begun\n' });
    expect(commandsWith(seconds)).toEqual([]);
  });
});

/** Settles when nothing has the word among its arguments: what was killed ends when the system comes to it. */
async function gone(word: string): Promise<void> {
  const left = (): string[] => processes((line) => line.includes(word));
  await until({ what: `the end of what has ${word} among its arguments` }, left, ({ length }) => length === 0);
}

function commandsWith(word: string): string[] {
  return processes((line) => line.startsWith('sleep') && line.includes(word));
}

function processes(isMeant: (line: string) => boolean): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return isMeant(line) ? [line] : [];
    } catch {
      return []; // It ended meanwhile.
    }
  });
}
