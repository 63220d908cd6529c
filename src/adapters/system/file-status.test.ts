import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isExecutable, isExecutableNow, isShellScript } from './file-status.ts';

test('a program can be run; a text, a folder and nothing cannot', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'executable-'));
  try {
    for (const name of ['program', 'text']) writeFileSync(join(folder, name), '');
    chmodSync(join(folder, 'program'), 0o755);
    mkdirSync(join(folder, 'folder'));
    const paths = ['program', 'text', 'folder', 'nothing'].map((name) => join(folder, name));
    const wanted = [true, false, false, false];
    expect([paths.map(isExecutableNow), await Promise.all(paths.map(isExecutable))]).toEqual([wanted, wanted]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a script for a shell is known by its first line, or by its name, even if it is missing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'script-'));
  try {
    for (const [name, text] of Object.entries({ job: '#!/bin/sh\n', 'job.py': '#!/usr/bin/python3\n', 'a b.sh': '' }))
      writeFileSync(join(folder, name), text);
    mkdirSync(join(folder, 'folder.sh'));
    const names = ['job', 'job.py', 'a b.sh', 'folder.sh', 'missing.sh', 'missing', 'why does no.sh'];
    expect(names.map((name) => isShellScript(join(folder, name)))).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
      false,
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
