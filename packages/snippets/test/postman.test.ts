import { createMock } from '@berth/mock';
import gateway from '@berth/spec/gateway.v1.postman.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.postman.json' with { type: 'json' };
import { afterAll, describe, expect, it } from 'vitest';

const mock = await createMock();
afterAll(() => mock.close());

type Entry = { key: string; value: string; disabled?: boolean };
type Field = { key: string; type: string };
type Request = {
  method: string;
  url: { host: string[]; path: string[]; variable: Entry[] };
  header: Entry[];
  body: { raw?: string; formdata?: Field[] };
};
type Collection = {
  item: { item: { name: string; request: Request }[] }[];
  variable: { key: string; value: string }[];
};
const collections: Collection[] = [gateway, storage];

/** What a user fills in. */
const values = new Map(
  collections.flatMap(({ variable }) => variable.map(({ key, value }) => [key, value])),
);
for (const key of ['baseUrl', 'uploadUrl']) values.set(key, mock.url);
for (const key of ['bearerToken', 'authorization', 'timestamp']) values.set(key, '1');

function fill(text: string): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name) => values.get(name) ?? `no variable ${name}`);
}

/** The address of a request; Postman replaces `:name` by the variables of the request. */
function toUrl({ host, path, variable }: Request['url']): string {
  const own = new Map(variable.map(({ key, value }) => [`:${key}`, value]));
  return `${fill(host.join('.'))}/${path.map((step) => own.get(step) ?? step).join('/')}`;
}

const requests = collections.flatMap(({ item }) => item.flatMap((folder) => folder.item));

describe('the Postman collections', () => {
  it.each(requests.filter(({ request }) => !request.body.formdata))(
    '$name',
    async ({ request }) => {
      const headers = Object.fromEntries(
        request.header
          .filter(({ disabled }) => !disabled)
          .map(({ key, value }) => [key, fill(value)]),
      );
      const authorization = { authorization: fill('Bearer {{bearerToken}}') };
      const { method } = request;
      const { raw: body } = request.body;
      const init = { method, headers: { ...authorization, ...headers }, ...(body && { body }) };
      const response = await fetch(toUrl(request.url), init);
      expect([response.status, headers['Last-Event-ID']]).toEqual([200, undefined]);
    },
  );

  it('have an upload form with a file, at an address of its own', () => {
    const uploads = requests.filter(({ request }) => request.body.formdata);
    expect(uploads.map(({ request }) => request.url.host)).toEqual([['{{uploadUrl}}']]);
    const fields = uploads.flatMap(({ request }) => request.body.formdata ?? []);
    expect(fields.map(({ key, type }) => `${key} ${type}`)).toEqual([
      'Signature text',
      'x-store-security-token text',
      'x-store-meta-fileid text',
      'key text',
      'file file',
    ]);
  });
});
