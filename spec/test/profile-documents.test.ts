import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import gateway from '../generated/gateway.v1.gen.json' with { type: 'json' };
import storage from '../generated/storage.v2.gen.json' with { type: 'json' };
import { toProfileDocument } from '../src/profile-documents.ts';
import { defaultWireProfile, toWireProfile } from '../src/wire-profile.ts';
import acme from '../wire-profiles/acme.json' with { type: 'json' };

const WORKFLOWS = join(import.meta.dirname, '../workflows');
const workflows = readdirSync(WORKFLOWS)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => parse(readFileSync(join(WORKFLOWS, file), 'utf8')));

it('changes nothing with the default profile, and never the document itself', () => {
  for (const document of [gateway, storage, ...workflows]) {
    const before = structuredClone(document);
    expect(toProfileDocument(document, defaultWireProfile)).toEqual(before);
    toProfileDocument(document, toWireProfile({ ...acme, envelope: 'flat' }));
    expect(document).toEqual(before);
  }
});

it('replaces every neutral name', () => {
  const { storageHeaders, uploadFields, gatewayHeaders, storeFileID } = acme;
  const groups = [storageHeaders, uploadFields, gatewayHeaders, { storeFileID }];
  const own = JSON.stringify(toProfileDocument([gateway, storage, workflows], toWireProfile(acme)));
  for (const name of groups.flatMap(Object.values<string>)) expect(own).toContain(`"${name}"`);
  expect(own).toContain('$response.body#/body/data/acmeFileID');
  expect(own).not.toMatch(/"(X-Svc|x-store)-[\w-]+"|"storeFileID":\{|data\/storeFileID/);
});

it('takes flat responses out of their envelopes, in schemas and examples alike', () => {
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
  expect(components.schemas.ErrorResponse).toMatchObject({
    title: 'Error response',
    required: ['code'],
  });
  expect(JSON.stringify(components)).not.toContain('StatusCode"');
});

it('checks flat responses in workflows', () => {
  const own = JSON.stringify(toProfileDocument(workflows, toWireProfile({ envelope: 'flat' })));
  expect(own).toContain("$response.body#/data/fileList/0/code == 'SUCCESS'");
  expect(own).not.toMatch(/body#\/(body|statusCode)/);
});

it('spells copy paths without a leading slash', () => {
  const own = JSON.stringify(
    toProfileDocument([storage, workflows], toWireProfile({ copyPaths: 'relative' })),
  );
  expect(own).toContain('"srcPath":"reports/summary.txt"');
  expect(own).toContain('"x-berth-item-pattern":"^[0-9A-Za-z');
  expect(own).not.toMatch(/"(src|dst)Path":"\//);
});
