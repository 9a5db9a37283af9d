import type { Suite } from './row.ts';
import { clientSuite } from './suites/client.ts';
import { filesSuite } from './suites/files.ts';
import { gatewaySuite } from './suites/gateway.ts';
import { mockSuite } from './suites/mock.ts';
import { stubsSuite } from './suites/stubs.ts';

/** Every suite there is, in the order in which they run. */
export const suites: readonly Suite[] = [
  clientSuite,
  mockSuite,
  stubsSuite,
  gatewaySuite,
  filesSuite,
];
