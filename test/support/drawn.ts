import { Terminal } from '@xterm/headless';

/** The rows that a terminal shows for these bytes, with the colours: `<4>` before text in the colour 4, `<4b>` where it is bold. */
export async function drawRows(bytes: string | Uint8Array): Promise<string[]> {
  const terminal = new Terminal({ cols: 80, rows: 24, scrollback: 1000, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(bytes, resolve));
  const buffer = terminal.buffer.active;
  const rows = Array.from({ length: buffer.length }, (_, row) => {
    let shown = '';
    let last = '';
    for (let column = 0; column < 80; column++) {
      const cell = buffer.getLine(row)?.getCell(column);
      const text = cell?.getChars() || (cell?.getWidth() === 0 ? '' : ' ');
      const foreground = cell === undefined || cell.isFgDefault() ? '' : `${cell.getFgColor()}`;
      const background = cell === undefined || cell.isBgDefault() ? '' : `/${cell.getBgColor()}`;
      // A blank has no foreground to see.
      const look = text === ' ' && background === '' ? '' : `${foreground}${background}${cell?.isBold() ? 'b' : ''}`;
      if (look !== last) shown += `<${look}>`;
      shown += text;
      last = look;
    }
    return shown.trimEnd().replace(/<>$/, '').trimEnd();
  });
  terminal.dispose();
  while (rows.at(-1) === '') rows.pop();
  while (rows[0] === '') rows.shift();
  return rows;
}

/** The rows of a prompt, with what stands at the right edge of its last one. */
export function drawPrompt(prompt: string, right: string | null): Promise<string[]> {
  const text = prompt.replaceAll(/\r?\n/g, '\r\n');
  // One column at the edge stays free.
  const place = right ? `\x1b[0m\x1b[${80 - Bun.stringWidth(right)}G${right}` : '';
  return drawRows(`${text}${place}`);
}
