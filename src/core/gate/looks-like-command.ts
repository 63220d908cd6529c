const COMMAND =
  /^\s*!?\s*(?:[A-Za-z_]\w*=\S*\s+)*(?:\/(?:usr\/)?(?:local\/)?s?bin\/)?(?:\\?rm|rmdir|unlink|shred|srm|dd|mkfs\S*|wipefs|fdisk|chmod|chown|chgrp|find|truncate|mv|cp|ln|tee|install|kill|pkill|killall|shutdown|reboot|halt|poweroff|sudo|su|doas|pkexec|sh|bash|dash|zsh|ksh|fish|env|nohup|setsid|nice|timeout|xargs|busybox|eval|exec|command|curl|wget|nc|ncat|netcat|socat|ssh|scp|sftp|rsync|git|crontab|at|systemctl|docker|podman|kubectl|aws|gh|npm|npx|pip3?|python3?|perl|ruby|node|php|cd|echo|printf|cat|tar|zip|touch|mkdir|sed|awk|tr|base64|psql|mysql|sqlite3|redis-cli|dropdb|apt|apt-get|dnf|yum|brew|iptables|mount|umount)(?![\w.(-])/;

/** A group of commands, or a function of the shell. */
const GROUP = /^\s*(?:\(\s*[a-z/]\S*\s|\{\s|\w*:?\(\)\s*\{)/;

/** Whether a text begins as a command that is worth a look: anything else that a program starts is code that nobody has seen. */
export function looksLikeCommand(text: string | null | undefined): boolean {
  return typeof text === 'string' && (COMMAND.test(text) || GROUP.test(text));
}
