import {
  createGatewayRouter,
  createStorageRouter,
  createUploadRouter,
  type GatewayHandler,
  StorageError,
  type StorageHandlers,
} from '@berth/server-stubs';
import { describe, expectTypeOf, it } from 'vitest';

interface User {
  readonly id: string;
}

const storage = { security: { credentials: (): User => ({ id: 'u1' }) } };
const gateway = {
  security: { bearerToken: () => ({ id: 'u1' }), signature: () => ({ id: 'u1' }) },
};
const forward: GatewayHandler = () => ({ status: 200 });

describe('storage handlers', () => {
  it('get the fields of their operation', () => {
    createStorageRouter(
      {
        batchCopyFile({ fileList }, { envId, caller }) {
          expectTypeOf(envId).toBeString();
          expectTypeOf(caller).toEqualTypeOf<User>();
          for (const item of fileList) {
            expectTypeOf(item.srcPath).toBeString();
            expectTypeOf(item.overwrite).toEqualTypeOf<boolean | undefined>();
            // @ts-expect-error no such field
            item.sourcePath;
          }
          return {
            fileList: [{ fileID: 'f' }, { code: 'STORAGE_FILE_NONEXIST', message: 'Gone.' }],
          };
        },
        // @ts-expect-error the path is text
        getUploadMetaData: (input: { path: number }) => {
          throw new StorageError('SYS_ERR', { message: String(input.path) });
        },
      },
      storage,
    );
  });

  it('return the data of their operation', () => {
    createStorageRouter(
      {
        // @ts-expect-error an entry needs its fileID
        batchDelete: ({ fileList }) => ({ fileList: fileList.map(() => ({ code: 'SUCCESS' })) }),
        // @ts-expect-error the envelope is the router's
        batchGetTempUrls: () => ({ status: 200, body: {} }),
        // @ts-expect-error storeFileID is missing
        getUploadMetaData: async () => ({ url: 'u', token: 't', authorization: 'a', fileID: 'f' }),
      },
      storage,
    );
  });

  it('belong to operations that exist', () => {
    // @ts-expect-error no such operation
    createStorageRouter({ batchRename: () => ({ fileList: [] }) }, storage);
    // @ts-expect-error the upload target has a router of its own
    createStorageRouter({ uploadFile: () => ({ etag: '', location: '' }) }, storage);
    expectTypeOf<keyof StorageHandlers>().toEqualTypeOf<
      'getUploadMetaData' | 'batchGetTempUrls' | 'batchDelete' | 'batchCopyFile'
    >();
  });
});

describe('security handlers', () => {
  it('are required', () => {
    // @ts-expect-error no options
    createStorageRouter({});
    // @ts-expect-error no security
    createStorageRouter({}, {});
    // @ts-expect-error no credentials
    createStorageRouter({}, { security: {} });
    // @ts-expect-error no security
    createGatewayRouter({ call: forward }, {});
    // @ts-expect-error no signature
    createGatewayRouter({ call: forward }, { security: { bearerToken: () => 'u1' } });
    // @ts-expect-error no handler
    createUploadRouter({});
  });
});

describe('gateway handlers', () => {
  it('return any status, and a body that can be sent as is', () => {
    createGatewayRouter({ call: () => ({ status: 418, body: 'tea' }) }, gateway);
    // @ts-expect-error an object is no body
    createGatewayRouter({ call: () => ({ status: 200, body: { a: 1 } }) }, gateway);
    // @ts-expect-error the name is text
    createGatewayRouter({ call: (_: { name: number }) => ({ status: 200 }) }, gateway);
  });
});
