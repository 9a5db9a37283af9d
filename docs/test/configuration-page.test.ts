import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import server from '@berth/server/config.schema.json' with { type: 'json' };
import { expect, it } from 'vitest';

const page = readFileSync(join(import.meta.dirname, '../reference/configuration.md'), 'utf8');

/** Names of all properties of a schema, at any depth. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { properties?: object };
  return [...Object.keys(properties), ...Object.values(schema).flatMap(namesIn)];
}

it('the configuration page has every setting of the server', () => {
  const rows = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path = '']) => path);
  // A group without a description has no row, only its settings have.
  const shown = new Set(rows.flatMap((path) => path.split('.')).map((n) => n.replace(/\[\]$/, '')));
  const names = namesIn(server).filter((name) => name !== '$schema');
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !shown.has(name))).toEqual([]);
});
