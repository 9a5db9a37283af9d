import { join } from 'node:path';
import {
  toClientConstants,
  toErrorTables,
  toRuleIds,
  toStorageOperations,
  toStubsConstants,
  toWireProfile,
  toWorkflows,
} from './generate/constants.ts';
import { toOpenapi30 } from './generate/openapi30.ts';
import { toErrorsPage, toLimitsPage, toRulesPage } from './generate/pages.ts';
import { type Contract, readContract, SPEC, toIdentity } from './generate/read.ts';
import { toTypes } from './generate/to-types.ts';
import { writeGenerated } from './generate/write.ts';

const CLIENT = 'packages/client/src/generated';
const STUBS = 'packages/server-stubs/src/generated';
const SUITE = 'packages/conformance/src/generated';

/** Everything that is derived from the contract: each file, and what writes it. */
const FILES: Readonly<Record<string, (contract: Contract) => unknown>> = {
  // What the package exports as JSON
  'spec/generated/gateway.v1.gen.json': ({ gateway }) => gateway,
  'spec/generated/storage.v2.gen.json': ({ storage }) => storage,
  'spec/generated/gateway.v1.openapi30.gen.json': ({ gateway }) => toOpenapi30(gateway),
  'spec/generated/storage.v2.openapi30.gen.json': ({ storage }) => toOpenapi30(storage),
  'spec/generated/defaults.gen.json': ({ defaults }) => defaults,
  'spec/generated/rules.gen.json': ({ rules }) => rules,
  'spec/generated/contract.gen.json': toIdentity,
  'spec/src/generated/wire-profile.gen.ts': toWireProfile,
  // Types of both documents, and constants
  [`${CLIENT}/gateway.v1.gen.ts`]: ({ gateway }) => toTypes(gateway),
  [`${CLIENT}/storage.v2.gen.ts`]: ({ storage }) => toTypes(storage),
  [`${CLIENT}/contract.gen.ts`]: toClientConstants,
  [`${STUBS}/contract.gen.ts`]: toStubsConstants,
  [`${STUBS}/errors.gen.ts`]: toErrorTables,
  // Names for the suite
  [`${SUITE}/rule-ids.gen.ts`]: toRuleIds,
  [`${SUITE}/storage-operations.gen.ts`]: toStorageOperations,
  [`${SUITE}/workflows.gen.ts`]: toWorkflows,
  // Reference pages
  'docs/reference/rules.md': toRulesPage,
  'docs/reference/errors.md': toErrorsPage,
  'docs/reference/limits.md': toLimitsPage,
};

const contract = readContract();
for (const [file, derive] of Object.entries(FILES)) {
  await writeGenerated(join(SPEC, '..', file), await derive(contract), 'spec/generate.ts');
}
