import { createMock } from '@berth/mock';
import { expect, test } from 'vitest';
import { runWorkflows } from './support/run-workflows.ts';
import { startProxy } from './support/start-proxy.ts';

test('every workflow of the contract is green against the mock', async () => {
  await using mock = await createMock();
  const names = ['files', 'copy', 'overwrite', 'move', 'gateway'];
  expect(await runWorkflows(mock.storageUrl, ...names)).toEqual({
    'upload-file': 'success',
    'download-file': 'success',
    'delete-file': 'success',
    'copy-file': 'success',
    'copy-without-overwriting': 'success',
    'move-file': 'success',
    'call-service': 'success',
    'call-missing-service': 'success',
    'call-without-credentials': 'success',
  });
});

test('a server that overwrites in spite of `overwrite: false` is found', async () => {
  await using mock = await createMock();
  await using broken = await startProxy(mock.storageUrl, (url, body) =>
    url.endsWith('storages:batchCopyFile')
      ? body.replaceAll('"overwrite":false', '"overwrite":true')
      : body,
  );
  expect(await runWorkflows(broken.url, 'files', 'overwrite')).toMatchObject({
    'upload-file': 'success',
    'copy-without-overwriting': 'error',
  });
});
