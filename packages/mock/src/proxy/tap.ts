import { Transform } from 'node:stream';
import type { ShadowRequest } from './judge/shadow-request.ts';

/** Passes the body of a request on, and a copy of it to its judge and to `keep`. */
export function tapRequest(shadow: ShadowRequest, keep: (chunk: Buffer) => void): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      keep(chunk);
      shadow.feed(chunk, () => done(null, chunk));
    },
    flush(done) {
      shadow.finish();
      done();
    },
  });
}

/** Passes the body of an answer on, and holds its end back until `atEnd` is done. */
export function tapAnswer(keep: (chunk: Buffer) => void, atEnd: () => Promise<void>): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      keep(chunk);
      done(null, chunk);
    },
    flush(done) {
      atEnd().then(() => done(), done);
    },
  });
}
