import type { Processor } from '../../core/sandbox/call-filter.ts';

/** The system calls that the supervisor makes by number: clone, prctl, mount, capset, prlimit64, setsid, exit_group. */
const CALLS: Record<Processor, readonly number[]> = {
  x64: [56, 157, 165, 126, 302, 112, 231],
  arm64: [220, 167, 40, 91, 261, 157, 94],
};

/** The path at which the supervisor finds a file that nobody can read, and the folder beside it that nobody can open. */
export const COVER_FILE = '/dev/shm/file';
export const COVER_FOLDER = '/dev/shm/folder';

/** The capabilities that the supervisor needs to set up name spaces and to drop every capability in them. */
export const SUPERVISOR_CAPABILITIES: readonly string[] = ['CAP_SYS_ADMIN', 'CAP_SETPCAP'];

/** Returns the words that start the supervisor in its sandbox. */
export function supervisorWords(perl: string, bash: string, processor: Processor): string[] {
  return [perl, '-e', SCRIPT, bash, COVER_FILE, COVER_FOLDER, ...CALLS[processor].map(String)];
}

/**
 * The supervisor, in Perl, because a fork of Bun with its threads is unsound. It reads requests and writes frames; supervisor.ts has their
 * shapes. For each request it clones a process with PID, mount and IPC name spaces of its own. That process lays fresh private folders,
 * covers what is hidden and forks the command, which loses every capability and gets the filter before it becomes bash. When the command
 * ends, the first process ends, and the kernel kills the rest before `waitpid` returns. Every pipe closes on exec; a setup error goes
 * through one of them, so an empty one means that bash has started.
 */
