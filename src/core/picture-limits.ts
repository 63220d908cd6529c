/** How much one picture takes in that git does not hold anyway. */
export interface PictureLimits {
  /** Most files that git does not track; outside of a repository, most files and folders of the tree. */
  readonly files: number;
  /** Most bytes of files that git does not track. */
  readonly bytes: number;
}

/** What holds for pictures where nothing else is configured. */
export const USUAL_PICTURE: PictureLimits = { files: 20_000, bytes: 200_000_000 };

/** The limits as they are noted beside pictures, for those who take the next one and are told none. */
export function formatPictureLimits({ files, bytes }: PictureLimits): string {
  return `${files} ${bytes}\n`;
}

/** Reads noted limits back; null for what are none. */
export function parsePictureLimits(text: string): PictureLimits | null {
  const [, files, bytes] = /^(\d{1,15}) (\d{1,15})\n$/.exec(text) ?? [];
  return files === undefined || bytes === undefined ? null : { files: Number(files), bytes: Number(bytes) };
}
