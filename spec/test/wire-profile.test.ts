import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { defaultWireProfile, parseWireProfile, toWireProfile } from '../src/wire-profile.ts';
import acme from '../wire-profiles/acme.json' with { type: 'json' };
import standard from '../wire-profiles/default.json' with { type: 'json' };
import schema from '../wire-profiles/wire-profile.schema.json' with { type: 'json' };

const fitsSchema = new Ajv2020().compile(schema);

it('completes a profile with the defaults', () => {
  const { $schema: _, ...names } = standard;
  expect(toWireProfile()).toEqual(names);
  const storageHeaders = { timestamp: 'X-Time' };
  const own = toWireProfile({ storageHeaders, storeFileID: undefined, envelope: 'flat' });
  expect(own).toEqual({
    ...defaultWireProfile,
    storageHeaders: { ...defaultWireProfile.storageHeaders, ...storageHeaders },
    envelope: 'flat',
  });
  expect(toWireProfile(own)).toEqual(own);
});

it.each([{}, acme, standard, { $schema: 'any', name: 'own', copyPaths: 'relative' }])(
  'accepts what the schema accepts: %j',
  (profile) => {
    expect(fitsSchema(profile)).toBe(true);
    expect(() => toWireProfile(profile)).not.toThrow();
  },
);

const NAME = 'must be the name of a header or form field.';

it.each<[field: string, profile: object | null, problem: string]>([
  ['', null, 'must be an object.'],
  ['', [], 'must be an object.'],
  ['color', { color: 'red' }, 'is unknown. Known fields: name, storageHeaders, '],
  ['__proto__', JSON.parse('{ "__proto__": {} }'), 'is unknown.'],
  ['storageHeaders.x', { storageHeaders: { x: 'X' } }, 'is unknown. Known fields: storageHeaders.'],
  ['uploadFields', { uploadFields: 'x' }, 'must be an object.'],
  ['storeFileID', { storeFileID: '' }, 'must be a string that is not empty.'],
  ['envelope', { envelope: 'Flat' }, 'must be wrapped or flat.'],
  ['copyPaths', { copyPaths: null }, 'must be absolute or relative.'],
  ['gatewayHeaders.upstreamStatus', { gatewayHeaders: { upstreamStatus: 'a\r\nb' } }, NAME],
])(
  'refuses an invalid field by its name, as an option and in a file: "%s"',
  (field, profile, problem) => {
    expect(fitsSchema(profile)).toBe(false);
    const option = ['wireProfile', field].filter(Boolean).join('.');
    expect(() => toWireProfile(profile as object)).toThrow(`${option} ${problem}`);
    const inFile = `a.json is not a wire profile: ${field || 'it'} ${problem}`;
    expect(() => parseWireProfile(JSON.stringify(profile), 'a.json')).toThrow(inFile);
  },
);

it('refuses a file that is not JSON without quoting it', () => {
  const message = /^a\.json is not a wire profile: it is not valid JSON\.$/;
  expect(() => parseWireProfile('secret', 'a.json')).toThrow(message);
});
