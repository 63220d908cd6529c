const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes as people read it: `128.9 kB`. */
export function formatByteSize(bytes: number): string {
  let [shown, name] = [bytes, 'B'];
  for (const unit of UNITS) {
    if (shown < 1000) break;
    [shown, name] = [shown / 1000, unit];
  }
  return name === 'B' ? `${shown} B` : `${shown.toFixed(1)} ${name}`;
}

/** The same where every one counts: `1 byte`, `1024 bytes`. */
export function countBytes(bytes: number): string {
  return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
}
