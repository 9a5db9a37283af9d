import { createHash, type Hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { type Md5Answer, type Md5Request, toTransferList } from './slab.ts';

const hashes = new Map<number, Hash>();

function answer(message: Md5Answer): void {
  parentPort?.postMessage(message, message.kind === 'read' ? toTransferList(message.slab) : []);
}

parentPort?.on('message', (request: Md5Request) => {
  const { id } = request;
  const hash = hashes.get(id) ?? createHash('md5');
  if (request.kind === 'update') {
    hashes.set(id, hash.update(new Uint8Array(request.slab, 0, request.length)));
    answer({ kind: 'read', id, slab: request.slab });
    return;
  }
  hashes.delete(id);
  if (request.kind === 'digest') answer({ kind: 'digest', id, digest: hash.digest('hex') });
});
