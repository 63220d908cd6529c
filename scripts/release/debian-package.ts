import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { COMPLETION_SHELLS } from '../../src/core/command-line/completion-scripts.ts';
import { ROOT } from '../steps.ts';
import type { PackageDeps } from './npm-packages.ts';
import { run } from './run.ts';

/** How a Debian package is made. */
export interface DebianDeps extends PackageDeps {
  /** Time of every file, in seconds since 1970. */
  readonly epoch: number;
  /** Options of `dpkg-deb` for the compression: small for a release, fast for a test. */
  readonly compression: readonly string[];
}

/** Makes the Debian package of an architecture, and returns its path. Nothing strips the program: without its end it is only the runtime. */
export function packDebian(architecture: string, program: string, deps: DebianDeps): string {
  const root = join(deps.scratch, 'deb', architecture);
  rmSync(root, { recursive: true, force: true });
  const put = (path: string, content: string | Uint8Array, mode = 0o644): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(root, path), content);
    chmodSync(join(root, path), mode);
  };
  const gzip = (path: string): Uint8Array => Bun.gzipSync(readFileSync(join(ROOT, path)), { level: 9 });
  mkdirSync(join(root, 'usr/bin'), { recursive: true });
  copyFileSync(program, join(root, 'usr/bin/aish'));
  chmodSync(join(root, 'usr/bin/aish'), 0o755);
  put('usr/share/man/man1/aish.1.gz', gzip('docs/aish.1'));
  put('usr/share/bash-completion/completions/aish', COMPLETION_SHELLS.bash.script);
  put('usr/share/zsh/vendor-completions/_aish', COMPLETION_SHELLS.zsh.script);
  put('usr/share/fish/vendor_completions.d/aish.fish', COMPLETION_SHELLS.fish.script);
  put('usr/share/doc/aish/copyright', `${readFileSync(join(ROOT, 'LICENSE'), 'utf8')}\n${deps.notices}`);
  put('usr/share/doc/aish/changelog.gz', gzip('CHANGELOG.md'));
  const files = filesBelow(root);
  const size = Math.ceil(files.reduce((sum, path) => sum + statSync(path).size, 0) / 1024);
  put('DEBIAN/md5sums', files.map((path) => `${md5(path)}  ${relative(root, path)}\n`).join(''));
  put('DEBIAN/control', formatControl(deps.version, architecture, size));
  put(
    'DEBIAN/postinst',
    '#!/bin/sh\nset -e\nif [ "$1" = configure ] && [ -z "${DPKG_ROOT-}" ]; then add-shell /usr/bin/aish; fi\n',
    0o755,
  );
  put(
    'DEBIAN/prerm',
    '#!/bin/sh\nset -e\nif [ "$1" = remove ] && [ -z "${DPKG_ROOT-}" ]; then remove-shell /usr/bin/aish; fi\n',
    0o755,
  );
  const out = join(deps.out, `aish_${deps.version}_${architecture}.deb`);
  run(['dpkg-deb', '--root-owner-group', ...deps.compression, '--build', root, out], {
    env: { SOURCE_DATE_EPOCH: String(deps.epoch) },
  });
  return out;
}

function formatControl(version: string, architecture: string, size: number): string {
  return `Package: aish
Version: ${version}
Architecture: ${architecture}
Maintainer: aish contributors <aish@localhost>
Installed-Size: ${size}
Depends: libc6, debianutils (>= 5.0)
Recommends: bubblewrap, git
Section: shells
Priority: optional
Description: shell with a language model at its prompt
 aish runs your bash, zsh or fish and adds a language model to its prompt. A
 line is a command for your shell, a message to the model, or a command for
 aish. You approve what the model changes, and you can undo it.
`;
}

function filesBelow(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function md5(path: string): string {
  return new Bun.CryptoHasher('md5').update(readFileSync(path)).digest('hex');
}
