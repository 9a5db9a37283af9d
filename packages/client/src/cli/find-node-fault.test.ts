import { expect, test } from 'vitest';
import { findNodeFault } from './find-node-fault.ts';

test.each(['20.0.0', '24.19.0'])('Node %s is new enough', (version) => {
  expect(findNodeFault(version)).toBeUndefined();
});

test.each(['18.20.0', '9.0.0'])('Node %s is too old', (version) => {
  expect(findNodeFault(version)).toBe(`berth needs Node 20 or newer, and this is Node ${version}.`);
});
