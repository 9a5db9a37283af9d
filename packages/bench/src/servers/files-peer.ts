// A minimal file server: busboy piped to the disk, with fsync, and createReadStream().pipe(response). No
// grants, no hash, no atomic replacement, no headers.
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';

const [, , port, root = ''] = process.argv;
const path = join(root, 'file');

createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-length', statSync(path).size);
    createReadStream(path).pipe(response);
    return;
  }
  const form = new Busboy({ headers: request.headers as BusboyHeaders });
  form.on('file', (_name, file) => {
    const disk = createWriteStream(path, { flush: true });
    disk.on('close', () => response.writeHead(204).end());
    file.pipe(disk);
  });
  request.pipe(form);
}).listen(Number(port), '127.0.0.1');
