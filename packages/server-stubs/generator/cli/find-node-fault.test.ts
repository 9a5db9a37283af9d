import { expect, test } from 'vitest';
import { findNodeFault } from './find-node-fault.ts';

test.each(['22.12.0', '22.20.1', '24.0.0'])('Node %s is new enough', (version) => {
  expect(findNodeFault(version)).toBeUndefined();
});

test.each(['22.11.9', '20.20.0', '9.0.0'])('Node %s is too old', (version) => {
  expect(findNodeFault(version)).toBe(
    `berth-stubs needs Node 22.12 or newer, and this is Node ${version}.`,
  );
});
