import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import server from '@berth/server/config.schema.json' with { type: 'json' };
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import ruleSet from '@berth/spec/rules.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';

/** First cells of the rows of a reference page. */
function firstCells(page: string): string[] {
  const text = readFileSync(join(import.meta.dirname, `../reference/${page}.md`), 'utf8');
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = '']) => cell);
}

/** Names of all properties of a schema, at any depth. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { properties?: object };
  return [...Object.keys(properties), ...Object.values(schema).flatMap(namesIn)];
}

const operationIds = [gateway, storage].flatMap(({ paths }) =>
  Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap((operation) =>
      operation && typeof operation === 'object' && 'operationId' in operation
        ? [String(operation.operationId)]
        : [],
    ),
  ),
);

describe('a reference page has a row for each', () => {
  it.each<[string, string, readonly string[]]>([
    ['rule', 'rules', [...ruleSet.rules, ...ruleSet.clientRules].map(({ id }) => id)],
    ['limit', 'limits', Object.keys(defaults.limits)],
    ['operation', 'operations', operationIds],
    [
      'error code',
      'errors',
      [defaults.gatewayErrors, defaults.storageErrors, defaults.uploadErrors].flatMap((errors) =>
        errors.map(({ code }) => code),
      ),
    ],
  ])('%s, once', (_, page, names) => {
    expect(names.length).toBeGreaterThan(5);
    expect(firstCells(page).toSorted()).toEqual([...names].toSorted());
  });

  it('setting of the server', () => {
    const rows = firstCells('configuration');
    const shown = new Set(rows.map((path) => path.split('.').at(-1)?.replace(/\[\]$/, '')));
    // A group without a description has no row, only its settings have.
    const groups = new Set(rows.flatMap((path) => path.split('.').slice(0, -1)));
    const names = namesIn(server).filter((name) => name !== '$schema');
    expect(names.length).toBeGreaterThan(50);
    const missing = names.filter(
      (name) => !shown.has(name) && !groups.has(name) && !groups.has(`${name}[]`),
    );
    expect(missing).toEqual([]);
  });
});
