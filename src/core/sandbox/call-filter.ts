/** Processors whose system calls are known by number. */
export type Processor = 'x64' | 'arm64';

/** Calls by their number on x64 and on arm64, and the errno that answers them: 1 not permitted, 38 not implemented. */
type Refused = readonly [x64: number, arm64: number, errno: number];

const NOT_PERMITTED = 1;
const NOT_IMPLEMENTED = 38;
const DENIED = 13;

/** Ways into other processes, other name spaces, keys of the kernel, and round the other rules. */
const REFUSED: readonly Refused[] = [
  [101, 117, NOT_PERMITTED], // ptrace
  [310, 270, NOT_PERMITTED], // process_vm_readv
  [311, 271, NOT_PERMITTED], // process_vm_writev
  [438, 438, NOT_PERMITTED], // pidfd_getfd
  [272, 97, NOT_PERMITTED], // unshare
  [308, 268, NOT_PERMITTED], // setns
  [165, 40, NOT_PERMITTED], // mount
  [166, 39, NOT_PERMITTED], // umount2
  [155, 41, NOT_PERMITTED], // pivot_root
  [161, 51, NOT_PERMITTED], // chroot
  ...[428, 429, 430, 431, 432, 433, 442].map((call): Refused => [call, call, NOT_PERMITTED]), // the newer ways to mount
  [304, 265, NOT_PERMITTED], // open_by_handle_at
  [248, 217, NOT_PERMITTED], // add_key
  [249, 218, NOT_PERMITTED], // request_key
  [250, 219, NOT_PERMITTED], // keyctl
  [321, 280, NOT_PERMITTED], // bpf
  [298, 241, NOT_PERMITTED], // perf_event_open
  [323, 282, NOT_PERMITTED], // userfaultfd
  [246, 104, NOT_PERMITTED], // kexec_load
  [320, 294, NOT_PERMITTED], // kexec_file_load
  [103, 116, NOT_PERMITTED], // syslog
  // A program without io_uring falls back; with it, it would open sockets that no filter sees.
  ...[425, 426, 427].map((call): Refused => [call, call, NOT_IMPLEMENTED]),
  // Its flags are behind a pointer, which a filter cannot follow; libraries fall back to clone.
  [435, 435, NOT_IMPLEMENTED],
  // openat2, whose mode is behind a pointer as well.
  [437, 437, NOT_IMPLEMENTED],
];

/** Calls by their number on x64 and on arm64, which has none of the older ones, and one of their arguments. */
type ModeCall = readonly [x64: number, arm64: number | null, argument: number];

/** Setuid and setgid: a file that has them gives the rights of its owner to anyone who starts it, outside of the sandbox too. */
const HANDS_RIGHTS = 0o6000;

/** Calls that open a file, and which argument is the mode that it gets where it is made; before it come the flags. */
const OPENS: readonly ModeCall[] = [
  [2, null, 2], // open
  [257, 56, 3], // openat
];
/** O_CREAT, and the bit of O_TMPFILE: without them there is no mode, but whatever was left in its register. */
const MAKES = 0x400040;

/** Calls that give a file its mode, and which argument that is. */
const GIVES_MODE: readonly ModeCall[] = [
  [85, null, 1], // creat
  [90, null, 1], // chmod
  [91, 52, 1], // fchmod
  [268, 53, 2], // fchmodat
  [452, 452, 2], // fchmodat2
  [133, null, 1], // mknod
  [259, 33, 2], // mknodat
];

const CALLS = {
  x64: { architecture: 0xc000003e, socket: 41, socketpair: 53, ioctl: 16, fcntl: 72, clone: 56 },
  arm64: { architecture: 0xc00000b7, socket: 198, socketpair: 199, ioctl: 29, fcntl: 25, clone: 220 },
} as const;

/** IPv4, IPv6 and the kernel's own address lists: all of them belong to the empty network in there. Unix sockets and a host's do not. */
const ALLOWED_FAMILIES: readonly number[] = [2, 10, 16];
/**
 * Two connected sockets of the family of unix. Those of the other types take an address with each datagram, and so reach any socket
 * that has a path: SOCK_DGRAM (2) and SOCK_RAW (3), which is the same there. The upper bits of the type are flags.
 */
const PAIRED_FAMILIES: readonly number[] = [1];
/** SOCK_STREAM and SOCK_SEQPACKET. */
const PAIRED_TYPES: readonly number[] = [1, 5];
const TYPE_BITS = 0xf;
/** Putting keys into a terminal: TIOCSTI, and the console's TIOCLINUX. */
const TYPING: readonly number[] = [0x5412, 0x541c];
/** F_SETLEASE: a process that opens a file to write waits for the holder of the lease, outside of the sandbox too. */
const SET_LEASE = 1024;
const NEW_USERS = 0x10000000;
/** The second way of x64 to number its calls begins here. */
const OTHER_NUMBERS = 0x40000000;

