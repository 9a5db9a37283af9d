import { expect, it } from 'vitest';
import { toTypes } from '../generate/to-types.ts';

it('renders closed objects, bytes, defaults and x-berth-content', async () => {
  const text = await toTypes({
    openapi: '3.1.1',
    info: { title: 'T', version: '1.0.0' },
    paths: {
      '/files': {
        post: {
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
          },
          additionalProperties: true,
        },
        Free: { type: 'object', additionalProperties: true },
      },
    },
  });
  expect(text.match(/\[key: string\]: unknown/g)).toHaveLength(1);
  expect(text).toMatch(/Free: \{\s+\[key: string\]: unknown;\s+\}/);
  expect(text).toMatch(/content: Blob;/);
  expect(text).toMatch(/replace\?: boolean;/);
  expect(text).toMatch(/"text\/plain": string;\s+"text\/event-stream": number;/);
});
