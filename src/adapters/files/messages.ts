/** Texts of the built-in file tools, for the model, and of attached files, for the user. */

import { AishError } from '../../protocol/error.ts';

const NO_IMAGES = 'it takes no images; if it does, set images = true in its [models] section';
export const NOT_FOUND = '"old" was not found';
export const COPY_EXACTLY = 'read the file and copy the text exactly';
export const NO_SIMILAR_LINE = `the file has no similar line; ${COPY_EXACTLY}`;
export const OTHER_SPACE = 'the white space or the lines after it differ';
export const MAKE_UNIQUE = 'add lines around it to make it unique, or set "all" to true';
export const EMPTY_FILE = '[the file is empty]';
export const CONTENT_MISSING = 'aish.write_file needs "content", the whole text of the file';
export const BAD_OFFSET = '"offset" of aish.read_file must be a line number, 1 or more';
export const BAD_LIMIT = '"limit" of aish.read_file must be a number of lines, 1 or more';
export const TEXTS_MISSING = 'aish.edit_file needs "old" and "new" as strings';
export const BAD_ALL = 'the argument "all" of aish.edit_file must be true or false';
export const EMPTY_OLD = '"old" of aish.edit_file is empty; call aish.write_file to write a whole file';
export const SAME_TEXTS = '"old" and "new" of aish.edit_file are the same';
export const TOO_MANY_ARGUMENTS =
  'aish cannot search its arguments for paths, because there are too many of them or they are nested too deeply';
/** Why the system refused an operation, by the code of the error. */
export const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; ask the user to change the permissions',
  EPERM: 'the system does not permit it',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file, not a directory',
  EISDIR: 'it is a directory',
  ENAMETOOLONG: 'the name is too long',
};
const FORMAT_HINT = 'run a command that understands its format';
const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
export const formatOccurrences = (number: number, lines: string) => `"old" occurs ${number} times (lines ${lines})`;
export const formatNearest = (line: number, text: string, hint: string) =>
  `the most similar line is ${line}: ${text}; ${hint}`;
export const formatPastEnd = (lines: number, line: number) =>
  `[the file has ${count(lines, 'line')}; line ${line} is after its end]`;
/** The last line of a page. `cut`: the number of a line that is too long; `next`: the first line of the next page. */
export const formatPage = (from: number, to: number, of: number, cut: number | null, next: number | null) =>
  `[lines ${from}-${to} of ${of}${cut === null ? '' : `, line ${cut} cut`}${next === null ? '' : `; read on with offset ${next}`}]`;
export const formatMoreEntries = (rest: number, all: number) => `[${rest} more of ${all} entries]`;
export const formatDirectory = (path: string, list: string) => `${path} is a directory. It contains:\n${list}`;
export const formatChange = (path: string, change: 'created' | 'removed' | 'changed') =>
  `${path} ${change === 'changed' ? change : `was ${change}`} after aish showed the diff`;
export const formatWritten = (verb: 'created' | 'replaced', path: string, bytes: string) => `${verb} ${path}: ${bytes}`;
export const formatEdited = (path: string, lines: readonly number[]) =>
  `edited ${path} ${lines.length === 1 ? `at line ${lines[0]}` : `in ${lines.length} places`}`;
export const formatBinaryChange = (path: string, before: string, after: string) =>
  `binary file ${path}: ${before} before, ${after} after\n`;
export const formatFailure = (path: string, why: string) => `cannot access ${path}: ${why}`;
export const formatPathMissing = (tool: string) => `${tool} needs "path", the path of a file as a string`;
export const formatUnknownTool = (tool: string) => `there is no file tool ${tool}`;
export const targetMoved = (action: 'read' | 'wrote', path: string, now: string, allowed: string) =>
  new AishError('file.moved', `aish ${action} nothing: ${path} now leads to ${now}, but the user allowed ${allowed}`, {
    hint: 'call again, so that the user can allow the new path',
  });
export const fileChanged = (change: string) =>
  new AishError('file.changed', `aish wrote nothing: ${change}`, {
    hint: 'read the file, then call the tool again; the user can then allow the new change',
  });
export const isDirectory = (path: string) =>
  new AishError('file.directory', `${path} is a directory`, { hint: 'name a file in it' });
