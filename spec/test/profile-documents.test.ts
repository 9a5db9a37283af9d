import { globSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import gateway from '../generated/gateway.v1.gen.json' with { type: 'json' };
import storage from '../generated/storage.v2.gen.json' with { type: 'json' };
import { toProfileDocument } from '../src/profile-documents.ts';
import { defaultWireProfile, toWireProfile, type WireProfileInput } from '../src/wire-profile.ts';
import acme from '../wire-profiles/acme.json' with { type: 'json' };

const workflows = globSync(`${import.meta.dirname}/../workflows/*.yaml`).map((file) =>
  parse(readFileSync(file, 'utf8')),
);
const documents = [gateway, storage, workflows];

function render(profile: WireProfileInput): string {
  return JSON.stringify(toProfileDocument(documents, toWireProfile(profile)));
}

it('changes nothing with the default profile, and never the document itself', () => {
  const before = structuredClone(documents);
  expect(toProfileDocument(documents, defaultWireProfile)).toEqual(before);
  render({ ...acme, envelope: 'flat', copyPaths: 'relative' });
  expect(documents).toEqual(before);
});

it('replaces every neutral name', () => {
  const { storageHeaders, uploadFields, gatewayHeaders, storeFileID } = acme;
  const groups = [storageHeaders, uploadFields, gatewayHeaders, { storeFileID }];
  const own = render(acme);
  for (const name of groups.flatMap(Object.values<string>)) expect(own).toContain(`"${name}"`);
  expect(own).toContain('$response.body#/body/data/acmeFileID');
  expect(own).not.toMatch(/"(X-Svc|x-store)-[\w-]+"|"storeFileID":\{|data\/storeFileID/);
});

it('takes flat responses out of their envelopes, in schemas, examples and workflows', () => {
  const { components } = toProfileDocument(storage, toWireProfile({ envelope: 'flat' }));
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema({ $id: 'storage', components });
  for (const name of ['GetUploadMetaData', 'BatchDelete', 'BatchCopyFile', 'Refused', 'Failed']) {
    const { content } = components.responses[name as 'Failed'];
    const { schema, examples } = content['application/json'];
    for (const { $ref } of Object.values(examples)) {
      const example = components.examples[$ref.split('/').at(-1) as 'Failed'].value;
      expect(Object.keys(example)).toContain('requestId');
      expect(ajv.validate({ $ref: `storage${schema.$ref}` }, example)).toBe(true);
    }
  }
  const { title, required } = components.schemas.ErrorResponse;
  expect({ title, required }).toEqual({ title: 'Error response', required: ['code'] });
  const own = render({ envelope: 'flat' });
  expect(own).toContain("$response.body#/data/fileList/0/code == 'SUCCESS'");
  expect(own).not.toMatch(/StatusCode"|body#\/(body|statusCode)/);
});

it('spells copy paths without a leading slash', () => {
  const own = render({ copyPaths: 'relative' });
  expect(own).toContain('"srcPath":"reports/summary.txt"');
  expect(own).toContain('"x-berth-item-pattern":"^[0-9A-Za-z');
  expect(own).not.toMatch(/"(src|dst)Path":"\//);
});
