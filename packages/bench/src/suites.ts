import type { Suite } from './row.ts';
import { clientSuite } from './suites/client.ts';
import { conformanceSuite } from './suites/conformance.ts';
import { filesSuite } from './suites/files.ts';
import { gatewaySuite } from './suites/gateway.ts';
import { generatorSuite } from './suites/generator.ts';
import { mockSuite } from './suites/mock.ts';
import { sizesSuite } from './suites/sizes.ts';
import { stubsSuite } from './suites/stubs.ts';

/** Every suite there is, in the order in which they run. */
export const suites: readonly Suite[] = [
  generatorSuite,
  stubsSuite,
  gatewaySuite,
  filesSuite,
  sizesSuite,
  clientSuite,
  mockSuite,
  conformanceSuite,
];
