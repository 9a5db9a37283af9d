import { describe, expect, it } from 'vitest';
import { toTypes } from '../generate/to-types.ts';

const DOCUMENT = {
  openapi: '3.1.1',
  info: { title: 'T', version: '1.0.0' },
  paths: {
    '/files': {
      post: {
        operationId: 'putFile',
        responses: {
          200: {
            description: 'Stored.',
            content: { 'text/plain': { schema: { type: 'string' } } },
            'x-berth-content': { 'text/event-stream': { schema: { type: 'number' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      File: {
        type: 'object',
        required: ['content'],
        properties: {
          content: { type: 'string', contentMediaType: 'application/octet-stream' },
          replace: { type: 'boolean', default: true },
          note: { type: 'string', contentMediaType: 'text/plain' },
        },
        additionalProperties: true,
      },
      Free: { type: 'object', additionalProperties: true },
    },
  },
};

describe('toTypes', () => {
  it('names paths, operations and components, and changes nothing in the document', async () => {
    const before = structuredClone(DOCUMENT);
    const text = await toTypes(DOCUMENT);
    expect(text).toContain('export interface paths');
    expect(text).toContain('"/files"');
    expect(text).toContain('putFile: {');
    expect(await toTypes(DOCUMENT)).toBe(text);
    expect(DOCUMENT).toEqual(before);
  });

  it('closes objects that name their fields, and knows bytes, defaults and x-berth-content', async () => {
    const text = await toTypes(DOCUMENT);
    expect(text.match(/\[key: string\]: unknown/g)).toHaveLength(1);
    expect(text).toMatch(/Free: \{\s+\[key: string\]: unknown;\s+\}/);
    expect(text).toMatch(/content: Blob;/);
    expect(text).toMatch(/note\?: string;/);
    expect(text).toMatch(/replace\?: boolean;/);
    expect(text).toMatch(/"text\/plain": string;\s+"text\/event-stream": number;/);
  });

  it('refuses a document that is not OpenAPI', async () => {
    await expect(toTypes({ swagger: '2.0', info: {}, paths: {} })).rejects.toThrow();
  });
});
