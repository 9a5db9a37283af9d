import { expect, test } from 'vitest';
import { findNodeFault } from './find-node-fault.ts';

test.each(['24.18.0', '24.19.0', '25.0.0'])('Node %s is new enough', (version) => {
  expect(findNodeFault(version)).toBeUndefined();
});

test.each(['24.17.9', '22.20.0', '9.0.0'])('Node %s is too old', (version) => {
  expect(findNodeFault(version)).toBe(
    `berth-mock needs Node 24.18 or newer, and this is Node ${version}.`,
  );
});
