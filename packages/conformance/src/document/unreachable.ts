import type { CoverageKind } from './coverage.ts';

interface Unreachable {
  operations: RegExp;
  kind?: CoverageKind;
  names: RegExp;
  reason: string;
}

const GATEWAY = /^cloudrun-/;
const STORAGE = /^(getUploadMetaData|batch\w+)$/;

/** Parts of the contract that a run cannot cover on every correct deployment. */
const UNREACHABLE: readonly Unreachable[] = [
  {
    ...{ operations: /^(getUploadMetaData|batch\w+|uploadFile)$/, names: /^default\b/ },
    reason: 'no request makes a correct server fail',
  },
  {
    ...{ operations: STORAGE, kind: 'fields', names: /^200 body\.(code|message)$/ },
    reason: 'a deployment may report failures with status 200 (D20), but does not have to',
  },
  {
    ...{ operations: /-root$/, kind: 'mediaTypes', names: /^200 (?!application\/json)/ },
    reason: 'the root of the fixture service always responds with JSON',
  },
  {
    ...{ operations: GATEWAY, kind: 'constraints', names: /^body / },
    reason: 'the gateway forwards every body, and the hosted service decides',
  },
  {
    ...{ operations: /^uploadFile$/, kind: 'constraints', names: /^body required$/ },
    reason: 'a form without fields is sent instead',
  },
];

/** Returns why a run cannot cover a part of an operation, or `undefined` if it can. */
export function whyUnreachable(
  operationId: string,
  kind: CoverageKind,
  name: string,
): string | undefined {
  return UNREACHABLE.find(
    (row) =>
      row.operations.test(operationId) &&
      (row.kind === undefined || row.kind === kind) &&
      row.names.test(name),
  )?.reason;
}