const SCRIPT = String.raw`use strict;
my ($bash, $COVER_FILE, $COVER_FOLDER, @numbers) = @ARGV;
my ($CLONE, $PRCTL, $MOUNT, $CAPSET, $PRLIMIT, $SETSID, $EXIT) = map { $_ + 0 } @numbers;
my ($OPEN_TREE, $MOVE_MOUNT, $MOUNT_SETATTR) = (428, 429, 442);
my ($NAME_SPACES, $HERE, $COPY, $RECURSIVE, $BY_FILE, $ENOENT) = (0x28020000, -100, 02000001, 0x8000, 0x1000, 2);
my $none = '';
$SIG{PIPE} = 'IGNORE';
open(my $file, '<&=', 3) or die "no filter: $!\n";
sysread($file, my $filter, 65536);
close $file;
my $program = pack('SxxxxxxP', length($filter) / 8, $filter);
syscall($PRCTL, 4, 0, 0, 0, 0);

sub frame {
  my ($kind, $text) = @_;
  my $bytes = $kind . pack('V', length $text) . $text;
  for (my $at = 0; $at < length $bytes;) {
    my $count = syswrite(STDOUT, $bytes, length($bytes) - $at, $at) or exit 1;
    $at += $count;
  }
}
sub take {
  my ($count) = @_;
  my $bytes = '';
  while (length $bytes < $count) { sysread(STDIN, $bytes, $count - length $bytes, length $bytes) or exit; }
  return $bytes;
}
sub copy {
  my ($what, $path, $flags) = @_;
  my $tree = syscall($OPEN_TREE, $what, $path, $COPY | $flags);
  die "copy $path: $!\n" if $tree < 0;
  return $tree;
}
sub attach {
  my ($tree, $path) = @_;
  return if syscall($MOVE_MOUNT, $tree, $none, $HERE, $path, 4) == 0;
  # Some files of the kernel are gone in a new name space. A secret that is gone may have moved, and then nothing runs.
  return if $! == $ENOENT and $path =~ m{^/proc/};
  die "attach $path: $!\n";
}
sub hold {
  my ($path) = @_;
  sysopen(my $held, $path, 010000000) or die "open $path: $!\n";
  return $held;
}
sub make {
  my $path = '';
  for (split m{/}, $_[0]) { $path .= "/$_", mkdir $path, 0755 if length; }
}
sub mount {
  my ($type, $path, $flags, $options) = @_;
  syscall($MOUNT, $type, $path, $type, $flags, $options) == 0 or die "mount $path: $!\n";
}
sub limit {
  my ($kind, $value) = @_;
  my $old = "\0" x 16;
  syscall($PRLIMIT, 0, $kind, 0, $old);
  my $hard = (unpack 'QQ', $old)[1];
  $value = $hard if $hard < $value;
  my $new = pack('QQ', $value, $value);
  syscall($PRLIMIT, 0, $kind, $new, 0) == 0 or die "limit $kind: $!\n";
}
sub lay {
  my ($job) = @_;
  # A disk that is mounted outside while the command runs stays outside.
  syscall($MOUNT, $none, my $root = '/', $none, 0x44000, $none) == 0 or die "private mounts: $!\n";
  my ($cover, $closed) = (hold($COVER_FILE), hold($COVER_FOLDER));
  my @kept = map { copy($HERE, $_, $RECURSIVE) } @{$job->{kept}};
  mount('proc', '/proc', 15, $none);
  while (my ($path, $size, $mode) = splice @{$job->{private}}, 0, 3) { mount('tmpfs', $path, 6, "size=$size,mode=$mode"); }
  make($_) for @{$job->{folders}};
  while (my ($path, $target) = splice @{$job->{links}}, 0, 2) { symlink $target, $path; }
  for (0 .. $#kept) { make($job->{kept}[$_]); attach($kept[$_], $job->{kept}[$_]); }
  my $read_only = pack('QQQQ', 1, 0, 0, 0);
  for my $path (@{$job->{governing}}) {
    attach(copy($HERE, $path, $RECURSIVE), $path);
    syscall($MOUNT_SETATTR, $HERE, $path, $RECURSIVE, $read_only, 32) == 0 or die "protect $path: $!\n";
  }
  attach(copy(fileno $closed, $none, $BY_FILE), $_) for @{$job->{closed}};
  attach(copy(fileno $cover, $none, $BY_FILE), $_) for @{$job->{covered}};
}
sub become {
  my ($job, $output, $mask) = @_;
  syscall($SETSID);
  open(STDIN, '<', '/dev/null') && open(STDOUT, '>&', $output) && open(STDERR, '>&', $output) or die "output: $!\n";
  $SIG{PIPE} = 'DEFAULT';
  umask $mask;
  chdir $job->{cwd} or die "change to $job->{cwd}: $!\n";
  limit(4, 0);
  limit(1, $job->{limits}[0]), limit(9, $job->{limits}[1]), limit(0, $job->{limits}[2]), limit(6, $job->{limits}[3]);
  syscall($PRCTL, 24, $_, 0, 0, 0) for 0 .. 63;
  syscall($PRCTL, 47, 4, 0, 0, 0);
  my ($head, $sets) = (pack('VV', 0x20080522, 0), "\0" x 24);
  syscall($CAPSET, $head, $sets) == 0 or die "capabilities: $!\n";
  syscall($PRCTL, 38, 1, 0, 0, 0) == 0 && syscall($PRCTL, 22, 2, $program) == 0 or die "filter: $!\n";
  %ENV = @{$job->{env}};
  exec { $bash } $bash, '--noprofile', '--norc', '-c', $job->{text} or die "$bash: $!\n";
}
sub first {
  my ($job, $output, $fault, @others) = @_;
  my $mask = umask 0;
  my $command = eval {
    syscall($PRCTL, 1, 9, 0, 0, 0);
    close $_ for @others;
    lay($job);
    my $pid = fork;
    die "fork: $!\n" unless defined $pid;
    become($job, $output, $mask) if $pid == 0;
    $pid;
  };
  if (!defined $command) { syswrite($fault, $@); syscall($EXIT, 125); }
  close $_ for $output, $fault, *STDIN, *STDOUT, *STDERR;
  while ((my $ended = wait) > 0) { syscall($EXIT, $? & 127 ? 128 + ($? & 127) : $? >> 8) if $ended == $command; }
  syscall($EXIT, 125);
}

frame('R', '');
while (1) {
  my @fields = split /\0/, take(unpack 'V', take(4)), -1;
  my %job;
  while (@fields) { my ($name, $count) = splice @fields, 0, 2; $job{$name} = [splice @fields, 0, $count]; }
  $job{$_} = $job{$_}[0] for qw(text cwd);
  pipe(my $shown, my $output);
  pipe(my $faults, my $fault);
  my $pid = syscall($CLONE, $NAME_SPACES | 17, 0, 0, 0, 0);
  first(\%job, $output, $fault, $shown, $faults) if $pid == 0;
  my $said = $pid < 0 ? "clone: $!" : '';
  close $output, close $fault;
  my $bytes;
  $said .= $bytes while sysread($faults, $bytes, 4096);
  if ($said eq '') { frame('O', $bytes) while sysread($shown, $bytes, 65536); }
  waitpid($pid, 0) if $pid > 0;
  frame($said eq '' ? ('X', $? & 127 ? 137 : $? >> 8) : ('F', $said));
}
`;
