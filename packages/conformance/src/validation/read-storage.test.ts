import { describe, expect, it } from 'vitest';
import { hasErrorElement, hasFailed } from './read-storage.ts';

it.each([
  [{ code: 'TAKEN', message: 'There is a file already.' }, true],
  [{ code: 409 }, true],
  [{ message: 'There is a file already.' }, true],
  [{}, false],
  [{ fileID: 'f' }, false],
  [{ code: '', message: '' }, false],
  [{ code: null }, false],
  [{ code: 'SUCCESS', message: 'ok' }, false],
])('whether the copy with the entry %j has failed: %j', (entry, failed) => {
  expect(hasFailed(entry)).toBe(failed);
});

describe('hasErrorElement', () => {
  it.each([
    '<Error/>',
    '<Error><Code>X</Code></Error>',
    '\uFEFF<?xml version="1.0"?>\n<Error xmlns="urn:x">\n</Error >',
    '<!-- a comment --><s:Error xmlns:s="urn:x"></s:Error>',
    '<Response><Error>no</Error></Response>',
  ])('finds it in %j', (text) => {
    expect(hasErrorElement(text)).toBe(true);
  });

  it.each([
    '',
    'Error',
    '{"Error":"<Error/>"}',
    '<html><body><Error></Error></body></html>',
    '<Error><Code>X</Code>',
    '<Errors></Errors>',
    '<PostResponse><Key>Error</Key></PostResponse>',
  ])('does not find it in %j', (text) => {
    expect(hasErrorElement(text)).toBe(false);
  });
});
