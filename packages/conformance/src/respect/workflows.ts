import type { Run } from '../context/run.ts';
import { lacking, leftOut, noUrl, refused, type SkipReason } from '../context/skip-reason.ts';

/** One of the contract's Arazzo documents, with metadata about its workflows. */
export interface WorkflowFile {
  /** Name in `@berth/spec/workflows`. */
  name: string;
  /** Whether its workflows store files. */
  writes: boolean;
  workflows: Record<string, Workflow>;
}

export interface Workflow {
  title: string;
  operations: readonly string[];
  rules: readonly string[];
}

const UPLOAD = ['getUploadMetaData', 'uploadFile'];

/**
 * The contract's workflows that run on their own, by file. Workflows in other files start with steps from
 * `files`.
 */
export const workflowFiles: readonly WorkflowFile[] = [
  {
    name: 'files',
    writes: true,
    workflows: {
      'upload-file': {
        title: 'A file is uploaded in two steps.',
        operations: UPLOAD,
        rules: ['ST-META-CALL', 'UP-FORM', 'UP-SUCCESS'],
      },
      'download-file': {
        title: 'A file is uploaded, linked and downloaded.',
        operations: [...UPLOAD, 'batchGetTempUrls'],
        rules: ['ST-LINKS-CALL', 'ST-LINKS-DOWNLOAD', 'UP-FILE-ID'],
      },
      'delete-file': {
        title: 'A file is uploaded and deleted.',
        operations: [...UPLOAD, 'batchDelete', 'batchGetTempUrls'],
        rules: ['ST-DELETE-CALL', 'ST-LINKS-MISSING'],
      },
    },
  },
  {
    name: 'copy',
    writes: true,
    workflows: {
      'copy-file': {
        title: 'A file is copied and its source stays.',
        operations: [...UPLOAD, 'batchCopyFile', 'batchGetTempUrls', 'batchDelete'],
        rules: ['ST-COPY-CALL', 'ST-COPY-KEEPS-SOURCE', 'ST-COPY-OVERWRITE-DEFAULT'],
      },
    },
  },
  {
    name: 'overwrite',
    writes: true,
    workflows: {
      'copy-without-overwriting': {
        title: 'A copy without overwriting keeps the existing file.',
        operations: [...UPLOAD, 'batchCopyFile', 'batchDelete'],
        rules: ['ST-COPY-OVERWRITE-FALSE', 'ST-COPY-FAILED'],
      },
    },
  },
  {
    name: 'move',
    writes: true,
    workflows: {
      'move-file': {
        title: 'A file is moved and no longer exists at its source.',
        operations: [...UPLOAD, 'batchCopyFile', 'batchGetTempUrls', 'batchDelete'],
        rules: ['ST-COPY-MOVE'],
      },
    },
  },
  {
    name: 'gateway',
    writes: false,
    workflows: {
      'call-service': {
        title: 'The root and a path of a hosted service are called.',
        operations: ['cloudrun-get-root', 'cloudrun-post'],
        rules: ['GW-PATH-OPTIONAL', 'GW-PATH-SHAPE', 'GW-C1', 'GW-REQUEST-ID'],
      },
      'call-missing-service': {
        title: 'A service that does not exist is called.',
        operations: ['cloudrun-get-root'],
        rules: ['GW-ERROR-NOT-FOUND', 'GW-REQUEST-ID-EQUAL'],
      },
      'call-without-credentials': {
        title: 'A service is called without credentials.',
        operations: ['cloudrun-get-root'],
        rules: ['AU-NONE', 'GW-ERROR-CODE', 'GW-ERROR-MESSAGE'],
      },
    },
  },
];

/** Returns why the workflows in a file are not run, or `undefined` if they are run. */
export function workflowSkipReason(
  run: Run,
  { writes, name }: WorkflowFile,
): SkipReason | undefined {
  const api = name === 'gateway' ? 'gateway' : 'storage';
  return (
    leftOut(run, 'respect') ??
    lacking(run, writes ? ['writes'] : []) ??
    noUrl(run, api) ??
    refused(run, api) ??
    lacking(run, [api === 'storage' ? 'storageCredentials' : 'fixture'])
  );
}
