/** A platform that a release has a binary for. */
export interface Target {
  /** The name in file names and in `@aish/NAME`. */
  readonly name: string;
  /** Bun's package of the runtime, without its scope, and the platform as the compiler of Bun names it. */
  readonly runtime: string;
  readonly compileAs: string;
  /** The hash of the runtime package, if package-lock.json does not contain it. */
  readonly integrity?: string;
  readonly os: 'linux' | 'darwin';
  readonly cpu: 'x64' | 'arm64';
  readonly libc?: 'glibc' | 'musl';
  /** The architecture of the Debian package; absent if there is none. */
  readonly debian?: 'amd64' | 'arm64';
  /** Whether the tests of the project run on this platform. */
  readonly isTested: boolean;
}

/** The platforms of a release. The runtime for x64 needs no AVX2. */
export const TARGETS: readonly Target[] = [
  {
    name: 'linux-x64',
    runtime: 'bun-linux-x64-baseline',
    compileAs: 'bun-linux-x64-baseline',
    integrity: 'sha512-s8yMwYcFnnrA178gji0gZbkE2WVDej/Ti1x770oPfihxyRxSMNhGhiAQNXV53aDeraZxksdvKV/RAdQBCd0qPA==',
    os: 'linux',
    cpu: 'x64',
    libc: 'glibc',
    debian: 'amd64',
    isTested: true,
  },
  {
    name: 'linux-arm64',
    runtime: 'bun-linux-aarch64',
    compileAs: 'bun-linux-arm64',
    os: 'linux',
    cpu: 'arm64',
    libc: 'glibc',
    debian: 'arm64',
    isTested: false,
  },
  {
    name: 'linux-x64-musl',
    runtime: 'bun-linux-x64-musl',
    compileAs: 'bun-linux-x64-musl',
    os: 'linux',
    cpu: 'x64',
    libc: 'musl',
    isTested: false,
  },
  {
    name: 'darwin-arm64',
    runtime: 'bun-darwin-aarch64',
    compileAs: 'bun-darwin-arm64',
    os: 'darwin',
    cpu: 'arm64',
    isTested: false,
  },
  {
    name: 'darwin-x64',
    runtime: 'bun-darwin-x64',
    compileAs: 'bun-darwin-x64',
    os: 'darwin',
    cpu: 'x64',
    isTested: false,
  },
];
