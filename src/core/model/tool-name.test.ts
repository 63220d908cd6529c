import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from '../../../test/support/properties.ts';
import { parseToolName, toWireName, WIRE_NAME } from './tool-name.ts';

const hash = (alias: string, tool: string) => createHash('sha256').update(`${alias}\0${tool}`).digest('hex').slice(0, 10);

test('a tool is split from its alias at the first dot', () => {
  expect(['fs.read', 'fs.a.b.c', 'fs', '.x', 'fs.'].map(parseToolName)).toEqual([
    { alias: 'fs', tool: 'read' },
    { alias: 'fs', tool: 'a.b.c' },
    null,
    null,
    null,
  ]);
});

test('a name that fits the wire keeps both parts readable', () => {
  expect(['fs.write_file', 'my-server.a-b', 'fs._x'].map(toWireName)).toEqual(['fs__write_file', 'my-server__a-b', 'fs___x']);
});

test('a name that does not fit, or could be read two ways, carries a hash', () => {
  const long = 'x'.repeat(80);
  expect([`fs.${long}`, 'fs.a.b', 'a__b.c', 'a_.b', 'fs.datei_öffnen', '日本.語'].map(toWireName)).toEqual([
    `fs_${'x'.repeat(50)}_${hash('fs', long)}`,
    `fs_a_b_${hash('fs', 'a.b')}`,
    `a_b_c_${hash('a__b', 'c')}`,
    `a_b_${hash('a_', 'b')}`,
    `fs_datei_ffnen_${hash('fs', 'datei_öffnen')}`,
    `tool_${hash('日本', '語')}`,
  ]);
});

test('a name without alias that is fit for the wire stays as it is', () => {
  expect(toWireName('unknown_tool')).toBe('unknown_tool');
});

test('every name is valid on the wire, and different names stay different', () => {
  const part = fc.stringMatching(/^[a-c_.é-]{1,40}$/);
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(part, part).map(([alias, tool]) => `${alias.replaceAll('.', 'x')}.${tool}`)), (names) => {
      const wires = new Set(names.map(toWireName));
      expect([...wires].every((wire) => WIRE_NAME.test(wire))).toBe(true);
      expect(wires.size).toBe(names.length);
    }),
  );
});
