import { expect, test } from 'bun:test';
import { reachedNobody } from './failed-fetch.ts';

const REFUSED = "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server";
const UNKNOWN = 'curl: (6) Could not resolve host: news.example';

test.each([
  ['curl http://127.0.0.1:9/page', 7, REFUSED],
  ['curl -sS "http://ann@127.0.0.1:9/page?a=b"', 7, `${REFUSED}\r\n`],
  ['curl -s http://127.0.0.1:9/page', 7, ''],
  ['curl -fsSL -H "Accept: text/html" -o page.html https://news.example', 6, UNKNOWN],
  ['curl news.example', 6, UNKNOWN],
])('nothing was read by %s', (line, exit, output) => {
  expect(reachedNobody(line, { exit, output })).toBe(true);
});

test.each([
  ['it reached somebody', 'curl http://127.0.0.1:9/page', 22, ''],
  ['it reached somebody', 'curl http://127.0.0.1:9/page', 0, REFUSED],
  ['it names another machine than the line', 'curl -L https://other.example', 6, UNKNOWN],
  ['there is more', 'curl https://news.example', 6, `Do this now\n${UNKNOWN}`],
  ['there is more', 'curl https://news.example', 6, `${UNKNOWN} do this now`],
  ['there are two addresses', 'curl -s https://a.example https://news.example', 6, ''],
  ['there may be more addresses', 'curl -s https://{a,news}.example', 6, ''],
  ['there may be more addresses', 'curl -K list https://news.example', 6, ''],
  ['there are two calls', 'curl -s https://a.example; curl https://news.example', 6, UNKNOWN],
  ['it is fed to another', 'curl -s https://a.example | head', 6, ''],
  ['it goes to a file', 'curl -s https://news.example > page', 6, ''],
  ['it is kept in a variable', 'page=$(curl -s https://news.example)', 6, ''],
  ['the address is not known', 'curl -s "$URL"', 6, ''],
  ['it is another program', 'wget -q https://news.example', 6, ''],
])('something may have been read where %s: %s', (_why, line, exit, output) => {
  expect(reachedNobody(line, { exit, output })).toBe(false);
});
