import { describe, expect, it } from 'vitest';
import { Problems } from '../document.ts';
import { toContentKind } from './read-content.ts';
import { readModel } from './read-model.ts';

describe('toContentKind', () => {
  it.each([
    ['application/json', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['application/problem+json', 'json'],
    ['application/vnd.github.v3.star+json', 'json'],
    ['application/x-www-form-urlencoded', 'form'],
    ['multipart/form-data', 'multipart'],
    ['text/plain', 'text'],
    ['text/event-stream', 'text'],
    ['application/xml', 'text'],
    ['application/problem+xml', 'text'],
    ['application/octet-stream', 'binary'],
    ['image/png', 'binary'],
    ['*/*', 'binary'],
  ])('%s is %s', (mediaType, kind) => {
    expect(toContentKind(mediaType, false)).toBe(kind);
  });

  it('reads a range as JSON if the schema allows more than text', () => {
    expect(toContentKind('*/*', true)).toBe('json');
    expect(toContentKind('application/*', true)).toBe('json');
  });
});

it('reads media types of x-berth-content after those of content', () => {
  const response = {
    description: 'A',
    content: { 'text/plain': {} },
    'x-berth-content': { 'text/event-stream': {}, '*/*': {} },
  };
  const document = {
    openapi: '3.1.1',
    info: { title: 'T', version: '1.0.0' },
    paths: { '/': { get: { operationId: 'read', responses: { 200: response } } } },
  };
  const { operations } = readModel(document, new Problems());
  expect(operations[0]?.responses[0]?.contents.map(({ mediaType }) => mediaType)).toEqual([
    'text/plain',
    'text/event-stream',
    '*/*',
  ]);
});
