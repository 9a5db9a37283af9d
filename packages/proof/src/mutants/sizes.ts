import type { Hooks, Json } from '../proxy/messages.ts';
import type { Mutant, MutantContext, Rows } from './mutant.ts';
import { changeBody, forwardedRequest, rewriteHeaders } from './support/gateway.ts';
import { afterCopies } from './support/storage.ts';
import { onDownload } from './support/uploads.ts';

const KIB = 1024;
const MIB = KIB * KIB;

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
    'a body of more than 1 MiB loses the byte after it': forwardedRequest(without(MIB)),
  },
  'ST-LINKS-DOWNLOAD': {
    'a download of more than 64 KiB loses the byte after it': onDownload(without(64 * KIB)),
  },
  'ST-COPY-CALL': {
    'a copy of more than 64 KiB is truncated': copiesOf(64 * KIB),
  },
  'GW-WS-TEXT': {
    'a text of more than 64 KiB arrives in two messages': messages(false, 64 * KIB),
  },
  'GW-FORWARD-HEADERS': {
    'the value of a request header is truncated to 1 KiB': forwardedRequest(
      rewriteHeaders(/^x-/i, (value) => value.slice(0, KIB)),
    ),
  },
};
