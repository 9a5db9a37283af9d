import { expect, test } from 'vitest';
import { removeHopByHop } from './headers.ts';

test('removes hop-by-hop headers, and those that Connection names', () => {
  expect(
    removeHopByHop({
      Connection: ['keep-alive, X-One', 'x-two'],
      'Keep-Alive': 'timeout=5',
      'Proxy-Authorization': 'secret',
      'Proxy-Connection': 'keep-alive',
      TE: 'trailers',
      Trailer: 'X-Sum',
      'Transfer-Encoding': 'chunked',
      Upgrade: 'h2c',
      'X-One': '1',
      'X-TWO': '2',
      'X-Three': ['3', '4'],
      'Content-Length': '3',
      etag: undefined,
    }),
  ).toEqual({ 'x-three': ['3', '4'], 'content-length': '3' });
});
