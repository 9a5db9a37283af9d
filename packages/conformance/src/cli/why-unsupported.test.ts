import { expect, test } from 'vitest';
import { manifest } from './manifest.ts';
import { whyUnsupported } from './why-unsupported.ts';

test.each([
  ['22.11.0', 'Node 22.12 or later is needed; this is 22.11.0.'],
  ['20.19.0', 'Node 22.12 or later is needed; this is 20.19.0.'],
  ['22.12.0', undefined],
  ['24.0.0', undefined],
])('Node %s', (version, sentence) => {
  expect(whyUnsupported(version, '>=22.12')).toBe(sentence);
});

test('the package asks for a version in the form that is understood', () => {
  expect(manifest.engines.node).toMatch(/^>=\d+\.\d+$/);
});
