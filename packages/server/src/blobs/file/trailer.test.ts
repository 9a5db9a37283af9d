import { expect, test } from 'vitest';
import { FOOTER_BYTES, parseTrailer, toTrailer, trailerBytesOf } from './trailer.ts';

const info = {
  size: 1000,
  etag: 'ea1c2f1c-7a4e-4b4e-9d6c-6c0b7d6f1a10',
  contentType: 'text/plain; charset="é"',
};
const trailer = toTrailer({ info, crc32: 891_568_578 });

test('decodes to what was encoded', () => {
  expect(trailerBytesOf(trailer.subarray(-FOOTER_BYTES))).toBe(trailer.length);
  expect(parseTrailer(trailer, 1000 + trailer.length)).toEqual({ info, crc32: 891_568_578 });
});

test.each([-1, 1])('is valid for a file of its length only (%i)', (difference) => {
  expect(() => parseTrailer(trailer, 1000 + trailer.length + difference)).toThrow(
    'instead of 1000',
  );
});

test('detects any changed byte', () => {
  for (let at = 0; at < trailer.length; at++) {
    const damaged = Buffer.from(trailer);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
    expect(() => parseTrailer(damaged, 1000 + trailer.length), `byte ${at}`).toThrow();
  }
});

test('detects any truncation', () => {
  for (let length = 0; length < trailer.length; length++) {
    const cut = trailer.subarray(0, length);
    expect(() => parseTrailer(cut, 1000 + length), `${length} bytes`).toThrow();
  }
});
