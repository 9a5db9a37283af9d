import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { DOCUMENTS } from '../generate/read.ts';
import {
  defaultWireProfile,
  parseWireProfile,
  toWireProfile,
  WireProfileError,
  type WireProfileInput,
} from '../src/wire-profile.ts';
import acme from '../wire-profiles/acme.json' with { type: 'json' };
import standard from '../wire-profiles/default.json' with { type: 'json' };
import schema from '../wire-profiles/wire-profile.schema.json' with { type: 'json' };

const fitsSchema = new Ajv2020().compile(schema);

describe('a wire profile', () => {
  it('is completed with the defaults', () => {
    const { $schema: _, ...names } = standard;
    expect(toWireProfile()).toEqual(names);
    const own: WireProfileInput = {
      storageHeaders: { timestamp: 'X-Time' },
      storeFileID: undefined,
      envelope: 'flat',
    };
    expect(toWireProfile(own)).toEqual({
      ...defaultWireProfile,
      storageHeaders: { ...defaultWireProfile.storageHeaders, timestamp: 'X-Time' },
      envelope: 'flat',
    });
  });

  it('stays as it is if it is complete', () => {
    const complete = toWireProfile(acme);
    expect(complete).toMatchObject({ storeFileID: 'acmeFileID', copyPaths: 'absolute' });
    expect(toWireProfile(complete)).toEqual(complete);
  });

  it.each([{}, acme, standard, { $schema: 'any', name: 'own', copyPaths: 'relative' }])(
    'is accepted by the schema, too: %j',
    (profile) => {
      expect(() => toWireProfile(profile)).not.toThrow();
      expect(fitsSchema(profile)).toBe(true);
    },
  );

  it.each([
    ['', null, 'wireProfile must be an object.'],
    ['', [], 'wireProfile must be an object.'],
    ['color', { color: 'red' }, 'wireProfile.color is unknown. Known fields: name, '],
    ['__proto__', JSON.parse('{ "__proto__": {} }'), 'wireProfile.__proto__ is unknown.'],
    [
      'storageHeaders.time',
      { storageHeaders: { time: 'X-Time' } },
      'wireProfile.storageHeaders.time is unknown. Known fields: storageHeaders.authorization, ',
    ],
    ['uploadFields', { uploadFields: 'x' }, 'wireProfile.uploadFields must be an object.'],
    ['storeFileID', { storeFileID: '' }, 'must be a string that is not empty.'],
    ['name', { name: 7 }, 'must be a string that is not empty.'],
    ['envelope', { envelope: 'Flat' }, 'wireProfile.envelope must be wrapped or flat.'],
    ['copyPaths', { copyPaths: null }, 'wireProfile.copyPaths must be absolute or relative.'],
    [
      'gatewayHeaders.upstreamStatus',
      { gatewayHeaders: { upstreamStatus: 'a\r\nb' } },
      'wireProfile.gatewayHeaders.upstreamStatus must be the name of a header or form field.',
    ],
  ])('is refused with the name of the field: "%s" in %j', (field, profile, message) => {
    const refused = () => toWireProfile(profile as WireProfileInput);
    expect(refused).toThrow(WireProfileError);
    expect(refused).toThrow(message);
    expect(refused).toThrow(expect.objectContaining({ field }));
    expect(fitsSchema(profile)).toBe(false);
  });
});

it.each([
  [
    '{ "storeFileID": 1 }',
    'a.json is not a wire profile: storeFileID must be a string that is not',
  ],
  ['[]', 'a.json is not a wire profile: it must be an object.'],
  ['{', 'a.json is not a wire profile: it is not valid JSON.'],
])('a file with %s is refused by name', (text, message) => {
  expect(parseWireProfile('{}', 'a.json')).toEqual(defaultWireProfile);
  expect(() => parseWireProfile(text, 'a.json')).toThrow(message);
});

it('the documents contain every neutral name', () => {
  const { storageHeaders, uploadFields, gatewayHeaders, storeFileID } = defaultWireProfile;
  const names = [storageHeaders, uploadFields, gatewayHeaders, { storeFileID }].flatMap((group) =>
    Object.values<string>(group),
  );
  const documents = DOCUMENTS.map((document) =>
    readFileSync(join(import.meta.dirname, `../generated/${document}.gen.json`), 'utf8'),
  ).join();
  expect(names).toHaveLength(7);
  expect(names.filter((each) => !documents.includes(each))).toEqual([]);
});
