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
 * shapes. For each command it clones a process with PID, mount and IPC name spaces of its own. That process lays fresh private folders,
 * covers what is hidden and forks a process that loses every capability, gets the filter, reads the command and becomes bash. When the
 * command ends, the first process kills the rest, waits until all of it is gone, and reports the status. A setup error goes through the
 * same pipe. Every pipe closes on exec but two: one stands in place of the file that bash reads before its command, and its lines wait for a
 * word in the other. Without that word, because the first process was ended or found a cover gone, bash ends and runs nothing.
 *
 * So all can be done ahead: the name spaces before the command is known, and the start of bash before it may run. A cover is gone when a
 * file was renamed over the one below it, so the first process looks at every cover again before it lets bash go. If that fails, the
 * sandbox is made anew.
 */
const SCRIPT = String.raw`use strict;
my ($bash, $COVER_FILE, $COVER_FOLDER, @numbers) = @ARGV;
my ($CLONE, $PRCTL, $MOUNT, $CAPSET, $PRLIMIT, $SETSID, $EXIT) = map { $_ + 0 } @numbers;
my ($OPEN_TREE, $MOVE_MOUNT, $MOUNT_SETATTR) = (428, 429, 442);
my ($NAME_SPACES, $HERE, $COPY, $RECURSIVE, $BY_FILE, $ENOENT, $EINVAL) = (0x28020000, -100, 02000001, 0x8000, 0x1000, 2, 22);
my $none = '';
$SIG{PIPE} = 'IGNORE';
open(my $file, '<&=', 3) or die "no filter: $!\n";
sysread($file, my $filter, 65536);
close $file;
my $program = pack('SxxxxxxP', length($filter) / 8, $filter);
syscall($PRCTL, 4, 0, 0, 0, 0);

sub put {
  my ($to, $bytes) = @_;
  for (my $at = 0; $at < length $bytes;) {
    my $count = syswrite($to, $bytes, length($bytes) - $at, $at) or return 0;
    $at += $count;
  }
  return 1;
}
sub frames {
  my $frames = '';
  while (my ($kind, $text) = splice @_, 0, 2) { $frames .= $kind . pack('V', length $text) . $text; }
  put(*STDOUT, $frames) or exit 1;
}
sub take {
  my ($from, $count) = @_;
  my $bytes = '';
  while (length $bytes < $count) { sysread($from, $bytes, $count - length $bytes, length $bytes) or syscall($EXIT, 0); }
  return $bytes;
}
sub message {
  my ($from) = @_;
  return take($from, unpack 'V', take($from, 4));
}
sub fields {
  my @fields = split /\0/, $_[0], -1;
  my %fields;
  while (@fields) { my ($name, $count) = splice @fields, 0, 2; $fields{$name} = [splice @fields, 0, $count]; }
  return \%fields;
}
sub copy {
  my ($what, $path, $flags) = @_;
  my $tree = syscall($OPEN_TREE, $what, $path, $COPY | $flags);
  die "copy $path: $!\n" if $tree < 0;
  return $tree;
}
sub attach {
  my ($tree, $path) = @_;
  return 1 if syscall($MOVE_MOUNT, $tree, $none, $HERE, $path, 4) == 0;
  # Some files of the kernel are gone in a new name space. A secret that is gone may have moved, and then nothing runs.
  return 0 if $! == $ENOENT and $path =~ m{^/proc/};
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
  cover($closed, $job->{closed});
  cover($cover, $job->{covered});
}
sub number { return join ':', (stat $_[0])[0, 1]; }
my %covered;
sub cover {
  my ($cover, $paths) = @_;
  my $number = number($cover);
  for (@$paths) { $covered{$_} = $number if attach(copy(fileno $cover, $none, $BY_FILE), $_); }
}
sub become {
  my ($job, $output, $mask, $reading, @held) = @_;
  syscall($SETSID);
  open(STDIN, '<', '/dev/null') && open(STDOUT, '>&', $output) && open(STDERR, '>&', $output) or die "output: $!\n";
  $SIG{PIPE} = 'DEFAULT';
  umask $mask;
  limit(4, 0);
  limit(1, $job->{limits}[0]), limit(9, $job->{limits}[1]), limit(0, $job->{limits}[2]), limit(6, $job->{limits}[3]);
  syscall($PRCTL, 24, $_, 0, 0, 0) == 0 or $! == $EINVAL and last for 0 .. 63;
  syscall($PRCTL, 47, 4, 0, 0, 0);
  my ($head, $sets) = (pack('VV', 0x20080522, 0), "\0" x 24);
  syscall($CAPSET, $head, $sets) == 0 or die "capabilities: $!\n";
  syscall($PRCTL, 38, 1, 0, 0, 0) == 0 && syscall($PRCTL, 22, 2, $program) == 0 or die "filter: $!\n";
  my $command = fields(message($reading));
  chdir $command->{cwd}[0] or die "change to $command->{cwd}[0]: $!\n";
  %ENV = @{$command->{env}};
  delete @ENV{'POSIXLY_CORRECT', 'SHELLOPTS'};
  $ENV{BASH_ENV} = '/proc/self/fd/' . fileno $held[0];
  fcntl($_, 2, 0) or die "hold: $!\n" for @held;
  exec { $bash } $bash, '--noprofile', '--norc', '-c', $command->{text}[0] or die "$bash: $!\n";
}
sub first {
  my ($job, $reading, $output, $going, $report, @others) = @_;
  my $mask = umask 0;
  pipe(my $script, my $lines);
  pipe(my $held, my $free);
  my $command = eval {
    syscall($PRCTL, 1, 9, 0, 0, 0);
    close $_ for @others;
    lay($job);
    my ($from, $at) = (fileno $script, fileno $held);
    put($lines, "unset BASH_ENV; IFS= read -rN 1 <&$at && [[ \$REPLY == g ]] || exit 125; unset REPLY; exec $from<&- $at<&-; : $bash");
    close $lines;
    my $pid = fork;
    die "fork: $!\n" unless defined $pid;
    become($job, $output, $mask, $reading, $script, $held) if $pid == 0;
    close $_ for $script, $held, $reading, $output, *STDIN, *STDOUT, *STDERR;
    take($going, 1);
    waitpid($pid, 1) and die "the shell that waited is gone\n";
    number($_) eq $covered{$_} or die "$_ is no longer covered\n" for keys %covered;
    put($free, 'g');
    $pid;
  };
  if (!defined $command) {
    my $why = $@;
    kill 9, -1;
    1 while wait > 0;
    syswrite($report, $why);
    syscall($EXIT, 125);
  }
  my ($ended, $status);
  while (($ended = wait) > 0) {
    next if $ended != $command and !defined $status;
    $status //= $? & 127 ? 128 + ($? & 127) : $? >> 8;
    kill 9, -1;
  }
  syswrite($report, $status // 125);
  syscall($EXIT, 0);
}
sub begin {
  my ($job) = @_;
  pipe(my $reading, my $command);
  pipe(my $shown, my $output);
  pipe(my $going, my $go);
  pipe(my $reports, my $report);
  my $pid = syscall($CLONE, $NAME_SPACES | 17, 0, 0, 0, 0);
  first($job, $reading, $output, $going, $report, $command, $shown, $go, $reports) if $pid == 0;
  return {pid => $pid, command => $command, shown => $shown, go => $go, reports => $reports, why => "clone: $!"};
}
sub drop {
  my ($begun) = @_;
  return unless defined $begun and $begun->{pid} > 0;
  kill 9, $begun->{pid};
  waitpid($begun->{pid}, 0);
}
sub hand {
  my ($begun, $command) = @_;
  put($begun->{command}, pack('V', length $command) . $command);
  close $begun->{command};
}
sub follow {
  my ($begun) = @_;
  my ($output, $report, $waits) = ('', '', '');
  return $begun->{why} if $begun->{pid} < 0;
  my $is_there = put($begun->{go}, 'g');
  vec($waits, fileno $begun->{shown}, 1) = 1;
  while (sysread($begun->{shown}, $output, 65536, length $output)) {
    # The end of a quick command goes with its output.
    next if length $output < 4096 and select(my $ready = $waits, undef, undef, 0.002);
    frames('O', $output);
    $output = '';
  }
  sysread($begun->{reports}, $report, 4096) or $report = $is_there ? 137 : 'the sandbox that waited is gone';
  my @frames = ($output eq '' ? () : ('O', $output), $report =~ /^\d+$/ ? ('X', $report) : ());
  frames(@frames) if @frames;
  return $report =~ /^\d+$/ ? '' : $report =~ s/\n.*//sr;
}

my ($job, $ahead, $told);
frames('R', '');
while (1) {
  my ($last, $why) = (0, '');
  my ($setup, $command, $go) = (message(*STDIN), message(*STDIN), message(*STDIN));
  if ($setup ne '' or $command ne '' and defined $told) {
    drop($ahead);
    undef $_ for $ahead, $told;
  }
  $job = fields($setup) if $setup ne '';
  if ($command ne '') {
    $ahead //= begin($job);
    hand($ahead, $told = $command);
  }
  if ($go ne '') {
    $why = follow($ahead);
    if ($why ne '') {
      drop($ahead);
      hand($ahead = begin($job), $told);
      $why = follow($ahead);
    }
    $last = $ahead->{pid};
    undef $_ for $ahead, $told;
    frames('F', $why) if $why ne '';
  }
  $ahead //= begin($job) if $job->{ahead}[0] and $why eq '';
  # Its name spaces take long to go, and nobody waits for that.
  waitpid($last, 0) if $last > 0;
}
`;
