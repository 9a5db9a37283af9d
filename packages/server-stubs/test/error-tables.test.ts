import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { expect, test } from 'vitest';
import {
  GATEWAY_ERRORS,
  STORAGE_ERRORS,
  STORAGE_ITEM_ERRORS,
  UPLOAD_ERRORS,
} from '../src/generated/errors.gen.ts';

const SURFACES = [
  ['Gateway', GATEWAY_ERRORS, defaults.gatewayErrors],
  ['Storage', { ...STORAGE_ITEM_ERRORS, ...STORAGE_ERRORS }, defaults.storageErrors],
  ['Upload', UPLOAD_ERRORS, defaults.uploadErrors],
] as const;

test('the gateway document names the codes that the contract promises, with their status', () => {
  const { description, examples } = gateway.components.schemas.GatewayErrorCode;
  const promised = defaults.gatewayErrors
    .filter(({ strength }) => strength !== 'ours')
    .map(({ code }) => code);
  expect([...readTables(description).keys()]).toEqual(promised);
  expect(examples).toEqual(promised);
  for (const [code, [meaning]] of readTables(description)) {
    const status = /status (\d{3})/.exec(meaning ?? '')?.[1];
    if (status !== undefined)
      expect(GATEWAY_ERRORS).toHaveProperty([code, 'status'], Number(status));
  }
});

test('every code in an example in the documents is in a table', () => {
  const known = SURFACES.flatMap(([, table]) => Object.keys(table));
  const used = [gateway, storage].flatMap((document) => findCodes(document.components.examples));
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((code) => code !== 'SUCCESS' && !known.includes(code))).toEqual([]);
});

/** Returns the rows of all tables in a Markdown text whose first cell is a code in backticks. */
function readTables(markdown: string): Map<string, readonly string[]> {
  const lines = markdown.split('\n').filter((line) => /^\|\s*`/.test(line));
  const rows = lines.map((line) => line.split('|').slice(1, -1));
  return new Map(
    rows.map(([code = '', ...cells]) => [
      code.replace(/[`\s]/g, ''),
      cells.map((cell) => cell.trim()),
    ]),
  );
}

function findCodes(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) =>
    /^code$/i.test(key) && typeof entry === 'string' ? [entry] : findCodes(entry),
  );
}
