import { expect, test } from 'vitest';
import { findNodeFault } from './find-node-fault.ts';

test.each(['20.19.0', '20.20.2', '22.0.0', '24.18.0'])('Node %s is new enough', (version) => {
  expect(findNodeFault(version)).toBeUndefined();
});

test.each(['20.18.3', '18.20.8', '9.0.0'])('Node %s is too old', (version) => {
  expect(findNodeFault(version)).toBe(
    `berth-mock needs Node 20.19 or newer, and this is Node ${version}.`,
  );
});
