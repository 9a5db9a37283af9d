import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSearch, type Section } from '../search/create-search.ts';

const INDEX = join(import.meta.dirname, '../dist/site/search.json');
const sections: Section[] = JSON.parse(readFileSync(INDEX, 'utf8'));
const search = await createSearch(sections);

/** What users type, and the page that must come first; of several good pages, any. */
const QUERIES: [query: string, ...pages: string[]][] = [
  ['upload progress', 'guides/uploads'],
  ['upload file', 'guides/uploads'],
  ['getting started', 'start/client'],
  ['status code', 'guides/errors', 'reference/errors'],
  ['login token', 'guides/auth'],
  ['start mock', 'start/mock'],
  ['temp url', 'guides/uploads'],
  ['retry after', 'guides/errors', 'packages/client'],
  ['retries', 'guides/errors'],
  ['download link', 'guides/uploads'],
  ['signed url', 'guides/uploads', 'guides/auth'],
  ['download part of a file', 'guides/uploads'],
  ['large files', 'guides/uploads'],
  ['delete files', 'guides/uploads', 'packages/client'],
  ['mock fault', 'packages/mock', 'guides/mock'],
  ['simulate slow response', 'packages/mock', 'guides/mock'],
  ['mock own document', 'packages/mock', 'guides/service-contracts'],
  ['own document', 'packages/server-stubs', 'packages/mock', 'guides/service-contracts'],
  ['record replay', 'packages/mock'],
  ['docker', 'packages/mock', 'guides/mock', 'packages/server', 'guides/production'],
  ['tls', 'guides/production', 'packages/server', 'reference/configuration', 'start/server'],
  ['metrics', 'guides/production', 'packages/server'],
  ['config file', 'reference/configuration', 'packages/server', 'reference/editors'],
  ['listen.port', 'reference/configuration'],
  ['s3', 'guides/production', 'packages/server'],
  ['react query', 'packages/client', 'guides/browser'],
  ['msw', 'packages/client', 'guides/browser'],
  ['vite', 'guides/browser'],
  ['service worker', 'guides/browser'],
  ['shell completion', 'reference/editors'],
  ['unit test', 'packages/client'],
  ['websocket', 'guides/streaming'],
  ['server sent events', 'guides/streaming'],
  ['last event id', 'guides/streaming', 'packages/client'],
  ['api key', 'guides/auth'],
  ['key pair', 'guides/auth'],
  ['python', 'guides/python'],
  ['golang', 'guides/go'],
  ['go client', 'guides/go'],
  ['express', 'packages/server-stubs', 'start/stubs'],
  ['run the conformance suite in ci', 'guides/conformance'],
  ['junit report', 'packages/conformance', 'guides/conformance'],
  ['cors', 'packages/mock', 'packages/server-stubs', 'decisions/d11-methods-and-cors'],
  ['limits', 'reference/limits'],
  ['max file size', 'reference/limits', 'guides/uploads'],
  ['error codes', 'reference/errors'],
  ['openapi download', 'reference/downloads'],
  ['cli options', 'reference/command-lines', 'packages/conformance'],
  ['curl', 'start/mock', 'guides/mock', 'reference/samples'],
  ['performance', 'reference/performance'],
  ['prism', 'packages/mock', 'reference/comparison'],
  ['deno', 'reference/platforms'],
  ['yaml completion vs code', 'reference/editors'],
  ['GW-SSE-UNBUFFERED', 'reference/rules'],
  ['getTempFileURL', 'reference/operations', 'reference/samples', 'guides/uploads'],
  ['uplaod', 'guides/uploads'],
  ['authenticatio', 'guides/auth'],
];

it.each(QUERIES)('"%s" lists %s first', (query, ...pages) => {
  const found = search(query).map(({ link }) => link.split('#')[0]?.slice(1));
  expect(pages, `found ${[...new Set(found)].slice(0, 5).join(', ')}`).toContain(found[0]);
});

it('finds the section, marks its words, and has no result for words of no page', () => {
  const [first] = search('upload progress');
  expect(first).toMatchObject({ link: '/guides/uploads#upload-and-download', group: 'Guides' });
  expect(['onProgress', 'uploading', 'link'].map((word) => first?.isMatch(word))).toEqual([
    true,
    true,
    false,
  ]);
  expect(search('xylophone')).toEqual([]);
  expect(search('  ')).toEqual([]);
});