const LOAD = 0x20;
const KEEP_BITS = 0x54;
const IS_EQUAL = 0x15;
const IS_AT_LEAST = 0x35;
const HAS_BITS = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const ERROR = 0x00050000;
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;

type Step = readonly [code: number, value: number, ifTrue?: number, ifFalse?: number];

/**
 * The filter for system calls that the kernel runs over a sandboxed command, as the bytes of a classic BPF program
 * (https://docs.kernel.org/userspace-api/seccomp_filter.html). It closes what name spaces leave open: sockets that have a path,
 * and files that hand out rights.
 */
export function formatCallFilter(processor: Processor): Uint8Array {
  const { architecture, socket, socketpair, ioctl, fcntl, clone } = CALLS[processor];
  const steps: Step[] = [
    [LOAD, ARCHITECTURE_AT],
    [IS_EQUAL, architecture, 1, 0],
    [RETURN, KILL],
    [LOAD, NUMBER_AT],
    [IS_AT_LEAST, OTHER_NUMBERS, 0, 1],
    [RETURN, ERROR + NOT_IMPLEMENTED],
    ...REFUSED.flatMap(([x64, arm64, errno]) => refuse(processor === 'x64' ? x64 : arm64, errno)),
    ...only(socket, [LOAD, FIRST_ARGUMENT], ALLOWED_FAMILIES),
    ...only(socketpair, [LOAD, FIRST_ARGUMENT], PAIRED_FAMILIES),
    ...only(socketpair, [LOAD, SECOND_ARGUMENT], PAIRED_TYPES, TYPE_BITS),
    ...TYPING.flatMap((request) => refuseWith(ioctl, SECOND_ARGUMENT, [IS_EQUAL, request])),
    ...refuseWith(fcntl, SECOND_ARGUMENT, [IS_EQUAL, SET_LEASE]),
    ...refuseWith(clone, FIRST_ARGUMENT, [HAS_BITS, NEW_USERS]),
    ...OPENS.flatMap((one) => refuseMade(numberOf(one, processor), one[2])),
    ...GIVES_MODE.flatMap((one) => refuseMode(numberOf(one, processor), one[2])),
    [RETURN, ALLOW],
  ];
  return encode(steps);
}

function refuse(call: number, errno: number): Step[] {
  return [
    [IS_EQUAL, call, 0, 1],
    [RETURN, ERROR + errno],
  ];
}

/** Refuses a call for a value of one of its arguments, then looks at the call's number again. */
function refuseWith(call: number, argument: number, [test, value]: readonly [number, number]): Step[] {
  return [
    [IS_EQUAL, call, 0, 4],
    [LOAD, argument],
    [test, value, 0, 1],
    [RETURN, ERROR + NOT_PERMITTED],
    [LOAD, NUMBER_AT],
  ];
}

function numberOf([x64, arm64]: ModeCall, processor: Processor): number | null {
  return processor === 'x64' ? x64 : arm64;
}

function refuseMode(call: number | null, argument: number): Step[] {
  return call === null ? [] : refuseWith(call, FIRST_ARGUMENT + 8 * argument, [HAS_BITS, HANDS_RIGHTS]);
}

/** Refuses to make a file of such a mode; what only opens one passes. */
function refuseMade(call: number | null, argument: number): Step[] {
  if (call === null) return [];
  const mode = FIRST_ARGUMENT + 8 * argument;
  return [
    [IS_EQUAL, call, 0, 6],
    [LOAD, mode - 8],
    [HAS_BITS, MAKES, 0, 3],
    [LOAD, mode],
    [HAS_BITS, HANDS_RIGHTS, 0, 1],
    [RETURN, ERROR + NOT_PERMITTED],
    [LOAD, NUMBER_AT],
  ];
}

/** Lets a call pass for these values of an argument alone, of which only some bits may count; then looks at the call's number again. */
function only(call: number, load: Step, allowed: readonly number[], bits: number | null = null): Step[] {
  const count = allowed.length;
  const value: Step[] = bits === null ? [load] : [load, [KEEP_BITS, bits]];
  return [
    [IS_EQUAL, call, 0, value.length + count + 2],
    ...value,
    ...allowed.map((one, at): Step => [IS_EQUAL, one, count - at, 0]),
    [RETURN, ERROR + DENIED],
    [LOAD, NUMBER_AT],
  ];
}

function encode(steps: readonly Step[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(steps.length * 8));
  steps.forEach(([code, value, ifTrue = 0, ifFalse = 0], at) => {
    bytes.setUint16(at * 8, code, true);
    bytes.setUint8(at * 8 + 2, ifTrue);
    bytes.setUint8(at * 8 + 3, ifFalse);
    bytes.setUint32(at * 8 + 4, value, true);
  });
  return new Uint8Array(bytes.buffer);
}
