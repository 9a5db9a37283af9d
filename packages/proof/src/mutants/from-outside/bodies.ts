import { gzipSync } from 'node:zlib';
import type { RuleId } from '../../../../conformance/src/generated/rule-ids.gen.ts';
import { type Mutant, mutantsOf } from '../mutant.ts';
import {
  changeBody,
  changeJson,
  changeText,
  serviceResponse,
  setBody,
  statuses,
} from '../support/gateway.ts';

const RULE: RuleId = 'GW-BODY';
const RESPOND_PATH = /\/respond$/;
const asUtf8 = changeBody((body) => Buffer.from(body.toString()));
const empty = setBody('');

/** Mutants that change response bodies, as some real gateways do. */
export const bodies: readonly Mutant[] = [
  ...mutantsOf(RULE, {
    'it is compressed even if the caller does not accept it': serviceResponse(
      {
        contentType: /^text\//,
        when: ({ body, headers }) => body.length >= 1_000 && !headers.get('Content-Encoding'),
      },
      (response) => {
        response.body = gzipSync(response.body);
        response.headers.set('Content-Encoding', 'gzip');
      },
    ),
    'a byte order mark is lost': serviceResponse(
      {},
      changeText((text) => text.replace(/^\xef\xbb\xbf/, '')),
    ),
    'CRLF becomes LF in text': serviceResponse(
      { contentType: /^text\// },
      changeText((text) => text.replaceAll('\r\n', '\n')),
    ),
    'trailing white space of JSON is lost': serviceResponse(
      { type: 'application/json' },
      changeText((text) => text.trimEnd()),
    ),
    'JSON is parsed and serialized again': serviceResponse(
      { type: 'application/json' },
      changeJson({}),
    ),
    'what follows 32 KiB is lost': serviceResponse(
      { path: RESPOND_PATH },
      changeBody((body) => body.subarray(0, 32_768)),
    ),
    'bytes that are not UTF-8 are replaced': serviceResponse(
      { type: /^(?!application\/octet-stream$)/ },
      asUtf8,
    ),
    'bytes of unknown types that are not UTF-8 are replaced': serviceResponse({ type: '' }, asUtf8),
    'that of 404 is lost': serviceResponse({ path: RESPOND_PATH, status: 404 }, empty),
    'that of 500 is lost': serviceResponse({ path: RESPOND_PATH, status: 500 }, empty),
    'that of a redirect is lost': serviceResponse(
      { path: RESPOND_PATH, status: statuses(3) },
      empty,
    ),
    'a chunked one ends after its first chunk': serviceResponse(
      { when: (_, { query }) => /chunked=1/.test(query) },
      changeBody((body) => body.subarray(0, Math.ceil(body.length / 8))),
    ),
    'an empty one becomes an object': serviceResponse(
      { path: RESPOND_PATH, when: ({ body }) => body.length === 0 },
      setBody('{}'),
    ),
    'a script is injected into HTML': serviceResponse(
      { type: 'text/html' },
      changeText((text) => text.replace(/<\/body>|$/, '<script></script>$&')),
    ),
    'a compressed one is decompressed, but keeps its Content-Encoding': serviceResponse(
      { when: ({ headers }) => headers.get('Content-Encoding') },
      changeBody((body) => body.subarray(0, -1)),
    ),
  }),
];
