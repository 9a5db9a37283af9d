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
 * The contract's workflows that run on their own, grouped by file. Workflows in other files start with steps
 * that are defined in `files`.
 */
export const workflowFiles: readonly WorkflowFile[] = [
  {
    name: 'files',
    writes: true,
    workflows: {
      'upload-file': {
        title: 'Upload a file in two steps.',
        operations: UPLOAD,
        rules: ['ST-META-CALL', 'UP-FORM', 'UP-SUCCESS'],
      },
      'download-file': {
        title: 'Upload a file and download it through a link.',
        operations: [...UPLOAD, 'batchGetTempUrls'],
        rules: ['ST-LINKS-CALL', 'ST-LINKS-DOWNLOAD', 'UP-FILE-ID'],
      },
      'delete-file': {
        title: 'Upload a file and delete it.',
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
        title: 'Copy a file and keep its source.',
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
        title: 'Copy a file without overwriting the existing destination.',
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
        title: 'Move a file, so that its source no longer exists.',
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
        title: 'Call the root and another path of a hosted service.',
        operations: ['cloudrun-get-root', 'cloudrun-post'],
        rules: ['GW-PATH-OPTIONAL', 'GW-PATH-SHAPE', 'GW-C1', 'GW-REQUEST-ID'],
      },
      'call-missing-service': {
        title: 'Call a hosted service that does not exist.',
        operations: ['cloudrun-get-root'],
        rules: ['GW-ERROR-NOT-FOUND', 'GW-REQUEST-ID-EQUAL'],
      },
      'call-without-credentials': {
        title: 'Call a hosted service without credentials.',
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
