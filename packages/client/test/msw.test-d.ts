import { gatewayError, mswHandlers, storageError, uploadError } from '@berth/client/msw';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { setupServer as setupServer3 } from 'msw3/node';
import { describe, expectTypeOf, it } from 'vitest';

const berth = mswHandlers({ baseUrl: 'https://api.example.com' });
const { storage } = berth;
const hello = berth.service('hello');

describe('handlers', () => {
  it('work everywhere that MSW handlers work', () => {
    const connection = hello.connect('chat', ({ client }) => client.send('Hello'));
    const server = setupServer(connection, ...berth.handlers);
    server.use(storage.batchDelete(() => storageError('SYS_ERR')));
    http.get('/a', () => gatewayError('SYS_ERR'));
    void setupServer3;
  });

  it('need one URL, or both', () => {
    mswHandlers({ gatewayUrl: 'https://g.example', storageUrl: 'https://s.example', envId: 'dev' });
    // @ts-expect-error: an address is missing
    void (() => mswHandlers({}));
    // @ts-expect-error: storageUrl is missing
    void (() => mswHandlers({ gatewayUrl: 'https://g.example' }));
  });
});

describe('responses of storage operations', () => {
  it('are typed by the contract', () => {
    storage.batchDelete(({ body, request }) => {
      expectTypeOf(body.fileList).toEqualTypeOf<string[]>();
      expectTypeOf(request).toEqualTypeOf<Request>();
      return { fileList: body.fileList.map((fileID) => ({ fileID, code: 'SUCCESS' })) };
    });
    storage.batchCopyFile(async ({ body }) => ({
      fileList: body.fileList.map(({ dstPath }) => ({ fileID: dstPath })),
    }));
    storage.batchGetTempUrls(() => undefined);
    storage.getUploadMetaData(() => HttpResponse.error());
    // @ts-expect-error: tempFileURL is missing
    storage.batchGetTempUrls(() => ({ fileList: [{ fileID: 'a', code: 'SUCCESS' }] }));
    // @ts-expect-error: the field is fileList
    storage.batchDelete(({ body }) => ({ fileList: body.files }));
    // @ts-expect-error: no such operation
    void (() => storage.batchMove(() => undefined));
  });
});

describe('errors', () => {
  it('have the codes of the contract, or a status for others', () => {
    gatewayError('SERVICE_NOT_READY', { message: 'Wait.' });
    storageError('INVALID_PARAM');
    uploadError('EntityTooLarge');
    gatewayError('NEW_CODE', { status: 418 });
    // @ts-expect-error: the status of an unknown code is missing
    gatewayError('SERVICE_NOT_REDY');
    // @ts-expect-error: that is a code of the gateway
    storageError('SERVICE_NOT_READY');
  });
});
