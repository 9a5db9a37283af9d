import type { StorageReply } from '../../trial/read-reply.ts';
import { STORAGE_OPERATIONS, type StorageCallOptions } from '../../trial/storage-tool.ts';
import { defineCheck } from '../check.ts';
import { makeGoodFields } from '../support/good-fields.ts';

export const stResponseJson = defineCheck('ST-RESPONSE-JSON', [], async (t) => {
  const expectJson = (reply: StorageReply, what: string) => {
    const { status, mediaType, json } = reply.received;
    t.expect(
      mediaType === 'application/json',
      `${what} (${status}): Content-Type must be application/json, not ${mediaType ?? 'none'}`,
      reply,
    );
    t.expect(json !== undefined, `${what} (${status}): the body must be JSON`, reply);
  };
  const options = { acceptsRefusal: true };
  const path = t.storage.path('file.txt');
  // Needs no files, which cannot be had where no answer is JSON.
  expectJson(await t.storage.call('getUploadMetaData', { path }, options), 'getUploadMetaData');
  const fields = await makeGoodFields(t);
  for (const operation of STORAGE_OPERATIONS) {
    const good = fields[operation];
    const calls: Record<string, [fields: object, options: StorageCallOptions]> = {
      'a good call': [good, options],
      'a call without fields': [{}, options],
      'a body that is no JSON': [{}, { ...options, body: '{' }],
      'a call without credentials': [good, { credentials: 'none' }],
      'a call of another environment': [good, { ...options, env: t.uniqueName() }],
    };
    for (const [what, call] of Object.entries(calls)) {
      expectJson(await t.storage.call(operation, ...call), `${operation}, ${what}`);
    }
  }
});
