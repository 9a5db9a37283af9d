import type { Hooks, Json } from '../proxy/messages.ts';
import type { Mutant, MutantContext, Rows } from './mutant.ts';
import { acceptIfSignedFor } from './support/credentials.ts';
import {
  changeBody,
  changeQuery,
  forwardedRequest,
  onPath,
  rewriteHeaders,
  serviceResponse,
} from './support/gateway.ts';
import { afterCopies } from './support/storage.ts';
import { changeFile, onDownload } from './support/uploads.ts';

const KIB = 1024;
const MIB = KIB * KIB;
const cutTo = (size: number) => changeBody((body) => body.subarray(0, size));

/** Drops the byte after the given size. */
const without = (size: number) =>
  changeBody((body) =>
    body.length > size ? Buffer.concat([body.subarray(0, size), body.subarray(size + 1)]) : body,
  );

/** Acts on copies of more than this size. */
const afterLong =
  (
    size: number,
    act: (context: MutantContext, item: Json, bytes: Buffer) => Promise<void>,
  ): Mutant['create'] =>
  (context) =>
    afterCopies(async (item, entry) => {
      if (!entry || entry.code || item.srcPath === item.dstPath) return;
      const bytes = await context.read(item.dstPath);
      if (bytes && bytes.length > size) await act(context, item, bytes);
    });

/** Truncates copies to a size. */
const copiesOf = (size: number) =>
  afterLong(size, ({ store }, { dstPath }, bytes) => store(dstPath, bytes.subarray(0, size)));

const messages = (binary: boolean, size: number): Hooks => ({
  message(message) {
    const isLong =
      message.binary === binary && message.from === 'caller' && message.data.length > size;
    if (!isLong) return message;
    return [
      { ...message, data: message.data.subarray(0, size) },
      { ...message, data: message.data.subarray(size) },
    ];
  },
});

/** Mutants whose faults begin just beyond a usual size of buffers (D7, D14, D28). */
export const sizes: Rows = {
  'GW-FORWARD-BODY': {
    'a body of more than 1 KiB loses the byte after it': forwardedRequest(without(KIB)),
    'a body of more than 1 MiB is truncated': forwardedRequest(cutTo(MIB)),
    'a body of more than 1 MiB loses the byte after it': forwardedRequest(without(MIB)),
  },
  'GW-BODY': {
    'a response of more than 1 MiB to a POST is truncated': serviceResponse(
      { method: 'POST' },
      cutTo(MIB),
    ),
    'a response of more than 64 KiB loses the byte after it': serviceResponse(without(64 * KIB)),
    'a response of exactly 64 KiB loses its last byte': serviceResponse(
      { when: ({ body }) => body.length === 64 * KIB },
      changeBody((body) => body.subarray(0, -1)),
    ),
    'an event is cut after 64 KiB': () => ({
      async *stream(pieces) {
        let rest = '';
        for await (const piece of pieces) {
          const parts = (rest + piece.toString('latin1')).split(/(?<=\n\n)/);
          rest = parts.at(-1)?.endsWith('\n\n') ? '' : (parts.pop() ?? '');
          for (const part of parts)
            yield Buffer.from(
              part.length > 64 * KIB ? `${part.slice(0, 64 * KIB)}\n\n` : part,
              'latin1',
            );
        }
        if (rest !== '') yield Buffer.from(rest.slice(0, 64 * KIB), 'latin1');
      },
    }),
  },
  'UP-FILE': {
    'a file of more than 1 MiB is truncated': changeFile((text) => text.slice(0, MIB)),
  },
  'ST-LINKS-DOWNLOAD': {
    'a download of more than 1 MiB is truncated': onDownload(cutTo(MIB)),
    'a download of more than 64 KiB loses the byte after it': onDownload(without(64 * KIB)),
  },
  'ST-COPY-CALL': {
    'a copy of more than 1 KiB is truncated': copiesOf(KIB),
    'a copy of more than 64 KiB is truncated': copiesOf(64 * KIB),
    'a copy of more than 1 MiB is truncated': copiesOf(MIB),
  },
  'ST-COPY-MOVE': {
    'a move of more than 64 KiB loses the file': afterLong(64 * KIB, async ({ remove }, item) => {
      if (item.removeOriginal) await remove(item.dstPath);
    }),
  },
  'GW-WS-TEXT': {
    'a text of more than 64 KiB arrives in two messages': messages(false, 64 * KIB),
  },
  'GW-WS-BINARY': {
    'a binary message of more than 64 KiB arrives in two': messages(true, 64 * KIB),
  },
  'AU-TC3-BODY': {
    'only the first 64 KiB of a signed body are verified': acceptIfSignedFor(({ body }) =>
      body.length > 64 * KIB ? { body: body.toString().replace(/"2"\}$/, '"1"}') } : undefined,
    ),
  },
  'GW-QUERY-RAW': {
    'a query of more than 1 KiB is truncated': forwardedRequest((call) => {
      if (call.query.startsWith('long=')) changeQuery(call, (query) => query.slice(0, KIB));
    }),
  },
  'GW-PATH-SEGMENTS': {
    'a path of more than 1 KiB is truncated': onPath((path) =>
      path.length > KIB ? path.slice(0, KIB) : path,
    ),
  },
  'GW-FORWARD-HEADERS': {
    'the value of a request header is truncated to 1 KiB': forwardedRequest(
      rewriteHeaders(/^x-/i, (value) => value.slice(0, KIB)),
    ),
  },
  'GW-HEADERS': {
    'the value of a header is truncated to 2 KiB': serviceResponse(
      rewriteHeaders(/^x-/i, (value) => value.slice(0, 2 * KIB)),
    ),
  },
};