export const notText = (path: string) =>
  new AishError('file.binary', `${path} contains binary data, not text`, { hint: FORMAT_HINT });
/** `names`: the first files of its directory; null if the directory does not exist. */
export const missingFile = (path: string, directory: string, names: readonly string[] | null) => {
  if (names === null)
    return new AishError('file.missing', `${path} does not exist, nor does its directory`, { hint: 'check the path' });
  const shown = names.slice(0, 30).join(', ') + (names.length > 30 ? `, and ${names.length - 30} more` : '');
  const hint = names.length === 0 ? `${directory} is empty` : `${directory} contains: ${shown}`;
  return new AishError('file.missing', `${path} does not exist`, { hint });
};
export const specialFile = (path: string) =>
  new AishError('file.special', `${path} is not a regular file`, { hint: 'aish reads and writes only regular files' });
export const notAPath = (text: string) =>
  new AishError('file.bad-path', `"${text}" is not a path`, { hint: 'give the path of a file' });
export const tooManyLinks = (path: string) =>
  new AishError('file.bad-path', `${path} leads through too many symbolic links`, { hint: 'name the file itself' });
export const unresolvable = (path: string, cause: unknown) =>
  new AishError('file.bad-path', `cannot resolve ${path}: ${toReason(cause)}`, { hint: 'check the path', cause });
const toReason = (cause: unknown) => (cause instanceof Error ? (cause.message.split(',')[0] ?? '') : String(cause));
export const formatNotAttached = (path: string) => `the model gets only the name of ${path}: ${NO_IMAGES}`;
export const formatAttached = (path: string, about: string) => `attached ${path}, ${about}`;
export const formatFolder = (entries: number) => `a directory of ${count(entries, 'entry', 'entries')}`;
export const formatEnds = (bytes: number) => `both ends of ${megabytes(bytes)}`;
/** The attached part of a text: all its lines, or those of a range. */
export const formatPart = (total: number, range: readonly [number, number] | null, isWhole: boolean) =>
  `${range === null ? count(total, 'line') : `lines ${range[0]}-${range[1]} of ${total}`}${isWhole ? '' : ', shortened in the middle'}`;
export const tooManyFiles = (number: number, most: number) =>
  new AishError('attach.too-many', `your message mentions ${number} files, but aish attaches at most ${most}`, {
    hint: 'send the files in several messages, or mention their directory: the model then gets a list of its files',
  });
export const imagesTooLarge = (bytes: number) =>
  new AishError('attach.too-large', `the images have ${megabytes(bytes)}, but aish attaches at most 10 MB`, {
    hint: 'attach fewer or smaller images',
  });
export const noSuchFile = (path: string, named: string) =>
  new AishError('attach.missing', `there is no file ${path} to attach (aish looked for ${named})`, {
    hint: 'correct the path, or write it without the @',
  });
export const looksSecret = (path: string) =>
  new AishError('attach.secret', `${path} looks like a secret; aish sent nothing`, {
    hint: `to attach it anyway, write @!${path}`,
  });
export const neitherFileNorFolder = (path: string) =>
  new AishError('attach.not-a-file', `${path} is not a file or directory`, { hint: 'write it without the @' });
export const imageTooLarge = (path: string, bytes: number) =>
  new AishError('attach.too-large', `the image ${path} has ${megabytes(bytes)}, but models take at most 5 MB`, {
    hint: 'make it smaller first',
  });
export const tooLongToCount = (path: string, bytes: number, [from, to]: readonly [number, number]) =>
  new AishError('attach.too-large', `${path} is too large to count its lines (${megabytes(bytes)})`, {
    hint: `run sed -n ${from},${to}p on it, then ask about the output`,
  });
export const noSuchLines = (path: string, total: number, from: number) =>
  new AishError('attach.no-lines', `${path} has ${count(total, 'line')}, so it has no line ${from}`, {
    hint: 'mention lines that exist, or the file without line numbers',
  });
export const binaryFile = (path: string) =>
  new AishError('attach.binary', `${path} contains binary data, not text; aish sent nothing`, {
    hint: `${FORMAT_HINT}, then ask about the output`,
  });
export const unreadableFile = (path: string, cause: unknown) =>
  new AishError('attach.unreadable', `cannot read ${path}: ${toReason(cause)}`, {
    hint: 'check its permissions',
    cause,
  });
