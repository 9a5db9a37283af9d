import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { expect, it } from 'vitest';
import { toMswModule } from './to-msw-module.ts';

const parts = { defaults, gateway, storage };

it('generates exactly the committed file', async () => {
  const text = toMswModule(parts);
  const file = join(import.meta.dirname, '../src/generated/msw.gen.ts');
  expect(await readFile(file, 'utf8')).toContain(text);
  expect(toMswModule(structuredClone(parts))).toBe(text);
});

it('contains every error code and the fields of every storage operation', () => {
  const text = toMswModule(parts);
  for (const { code } of [...defaults.gatewayErrors, ...defaults.storageErrors]) {
    expect(text).toContain(`"${code}": {`);
  }
  for (const operation of Object.keys(defaults.operations)) {
    expect(text).toContain(`"${operation}": {\n    "type": "object"`);
  }
});
