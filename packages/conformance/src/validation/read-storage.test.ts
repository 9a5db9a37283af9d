import { describe, expect, it } from 'vitest';
import { hasErrorElement } from './read-storage.ts';

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
