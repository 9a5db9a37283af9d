import type { Run } from '../context/run.ts';
import { lacking, leftOut, noUrl, refused, type SkipReason } from '../context/skip-reason.ts';

/** A workflow in one of the contract's Arazzo documents. */
export interface Workflow {
  id: string;
  /** Name of its document in `@berth/spec/workflows`. */
  file: 'files' | 'copy' | 'overwrite' | 'move' | 'gateway';
  title: string;
  operations: readonly string[];
  rules: readonly string[];
}

const UPLOAD = ['getUploadMetaData', 'uploadFile'];
const COPIES = [...UPLOAD, 'batchCopyFile', 'batchGetTempUrls', 'batchDelete'];

/**
 * The contract's workflows that run on their own. Workflows in other files start with steps that are defined in
 * `files`.
 */
export const workflows: readonly Workflow[] = [
  {
    ...{ id: 'upload-file', file: 'files', title: 'Upload a file in two steps.' },
    ...{ operations: UPLOAD, rules: ['ST-META-CALL', 'UP-FORM', 'UP-SUCCESS'] },
  },
  {
    ...{ id: 'download-file', file: 'files' },
    title: 'Upload a file and download it through a link.',
    operations: [...UPLOAD, 'batchGetTempUrls'],
    rules: ['ST-LINKS-CALL', 'ST-LINKS-DOWNLOAD', 'UP-FILE-ID'],
  },
  {
    ...{ id: 'delete-file', file: 'files', title: 'Upload a file and delete it.' },
    operations: [...UPLOAD, 'batchDelete', 'batchGetTempUrls'],
    rules: ['ST-DELETE-CALL', 'ST-LINKS-MISSING'],
  },
  {
    ...{ id: 'copy-file', file: 'copy', title: 'Copy a file and keep its source.' },
    operations: COPIES,
    rules: ['ST-COPY-CALL', 'ST-COPY-KEEPS-SOURCE', 'ST-COPY-OVERWRITE-DEFAULT'],
  },
  {
    ...{ id: 'copy-without-overwriting', file: 'overwrite' },
    title: 'Copy a file without overwriting the existing destination.',
    operations: [...UPLOAD, 'batchCopyFile', 'batchDelete'],
    rules: ['ST-COPY-OVERWRITE-FALSE', 'ST-COPY-FAILED'],
  },
  {
    ...{ id: 'move-file', file: 'move', operations: COPIES, rules: ['ST-COPY-MOVE'] },
    title: 'Move a file, so that its source no longer exists.',
  },
  {
    ...{ id: 'call-service', file: 'gateway' },
    title: 'Call the root and another path of a hosted service.',
    operations: ['cloudrun-get-root', 'cloudrun-post'],
    rules: ['GW-PATH-OPTIONAL', 'GW-PATH-SHAPE', 'GW-C1', 'GW-REQUEST-ID'],
  },
  {
    ...{ id: 'call-missing-service', file: 'gateway' },
    title: 'Call a hosted service that does not exist.',
    operations: ['cloudrun-get-root'],
    rules: ['GW-ERROR-NOT-FOUND', 'GW-REQUEST-ID-EQUAL'],
  },
  {
    ...{ id: 'call-without-credentials', file: 'gateway' },
    title: 'Call a hosted service without credentials.',
    operations: ['cloudrun-get-root'],
    rules: ['AU-NONE', 'GW-ERROR-CODE', 'GW-ERROR-MESSAGE'],
  },
];

/** Returns why a workflow is not run, or `undefined` if it is run. */
export function workflowSkipReason(run: Run, { file }: Workflow): SkipReason | undefined {
  const api = file === 'gateway' ? 'gateway' : 'storage';
  return (
    leftOut(run, 'respect') ??
    lacking(run, api === 'storage' ? ['writes'] : []) ??
    noUrl(run, api) ??
    refused(run, api) ??
    lacking(run, [api === 'storage' ? 'storageCredentials' : 'fixture'])
  );
}
