import { gzipSync } from 'node:zlib';
import type { MutatedRequest } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { mediaTypeOf } from '../support/answers.ts';
import { changeText, fault, ofService } from './fault.ts';

const isAnswer = ({ path }: MutatedRequest) => path.endsWith('/answer');

/** What gateways do to the bodies of answers. */
export const bodies: readonly Mutant[] = [
  fault(
    'GW-BODY',
    'it is compressed where the caller accepts it or not',
    ofService((answer) => {
      if (
        answer.body.length < 1_000 ||
        answer.headers.get('Content-Encoding') ||
        !answer.headers.get('Content-Type')?.startsWith('text/')
      )
        return;
      answer.body = gzipSync(answer.body);
      answer.headers.set('Content-Encoding', 'gzip');
    }),
    ['GW-HEADERS'],
  ),
  fault(
    'GW-BODY',
    'a byte order mark is lost',
    ofService((answer) => {
      if (answer.body.subarray(0, 3).toString('hex') === 'efbbbf')
        answer.body = answer.body.subarray(3);
    }),
  ),
  fault(
    'GW-BODY',
    'CRLF becomes LF in text',
    ofService((answer) => {
      if (answer.headers.get('Content-Type')?.startsWith('text/'))
        changeText(answer, (text) => text.replaceAll('\r\n', '\n'));
    }),
  ),
  fault(
    'GW-BODY',
    'white space at the end of JSON is lost',
    ofService((answer) => {
      if (mediaTypeOf(answer) === 'application/json') changeText(answer, (text) => text.trimEnd());
    }),
  ),
  fault(
    'GW-BODY',
    'JSON is parsed and written again',
    ofService((answer) => {
      const { json } = answer;
      if (mediaTypeOf(answer) === 'application/json' && json !== undefined) answer.json = json;
    }),
  ),
  fault(
    'GW-BODY',
    'what follows 32 KiB is lost',
    ofService((answer, request) => {
      if (isAnswer(request)) answer.body = answer.body.subarray(0, 32_768);
    }),
  ),
  fault(
    'GW-BODY',
    'bytes that are no UTF-8 are replaced',
    ofService((answer) => {
      if (mediaTypeOf(answer) !== 'application/octet-stream')
        answer.body = Buffer.from(answer.body.toString());
    }),
  ),
  fault(
    'GW-BODY',
    'bytes of unknown types that are no UTF-8 are replaced',
    ofService((answer) => {
      if (mediaTypeOf(answer) === '') answer.body = Buffer.from(answer.body.toString());
    }),
  ),
  fault(
    'GW-BODY',
    'that of 404 is lost',
    ofService((answer, request) => {
      if (isAnswer(request) && answer.status === 404) answer.body = Buffer.alloc(0);
    }),
  ),
  fault(
    'GW-BODY',
    'that of 500 is lost',
    ofService((answer, request) => {
      if (isAnswer(request) && answer.status === 500) answer.body = Buffer.alloc(0);
    }),
  ),
  fault(
    'GW-BODY',
    'that of a redirect is lost',
    ofService((answer, request) => {
      if (isAnswer(request) && answer.status >= 300 && answer.status < 400)
        answer.body = Buffer.alloc(0);
    }),
  ),
  fault(
    'GW-BODY',
    'a chunked one is cut at its first piece',
    ofService((answer, { query }) => {
      if (/chunked=1/.test(query))
        answer.body = answer.body.subarray(0, Math.ceil(answer.body.length / 8));
    }),
  ),
  fault(
    'GW-BODY',
    'an empty one becomes an object',
    ofService((answer, request) => {
      if (isAnswer(request) && answer.body.length === 0) answer.body = Buffer.from('{}');
    }),
  ),
  fault(
    'GW-BODY',
    'a script is put into pages',
    ofService((answer) => {
      if (mediaTypeOf(answer) === 'text/html')
        changeText(answer, (text) => text.replace(/<\/body>|$/, '<script></script>$&'));
    }),
  ),
  fault(
    'GW-BODY',
    'a compressed one is unpacked by half',
    ofService((answer) => {
      if (answer.headers.get('Content-Encoding')) answer.body = answer.body.subarray(0, -1);
    }),
  ),
];
