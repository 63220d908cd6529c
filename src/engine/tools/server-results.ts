import { saveFile } from '../../adapters/store/saved-files.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { toErrorFact } from '../../protocol/error.ts';
import type { SavedImage, ToolCall, ToolResult } from '../../protocol/tool.ts';
import type { SessionOutputs } from '../shell/session-outputs.ts';
import { formatTooManyFiles } from './messages.ts';

/** Bytes of a text that go to its file at a time. */
const PIECE_BYTES = 256 * 1024;
/** Most files of one result. */
const MOST_FILES = 50;
/** The longest name of a call in the list of outputs. */
const LONGEST_LINE = 200;

/** Saves the images, sounds and other binary data of a tool; the text names each file. */
export function keepFiles(result: ToolResult, folder: string): ToolResult {
  const { returned, ...rest } = result;
  if (returned === undefined) return result;
  const images: SavedImage[] = [];
  let text = '';
  let after = rest.text;
  for (const [at, { label, mime, data }] of returned.entries()) {
    const end = after.indexOf(label) + label.length;
    const kept = at < MOST_FILES ? keepFile(mime, data, folder) : formatTooManyFiles(MOST_FILES);
    if (typeof kept !== 'string' && mime.startsWith('image/')) images.push(kept);
    const about = typeof kept === 'string' ? `not saved: ${kept}` : `saved ${kept.path}`;
    text += `${after.slice(0, end).replace(/\]$/, '')} ${about}]`;
    after = after.slice(end);
  }
  return { ...rest, text: text + after, ...(images.length === 0 ? {} : { images }) };
}

/** The saved file, or why aish cannot save it. */
function keepFile(mime: string, data: string, folder: string): SavedImage | string {
  const bytes = Buffer.from(data, 'base64');
  try {
    return { path: saveFile(folder, bytes, mime), mime, bytes: bytes.length };
  } catch (thrown) {
    return toErrorFact(thrown).message;
  }
}

/** Keeps the text of a tool's result whole under a handle. */
export async function keepText(
  call: Pick<ToolCall, 'name' | 'arguments'>,
  { text, isError }: Pick<ToolResult, 'text' | 'isError'>,
  { outputs, cwd }: { readonly outputs: SessionOutputs; readonly cwd: string },
): Promise<CommandRecord> {
  const line = `${call.name} ${JSON.stringify(call.arguments)}`.slice(0, LONGEST_LINE);
  const output = outputs.begin();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    output.write(bytes.subarray(at, at + PIECE_BYTES));
    await output.written();
  }
  const exit = isError ? 1 : 0;
  return output.finish({ line, cwd, exit, driver: 'model', output: text, bytes: bytes.length, durationMs: 0 });
}
