// Compiled, but never run: each @ts-expect-error is a promise to users.
import type { Readable } from 'node:stream';
import {
  createGatewayRouter,
  createStorageRouter,
  createUploadRouter,
  type GatewayHandler,
} from '@berth/server-stubs';
import type { TypedInput, TypedOutput } from '@berth/server-stubs/runtime';
import { expectTypeOf } from 'vitest';

interface User {
  readonly id: string;
}

const storage = { security: { credentials: (): User => ({ id: 'u1' }) } };
const gateway = {
  security: { bearerToken: () => ({ id: 'u1' }), signature: () => ({ id: 'u1' }) },
};
const forward: GatewayHandler = () => ({ status: 200 });

createStorageRouter(
  {
    batchCopyFile({ fileList }, { env, caller }) {
      const names: string[] = [env, caller.id];
      for (const item of fileList) {
        item.overwrite satisfies boolean | undefined;
        names.push(item.srcPath);
        // @ts-expect-error no such field
        item.sourcePath;
      }
      return { fileList: [{ fileID: 'f' }, { code: 'STORAGE_FILE_NONEXIST', message: 'Gone.' }] };
    },
  },
  storage,
);
createStorageRouter(
  {
    // @ts-expect-error an entry needs its fileID
    batchDelete: ({ fileList }) => ({ fileList: fileList.map(() => ({ code: 'SUCCESS' })) }),
    // @ts-expect-error the envelope is the router's
    batchGetTempUrls: () => ({ status: 200, body: {} }),
  },
  storage,
);

// @ts-expect-error no such operation
createStorageRouter({ batchRename: () => ({ fileList: [] }) }, storage);
// @ts-expect-error the upload target has a router of its own
createStorageRouter({ uploadFile: () => ({ etag: '', location: '' }) }, storage);

// @ts-expect-error no credentials
createStorageRouter({}, { security: {} });
// @ts-expect-error no signature
createGatewayRouter({ call: forward }, { security: { bearerToken: () => 'u1' } });
// @ts-expect-error no handler
createUploadRouter({});

createGatewayRouter({ call: () => ({ status: 418, body: 'tea' }) }, gateway);
// @ts-expect-error an object is no body
createGatewayRouter({ call: () => ({ status: 200, body: { a: 1 } }) }, gateway);
// @ts-expect-error the name is text
createGatewayRouter({ call: (_: { name: number }) => ({ status: 200 }) }, gateway);

// The kinds of bodies, as `kindOf` tells them apart.
type BodyOf<Type extends string, Value> = TypedInput<{
  requestBody: { content: { [Name in Type]: Value } };
}>['body'];
type Pet = { name: string };
expectTypeOf<BodyOf<'Application/Problem+JSON; a=b', Pet>>().toEqualTypeOf<Pet>();
expectTypeOf<BodyOf<'application/*', Pet>>().toEqualTypeOf<Pet>();
expectTypeOf<BodyOf<'application/*', string>>().toEqualTypeOf<Readable>();
expectTypeOf<BodyOf<'application/x-www-form-urlencoded; a=b', Pet>>().toEqualTypeOf<Pet>();
expectTypeOf<BodyOf<'Text/CSV', Pet>>().toEqualTypeOf<string>();
expectTypeOf<BodyOf<'application/soap+xml', Pet>>().toEqualTypeOf<string>();
expectTypeOf<BodyOf<'multipart/form-data' | 'image/png', Pet>>().toEqualTypeOf<Readable>();

// A response has a body exactly if `responses: 'check'` requires one.
type ResponseOf<Status extends number, Type extends string> = TypedOutput<{
  responses: { [Code in Status]: { content: { [Name in Type]: string } } };
}>;
({ status: 200, body: 'a' }) satisfies ResponseOf<200, '*/*'>;
// @ts-expect-error no body
({ status: 200 }) satisfies ResponseOf<200, '*/*'>;
({ status: 204 }) satisfies ResponseOf<204, 'application/json'>;
({ status: 304 }) satisfies ResponseOf<304, 'text/plain'>;
