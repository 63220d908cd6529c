/** An answer of some 2,000 tokens as models write them: prose, a list, code, a table. It ends in `end-of-answer`. */
export const LONG_ANSWER: string = [
  '# Moving the parser',
  '',
  ...Array.from({ length: 12 }, (_, at) => paragraph(at)),
  '```ts',
  ...Array.from({ length: 45 }, (_, at) => `export const value${at} = compute(${at}, "text ${at}"); // step ${at}`),
  '```',
  '',
  '| step | file | lines | note |',
  '| --- | --- | --- | --- |',
  ...Array.from({ length: 20 }, (_, at) => `| ${at} | src/part-${at}.ts | ${at * 17} | moved as it was |`),
  '',
  ...Array.from({ length: 12 }, (_, at) => `- **Point ${at}**: run \`make check-${at}\` and look at the result.`),
  '',
  ...Array.from({ length: 5 }, (_, at) => paragraph(at + 12)),
  'end-of-answer',
].join('\n');

function paragraph(at: number): string {
  return `Part ${at} reads the input once, keeps what it needs in one table and hands on the rest, so that *nothing* is read twice. It is called from \`src/main-${at}.ts\` and tested beside it; the older form stays until the last caller has moved.\n`;
}
