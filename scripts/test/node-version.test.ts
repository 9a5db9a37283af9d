import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('installs for the Node that the scripts run on', () => {
  const text = readFileSync(join(import.meta.dirname, '../../pnpm-workspace.yaml'), 'utf8');
  const [, node] = /^ {2}node: (\S+)$/m.exec(text) ?? [];
  const [, nodeVersion] = /^nodeVersion: (\S+)$/m.exec(text) ?? [];
  expect(nodeVersion).toBe(node);
});
