import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** A thing in an archive. */
export interface Member {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link';
  readonly size: number;
}

/** Larger archives are not read for a preview. */
export const LARGEST_ARCHIVE = 2_000_000;
const LARGEST_CONTENT = 32_000_000;

/** What a small archive holds; null where it cannot be told. */
export async function readArchive(path: string, how: 'tar' | 'zip'): Promise<readonly Member[] | null> {
  try {
    const content = await readFile(path);
    if (how === 'zip') return readZip(content);
    const isPacked = content[0] === 0x1f && content[1] === 0x8b;
    return readTar(isPacked ? await promisify(gunzip)(content, { maxOutputLength: LARGEST_CONTENT }) : content);
  } catch {
    return null;
  }
}

const BLOCK = 512;

function readTar(content: Buffer): readonly Member[] | null {
  const members: Member[] = [];
  let longName: string | null = null;
  for (let at = 0; at + BLOCK <= content.length; ) {
    const header = content.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return members;
    if (!isTarHeader(header)) return null;
    const size = Number.parseInt(textOf(header, 124, 12).trim() || '0', 8);
    const type = String.fromCharCode(header[156] ?? 48);
    const body = content.subarray(at + BLOCK, at + BLOCK + size);
    if (!Number.isFinite(size)) return null;
    if (type === 'L') longName = textOf(body, 0, body.length);
    else if (type === 'x') longName = /\d+ path=([^\n]*)\n/.exec(body.toString('utf8'))?.[1] ?? null;
    else if (type !== 'g' && type !== 'K') {
      const prefix =
        textOf(header, 257, 6).startsWith('ustar') && !textOf(header, 257, 8).startsWith('ustar ')
          ? textOf(header, 345, 155)
          : '';
      const short = textOf(header, 0, 100);
      members.push({
        name: longName ?? (prefix === '' ? short : `${prefix}/${short}`),
        kind: kindOf(type),
        size: type === '5' ? 0 : size,
      });
      longName = null;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return members;
}

function isTarHeader(header: Buffer): boolean {
  const wanted = Number.parseInt(textOf(header, 148, 8).trim(), 8);
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 32 : byte;
  return sum === wanted;
}

function kindOf(type: string): Member['kind'] {
  return type === '5' ? 'folder' : type === '2' ? 'link' : 'file';
}

function textOf(bytes: Buffer, from: number, length: number): string {
  const field = bytes.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? field.length : end).toString('utf8');
}

/** The list at the end of the archive. */
function readZip(content: Buffer): readonly Member[] | null {
  const end = content.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0) return null;
  const count = content.readUInt16LE(end + 10);
  let at = content.readUInt32LE(end + 16);
  const members: Member[] = [];
  for (let index = 0; index < count; index += 1) {
    if (content.readUInt32LE(at) !== 0x02014b50) return null;
    const nameLength = content.readUInt16LE(at + 28);
    const name = content.subarray(at + 46, at + 46 + nameLength).toString('utf8');
    members.push({ name, kind: name.endsWith('/') ? 'folder' : 'file', size: content.readUInt32LE(at + 24) });
    at += 46 + nameLength + content.readUInt16LE(at + 30) + content.readUInt16LE(at + 32);
  }
  return members;
}
